// What the doctor compares with the open workflows: the rows that should have one, and those that one is for.
import type { ScheduledKind } from '../domain/schedule.ts'
import type { Connection } from './connection.ts'
import { UNDER_WAY, type DeliveryUnderWay } from './delivery.ts'

/** A workflow, and the row that it is for. */
export interface ProcessKey {
  workflowId: string
  orgId: string
  /** The id of the row. */
  id: string
}

/** The deliveries that wait in a workflow of their own since before a time, the longest first; without those that are overdue. */
export const deliveriesWithProcess = (
  connection: Connection,
  { since, dueAfter }: { since: Date; dueAfter: Date },
  limit: number,
): Promise<DeliveryUnderWay[]> => connection.run(WITH_PROCESS, [since, dueAfter, limit])

/** The active schedules that were not changed since that time, and whose next run, or its next try, is due after `dueAfter`: `due_at`. */
export const schedulesWithProcess = (
  connection: Connection,
  { since, dueAfter }: { since: Date; dueAfter: Date },
  limit: number,
): Promise<{ org_id: string; id: string; entity_type: ScheduledKind; next_run_at: Date; due_at: Date }[]> =>
  connection.run(SCHEDULED, [since, dueAfter, limit])

/** The rows that a workflow of this type has something to do for, by their ids. */
export async function rowsAmong(
  connection: Connection,
  type: 'webhookDelivery' | 'recurringSchedule' | 'bulkCreate',
  keys: readonly ProcessKey[],
): Promise<Set<string>> {
  const columns = [keys.map(({ orgId }) => orgId), keys.map(({ id }) => id)]
  const rows = await connection.run<{ id: string }>(ROWS[type], columns)
  return new Set(rows.map(({ id }) => id))
}

const WITH_PROCESS = {
  name: 'deliveries with process',
  text: `${UNDER_WAY} JOIN organizations AS o ON o.id = d.org_id AND o.status = 'ACTIVE'
    WHERE d.held_by = 'PROCESS' AND d.last_modified_time < $1 AND d.next_attempt_at > $2 ORDER BY d.next_attempt_at, d.id LIMIT $3`,
}
const SCHEDULED = {
  name: 'schedules with process',
  text: `SELECT s.org_id, s.id, s.entity_type, s.next_run_at, greatest(s.next_run_at, s.not_before) AS due_at
    FROM recurring_schedules AS s JOIN organizations AS o ON o.id = s.org_id AND o.status = 'ACTIVE'
    WHERE s.status = 'ACTIVE' AND s.last_modified_time < $1 AND greatest(s.next_run_at, s.not_before) > $2
    ORDER BY greatest(s.next_run_at, s.not_before), s.id LIMIT $3`,
}
const among = (table: string, name: string, condition: string) => ({
  name: `${name} among`,
  text: `SELECT t.id FROM unnest($1::uuid[], $2::uuid[]) AS k(org_id, id)
    JOIN ${table} AS t ON t.org_id = k.org_id AND t.id = k.id WHERE ${condition}`,
})
const ROWS = {
  webhookDelivery: among('webhook_deliveries', 'deliveries', 't.held_by IS NOT NULL'),
  recurringSchedule: among('recurring_schedules', 'schedules', `t.status <> 'COMPLETED'`),
  bulkCreate: among('bulks', 'bulks', `t.status = 'RUNNING'`),
}
