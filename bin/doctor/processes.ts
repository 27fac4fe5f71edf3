// Compares the open workflows with the rows in PostgreSQL: workflows that are for nothing, and rows that wait for none.
import type { Finding } from '../../audit/stuck/check.ts'
import { deliveryProcessId } from '../../domain/delivery.ts'
import { scheduleProcessId } from '../../domain/schedule.ts'
import { queueName } from '../../domain/task-queues.ts'
import { openAmong } from '../../gateways/temporal/open-workflows.ts'
import { deliveriesWithProcess, rowsAmong, schedulesWithProcess } from '../../models/processes.ts'
import { deliveryInputOf } from '../../worker/delivery-workflows.ts'
import { finding, LISTED, MINUTE_MS, openOnes, type TemporalCheck, type TemporalPatient } from './temporal-check.ts'

const PROCESSES = 1_000

/** Each type of workflow, and what its row is called. */
const ROW_OF = { webhookDelivery: 'delivery', recurringSchedule: 'schedule', bulkCreate: 'bulk' } as const

export const withoutRow: TemporalCheck = async (patient) => {
  const found: Finding[] = []
  for (const type of ['webhookDelivery', 'recurringSchedule', 'bulkCreate'] as const) {
    const open = await openOnes(patient, `WorkflowType = '${type}'`, 5, PROCESSES)
    const keyed = open.flatMap(({ workflowId, orgId }) =>
      orgId ? [{ workflowId, orgId, id: workflowId.split('/')[1]! }] : [],
    )
    const rows = await rowsAmong(patient.database, type, keyed)
    for (const { workflowId } of keyed.filter(({ id }) => !rows.has(id)).slice(0, LISTED)) {
      const problem = `${workflowId} is open, and its ${ROW_OF[type]} is finished or does not exist`
      const mend = `npm run temporal -- workflow terminate --workflow-id ${workflowId} --reason "its ${ROW_OF[type]} is finished"`
      found.push(finding('processes without a row', 'stuck', problem, mend))
    }
  }
  return found
}

/** What was changed in the last five minutes may be about to start, and what is overdue has a check of its own. */
const bounds = ({ now }: TemporalPatient) => ({
  since: new Date(now.getTime() - 5 * MINUTE_MS),
  dueAfter: new Date(now.getTime() - 10 * MINUTE_MS),
})

// A workflow waits up to a minute longer than its row says.
const SPREAD_MS = 2 * MINUTE_MS

const schedulesWithout = async (patient: TemporalPatient): Promise<Finding[]> => {
  const rows = await schedulesWithProcess(patient.database, bounds(patient), PROCESSES)
  const open = await openAmong(
    patient.engine,
    rows.map(({ id }) => scheduleProcessId(id)),
  )
  const found = rows.flatMap(({ org_id, id, next_run_at, due_at }) => {
    const workflow = open.get(scheduleProcessId(id))
    const schedule = `the recurring schedule ${id} of organisation ${org_id}`
    const due = `is due at ${next_run_at.toISOString()}, and a worker starts it ten minutes after that`
    if (!workflow) return [['schedules without a process', `${schedule} has no open workflow; its next run ${due}`]]
    if (!workflow.nextAt || workflow.nextAt.getTime() <= due_at.getTime() + SPREAD_MS) return []
    const waits = `the workflow of ${schedule} waits until ${workflow.nextAt.toISOString()}; by its row the next run ${due}`
    return [['schedules that wait too long', waits]]
  })
  return found.slice(0, LISTED).map(([check, problem]) => finding(check!, 'stuck', problem!, 'npm run reconcile'))
}

const deliveriesWithout = async (patient: TemporalPatient): Promise<Finding[]> => {
  const { database, engine, queueSuffix, ladderSeconds } = patient
  const rows = await deliveriesWithProcess(database, bounds(patient), PROCESSES)
  const idOf = ({ id, series }: { id: string; series: number }) => deliveryProcessId(id, series)
  const open = await openAmong(engine, rows.map(idOf))
  return rows
    .filter((row) => !open.has(idOf(row)))
    .slice(0, LISTED)
    .map((row) => {
      const due = `a worker starts it three minutes after its attempt was due, at ${row.next_attempt_at.toISOString()}`
      const problem = `the delivery ${row.id} of organisation ${row.org_id} waits in a workflow that is not open; ${due}`
      const input = deliveryInputOf(row, row.next_attempt_at, ladderSeconds)
      const attributes = { SvcOrgId: row.org_id, SvcEndpointId: row.endpoint_id, SvcEntityId: row.entity_id }
      const mend = [
        `npm run temporal -- workflow start --type webhookDelivery --task-queue ${queueName('core', queueSuffix)} --workflow-id ${idOf(row)}`,
        ...Object.entries(attributes).map(([name, value]) => `--search-attribute '${name}="${value}"'`),
        `--input '${JSON.stringify(input)}'`,
      ]
      return finding('deliveries without a process', 'stuck', problem, mend.join(' '))
    })
}

export const withoutProcess: TemporalCheck = async (patient) => [
  ...(await schedulesWithout(patient)),
  ...(await deliveriesWithout(patient)),
]
