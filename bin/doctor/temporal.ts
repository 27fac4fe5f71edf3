// What the doctor asks Temporal: workflows that cannot go on or have nothing left to do, and schedules.
import { PENDING_ERROR, type Finding } from '../../audit/stuck/check.ts'
import { ADD_KEY } from './database.ts'
import { rendersThatFailed, rendersThatWait } from './pdfs.ts'
import { withoutProcess, withoutRow } from './processes.ts'
import {
  describeWorkflow,
  finding,
  LISTED,
  MINUTE_MS,
  openOnes,
  type TemporalCheck,
  type TemporalPatient,
} from './temporal-check.ts'
import { queueName } from '../../domain/task-queues.ts'
import { remindersId } from '../../domain/reminders.ts'
import { reconcileId } from '../../domain/schedule.ts'
import { housekeepingId } from '../../domain/housekeeping.ts'
import { listWorkflows, scheduleState, type OpenWorkflow } from '../../gateways/temporal/open-workflows.ts'
import { conversionsWithoutDocument } from '../../models/conversion.ts'
import { isZoneSettled, zonesInUse } from '../../models/overdue.ts'

const ZONES = 100

export async function examineTemporal(patient: TemporalPatient): Promise<Finding[]> {
  const found: Finding[] = []
  for (const check of CHECKS) found.push(...(await check(patient).catch(unlessEncrypted)))
  return found
}

// The schedules keep the input of their workflows, encrypted.
function unlessEncrypted(error: Error): Finding[] {
  if (!error.message.startsWith('encrypted with the key')) throw error
  return [finding('encryption key', 'stuck', `workflows and schedules of Temporal were ${error.message}`, ADD_KEY)]
}

// Temporal reports a problem after five failures in a row of a workflow's own code, or of its decryption.
const poisoned: TemporalCheck = async (patient) => {
  const found = await openOnes(patient, 'TemporalReportedProblems IS NOT NULL', 0, LISTED).catch(unlessUnknown)
  return found.map(({ workflowId, type }) =>
    finding(
      'workflows',
      'stuck',
      `the ${type} ${workflowId} cannot go on: its workflow task fails again and again`,
      describeWorkflow(workflowId),
      'docs/operating.md, "A workflow that cannot go on"',
    ),
  )
}

// Servers before 1.30 do not have the attribute.
function unlessUnknown(error: Error): OpenWorkflow[] {
  if (/invalid search attribute|is not defined/i.test(`${error.message} ${String(error.cause)}`)) return []
  throw error
}

const conversionsTooLong: TemporalCheck = async (patient) =>
  (await openOnes(patient, `WorkflowType = 'convertDocument'`, 10, LISTED)).map(({ workflowId, startedAt }) =>
    finding(
      'conversions',
      'stuck',
      `${workflowId} has been running since ${startedAt.toISOString()}`,
      describeWorkflow(workflowId),
      PENDING_ERROR,
    ),
  )

// Written down while Temporal was unavailable, and not asked for again. A refused one has a workflow, which has ended.
const conversionsNotStarted: TemporalCheck = async ({ database, engine, queueSuffix, now }) => {
  const ago = (minutes: number) => new Date(now.getTime() - minutes * MINUTE_MS)
  const found: Finding[] = []
  for (const { org_id: orgId, id, source_type: source, source_id: sourceId } of await conversionsWithoutDocument(
    database,
    ago(720),
    ago(15),
    LISTED,
  )) {
    const [any] = await listWorkflows(engine, `WorkflowType = 'convertDocument' AND SvcEntityId = '${sourceId}'`, 1)
    if (any) continue
    const input = JSON.stringify({ orgId, conversionId: id, source, sourceId })
    const start = [
      `npm run temporal -- workflow start --type convertDocument --task-queue ${queueName('core', queueSuffix)}`,
      `--workflow-id convert/${source}/${sourceId} --search-attribute 'SvcEntityId="${sourceId}"' --input '${input}'`,
    ].join(' ')
    const problem = `the conversion of ${source} ${sourceId} was requested and never started`
    found.push(finding('conversions', 'notice', problem, start))
  }
  return found
}

const schedules: TemporalCheck = async ({ database, engine, queueSuffix, now }) => {
  const found: Finding[] = []
  const zones = (await zonesInUse(database)).slice(0, ZONES)
  const ofAll = [reconcileId(queueSuffix), remindersId(queueSuffix)].map((id) => ({ id, zone: null }))
  for (const { id, zone } of [...ofAll, ...zones.map((zone) => ({ id: housekeepingId(zone, queueSuffix), zone }))]) {
    const state = await scheduleState(engine, id)
    // A worker makes that of a zone within a minute of its first organisation.
    const isDue = zone === null || (await isZoneSettled(database, zone, new Date(now.getTime() - 2 * MINUTE_MS)))
    if (state === 'missing' && isDue)
      found.push(
        finding(
          'schedules',
          'stuck',
          `there is no schedule ${id}`,
          'restart a worker; it creates missing schedules when it starts',
        ),
      )
    if (state === 'paused')
      found.push(
        finding(
          'schedules',
          'notice',
          `the schedule ${id} is paused`,
          `npm run temporal -- schedule toggle --schedule-id ${id} --unpause --reason "done"`,
        ),
      )
  }
  return found
}

// A new kind of process adds its own here.
const CHECKS: TemporalCheck[] = [
  poisoned,
  conversionsTooLong,
  conversionsNotStarted,
  withoutRow,
  withoutProcess,
  schedules,
  rendersThatWait,
  rendersThatFailed,
]
