// What an operator watches of the processes, read from PostgreSQL: how old the outbox is, what is overdue, who was last seen.
import type { Database } from './database.ts'

/** The most endpoints that are visited, and rows that are counted, so that watching stays cheap whatever waits. */
const VISITED_AT_MOST = 1_000
const COUNTED_AT_MOST = 10_000
const SEEN_AT_MOST = 500

export interface Operations {
  /** When the delivery was due that has waited longest for the relay; null where none is due. */
  oldest_due_at: Date | null
  /** Deliveries whose workflow should have made its attempt `lateMs` ago. */
  overdue_deliveries: number
  /** Active schedules that should have run `lateMs` ago. */
  overdue_schedules: number
  /** When the oldest bulk that is under way was accepted; null where none is. Those of suspended organisations do not count. */
  oldest_bulk_at: Date | null
  /** E-invoices that wait for their portal, and since when the first of them does. */
  e_invoices_waiting: number
  oldest_e_invoice_at: Date | null
  /** Mails that are to be sent or being sent, and when the first of them was asked for. */
  mails_waiting: number
  oldest_mail_at: Date | null
  /** Organisations whose reminders are due, and since when those of the first are. */
  organizations_to_remind: number
  oldest_reminders_at: Date | null
  /** When a Temporal was last found that lacks what the one before it remembered: its data was lost, or another one is used. */
  temporal_lost_at: Date | null
  /** When each process and nightly job was last at work, by its name. */
  last_seen: Record<string, string>
}

/** Reads all of it by index scans, each of a bounded length. */
export async function readOperations(
  database: Pick<Database, 'observe'>,
  now: Date,
  lateMs: number,
): Promise<Operations> {
  const [row] = await database.observe<Operations>(READ, [now, new Date(now.getTime() - lateMs)])
  return row!
}

const DUE = 'coalesce(d.next_attempt_at, d.created_time)'

/**
 * Of each endpoint with waiting deliveries, when the one that has waited longest was due: `visited (org_id, endpoint_id, due_at,
 * step)`, a part of WITH RECURSIVE. One look into the index webhook_deliveries_queue for each endpoint.
 */
export const WAITING_ENDPOINTS = `visited (org_id, endpoint_id, due_at, step) AS (
    (SELECT d.org_id, d.endpoint_id, ${DUE}, 1 FROM webhook_deliveries AS d WHERE d.held_by = 'QUEUE'
     ORDER BY d.org_id, d.endpoint_id, ${DUE} LIMIT 1)
    UNION ALL
    SELECT n.org_id, n.endpoint_id, n.due_at, v.step + 1 FROM visited AS v CROSS JOIN LATERAL (
      SELECT d.org_id, d.endpoint_id, ${DUE} AS due_at FROM webhook_deliveries AS d
      WHERE d.held_by = 'QUEUE' AND (d.org_id, d.endpoint_id) > (v.org_id, v.endpoint_id)
      ORDER BY d.org_id, d.endpoint_id, ${DUE} LIMIT 1
    ) AS n WHERE v.step < ${VISITED_AT_MOST}
  )`

// Deliveries of suspended organisations wait on purpose.
const READ = {
  name: 'read operations',
  text: `WITH RECURSIVE ${WAITING_ENDPOINTS}
  SELECT
    (SELECT min(v.due_at) FROM visited AS v JOIN organizations AS o ON o.id = v.org_id AND o.status = 'ACTIVE'
      WHERE v.due_at <= $1) AS oldest_due_at,
    (SELECT count(*)::integer FROM (SELECT FROM webhook_deliveries AS d
      WHERE d.held_by IN ('PROCESS', 'ATTEMPT') AND d.next_attempt_at < $2 LIMIT ${COUNTED_AT_MOST}) AS late) AS overdue_deliveries,
    (SELECT count(*)::integer FROM (SELECT FROM recurring_schedules AS s JOIN organizations AS o ON o.id = s.org_id AND o.status = 'ACTIVE'
      WHERE s.status = 'ACTIVE' AND greatest(s.next_run_at, s.not_before) < $2 LIMIT ${COUNTED_AT_MOST}) AS late) AS overdue_schedules,
    (SELECT min(b.created_time) FROM (SELECT org_id, created_time FROM bulks WHERE status = 'RUNNING' LIMIT ${COUNTED_AT_MOST}) AS b
      JOIN organizations AS o ON o.id = b.org_id AND o.status = 'ACTIVE') AS oldest_bulk_at,
    (SELECT count(*)::integer FROM (SELECT FROM e_invoices WHERE status IN ('PENDING', 'CANCELLING') LIMIT ${COUNTED_AT_MOST}) AS e)
      AS e_invoices_waiting,
    (SELECT min(last_modified_time) FROM e_invoices WHERE status IN ('PENDING', 'CANCELLING')) AS oldest_e_invoice_at,
    (SELECT count(*)::integer FROM (SELECT FROM emails WHERE state IN ('READY', 'SENDING') LIMIT ${COUNTED_AT_MOST}) AS m) AS mails_waiting,
    (SELECT min(created_time) FROM emails WHERE state IN ('READY', 'SENDING')) AS oldest_mail_at,
    (SELECT count(*)::integer FROM (SELECT FROM reminder_sweeps WHERE next_at <= $1 LIMIT ${COUNTED_AT_MOST}) AS r) AS organizations_to_remind,
    (SELECT min(next_at) FROM reminder_sweeps WHERE next_at <= $1) AS oldest_reminders_at,
    (SELECT max(m.noted_time) FROM temporal_marks AS m WHERE EXISTS (SELECT FROM temporal_marks AS e WHERE e.noted_time < m.noted_time))
      AS temporal_lost_at,
    (SELECT coalesce(jsonb_object_agg(h.name, h.seen_at), '{}') FROM
      (SELECT name, seen_at FROM process_heartbeats WHERE name NOT LIKE 'queue/%' ORDER BY name LIMIT ${SEEN_AT_MOST}) AS h) AS last_seen`,
}
