// Reminders: which organisation looks through its invoices next, which invoices those are, and who was reminded when.
import type { DueReminder } from '../domain/reminders.ts'
import type { Connection, Statement } from './connection.ts'
import { finder, type Scope } from './find.ts'
import { TIME, UUID, json, model, orNull, type RowOf } from './model.ts'

/** The last invoice that a sweep has looked at, on the day of the organisation's zone on which it did. */
export interface LookedThrough {
  day: string
  due_date: string
  id: string
}

/** One row an organisation whose reminders are on, which a trigger keeps. */
export const reminderSweeps = model(
  'reminder_sweeps',
  {
    org_id: UUID,
    /** When its invoices are looked through next. */
    next_at: TIME,
    looked_through: orNull(json<LookedThrough>()),
    /** When all of them had been looked through the last time. */
    swept_at: orNull(TIME),
  },
  { key: ['org_id'] },
)
export type ReminderSweepRow = RowOf<typeof reminderSweeps>

const sweep = finder<ReminderSweepRow>(reminderSweeps, () => ({ lock: true }))

/** The row of the organisation, locked; null where its reminders are off. */
export const lockReminderSweep = (scope: Scope): Promise<ReminderSweepRow | null> => sweep.first(scope)

/** The organisations whose invoices are to be looked through by now, those that have waited longest first. */
export async function organizationsToRemind(connection: Connection, now: Date, limit: number): Promise<string[]> {
  const rows = await connection.run<{ org_id: string }>(TO_REMIND, [now, limit])
  return rows.map(({ org_id }) => org_id)
}

const TO_REMIND: Statement = {
  name: 'organizations to remind',
  text: `SELECT org_id FROM reminder_sweeps WHERE next_at <= $1 ORDER BY next_at, org_id LIMIT $2`,
  takesNoLock: true,
}

/** Puts off an organisation whose invoices could not be looked through, so that it holds up no other. */
export async function putReminderSweepOff({ connection, orgId }: Scope, until: Date): Promise<void> {
  await connection.run(PUT_OFF, [orgId, until])
}

const PUT_OFF: Statement = {
  name: 'put a reminder sweep off',
  text: `UPDATE reminder_sweeps SET next_at = greatest(next_at, $2) WHERE org_id = $1`,
}

/**
 * The next invoices that are owed and undisputed with one of these due dates, by due date and id; at most so many. By one look
 * into the index invoices_to_remind for each due date.
 */
export function invoicesToRemind(
  { connection, orgId }: Scope,
  due: readonly DueReminder[],
  after: LookedThrough | null,
  limit: number,
): Promise<{ id: string; due_date: string }[]> {
  const dueDates = due.map(({ due_date }) => due_date).filter((date) => after === null || date >= after.due_date)
  return connection.run(INVOICES, [orgId, dueDates, after?.due_date ?? null, after?.id ?? FIRST_ID, limit])
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const INVOICES: Statement = {
  name: 'invoices to remind of',
  text: `SELECT i.id, due.due_date FROM unnest($2::date[]) AS due(due_date) CROSS JOIN LATERAL (
      SELECT id FROM invoices
      WHERE org_id = $1 AND due_date = due.due_date AND status IN ('SENT', 'PARTIALLY_PAID', 'OVERDUE') AND balance > 0 AND dispute IS NULL
        AND id > CASE WHEN due.due_date = $3::date THEN $4::uuid ELSE '${FIRST_ID}' END
      ORDER BY id LIMIT $5
    ) AS i ORDER BY due.due_date, i.id LIMIT $5`,
  takesNoLock: true,
}

/** What is known of the reminders of an invoice. */
export interface ReminderHistory {
  invoice_id: string
  /** The last day on which its customer was reminded, or could not be reached; not one on which a mail failed by our own trouble. */
  reminded_on: string | null
  /** The mail of this day that was sent or may yet be; null where there is none. */
  todays: string | null
  /** Whether there is a mail of this day, refused or not. */
  tried_today: boolean
  /** Why its customer could not be reached on earlier days. */
  unreachable: string[]
}

/** The history of each of these invoices that has one, by the index emails_reminders. */
export async function remindersOf(
  { connection, orgId }: Scope,
  invoiceIds: string[],
  day: string,
): Promise<Map<string, ReminderHistory>> {
  if (invoiceIds.length === 0) return new Map()
  const rows = await connection.run<ReminderHistory>(HISTORY, [orgId, invoiceIds, day])
  return new Map(rows.map((row) => [row.invoice_id, row]))
}

const HISTORY: Statement = {
  name: 'reminders of invoices',
  text: `SELECT entity_id AS invoice_id,
      max(reminded_on) FILTER (WHERE coalesce(refusal, '') NOT IN ('LATE', 'NOT_RENDERED', 'NOT_OWED')) AS reminded_on,
      (array_agg(id) FILTER (WHERE reminded_on = $3 AND state <> 'REJECTED'))[1] AS todays,
      bool_or(reminded_on = $3) AS tried_today,
      coalesce(array_agg(DISTINCT refusal) FILTER (WHERE refusal IN ('NO_ADDRESS', 'UNDELIVERABLE')), '{}') AS unreachable
    FROM emails WHERE org_id = $1 AND entity_id = ANY ($2::uuid[]) AND reminded_on IS NOT NULL GROUP BY entity_id`,
  takesNoLock: true,
}

/** How many reminders of a day that the policy has asked for were sent, or may yet be, since it began. */
export async function countReminders(
  { connection, orgId }: Scope,
  { day, zone }: { day: string; zone: string },
): Promise<number> {
  const [row] = await connection.run<{ count: number }>(COUNT, [orgId, day, zone])
  return row!.count
}

const COUNT: Statement = {
  name: 'count reminders',
  text: `SELECT count(*)::integer AS count FROM emails
    WHERE org_id = $1 AND created_time >= $2::date::timestamp AT TIME ZONE $3 AND purpose = 'REMINDER' AND state <> 'REJECTED'
      AND origin ->> 'source' = 'REMINDERS'`,
  takesNoLock: true,
}
