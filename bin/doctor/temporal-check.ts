// What a check of Temporal by `npm run doctor` is, and what it asks the server.
import type { Finding, Severity } from '../../audit/stuck/check.ts'
import { queueName } from '../../domain/task-queues.ts'
import type { Engine } from '../../gateways/temporal/engine.ts'
import { listWorkflows } from '../../gateways/temporal/open-workflows.ts'
import type { Connection } from '../../models/connection.ts'

export interface TemporalPatient {
  engine: Pick<Engine, 'client'>
  database: Connection
  queueSuffix: string
  ladderSeconds: number[]
  now: Date
}

export const LISTED = 20
export const MINUTE_MS = 60_000

export type TemporalCheck = (patient: TemporalPatient) => Promise<Finding[]>

export const finding = (check: string, severity: Severity, problem: string, mend: string, note?: string): Finding => ({
  check,
  severity,
  problem,
  mend,
  ...(note !== undefined && { note }),
})

/** The command that describes a workflow. */
export const describeWorkflow = (workflowId: string) =>
  `npm run temporal -- workflow describe --workflow-id ${workflowId}`

/** The open workflows of this installation that satisfy a condition and were started so many minutes ago. */
export function openOnes(
  { engine, queueSuffix, now }: TemporalPatient,
  condition: string,
  minutes: number,
  limit: number,
) {
  const before = new Date(now.getTime() - minutes * MINUTE_MS).toISOString()
  const ours = `TaskQueue = '${queueName('core', queueSuffix)}' AND ExecutionStatus = 'Running' AND StartTime < '${before}'`
  return listWorkflows(engine, `${ours} AND ${condition}`, limit)
}
