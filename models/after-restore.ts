// What is changed in restored books that was under way when the backup was made.
import type { Connection, Statement } from './connection.ts'
import type { Scope } from './find.ts'

const WHY = 'The books were restored from a backup; it was probably sent after it.'

/**
 * Marks up to 1,000 mails that were to be sent, or were being sent, as UNKNOWN: they were sent after the backup, if the service
 * went on, and no provider says so reliably. Returns how many; 0 where there are no more.
 */
export async function distrustMails(connection: Connection, now: Date): Promise<number> {
  return (await connection.run(MAILS, [now, WHY])).length
}

const MAILS: Statement = {
  name: 'distrust mails',
  text: `UPDATE emails AS e SET state = 'UNKNOWN', reason = $2, last_modified_time = $1
    FROM (SELECT org_id, id FROM emails WHERE state IN ('READY', 'SENDING') ORDER BY org_id, id LIMIT 1000 FOR UPDATE) AS open
    WHERE e.org_id = open.org_id AND e.id = open.id RETURNING 1`,
}

/** Those that were marked at this time, also by a run that was broken off. */
export const distrustedMails = (connection: Connection, time: Date): Promise<{ org_id: string; id: string }[]> =>
  connection.run(MARKED, [time, WHY])

const MARKED: Statement = {
  name: 'distrusted mails',
  text: `SELECT org_id, id FROM emails WHERE state = 'UNKNOWN' AND last_modified_time = $1 AND reason = $2 ORDER BY org_id, id`,
}

/** Revokes a client or withdraws a consent at `time`, unless that was done before. False where there is none of this id. */
export async function endOAuth(
  connection: Connection,
  { change, id, time }: { change: 'OAUTH_CLIENT_REVOKED' | 'OAUTH_CONSENT_WITHDRAWN'; id: string; time: string },
): Promise<boolean> {
  const statement = change === 'OAUTH_CLIENT_REVOKED' ? REVOKE_CLIENT : WITHDRAW_CONSENT
  return (await connection.run(statement, [id, new Date(time)])).length > 0
}

const REVOKE_CLIENT: Statement = {
  name: 'revoke oauth client again',
  text: 'UPDATE oauth_clients SET revoked_time = least(revoked_time, $2) WHERE id = $1 RETURNING 1',
}
const WITHDRAW_CONSENT: Statement = {
  name: 'withdraw oauth consent again',
  text: 'UPDATE oauth_consents SET withdrawn_time = least(withdrawn_time, $2) WHERE id = $1 RETURNING 1',
}

/**
 * Ends all sessions of persons, links in mails and what apps were allowed: those that have ended since, also by a new password, are
 * back, and refresh tokens that were used since would be taken again.
 */
export async function endSessions(connection: Connection): Promise<number> {
  return (await connection.run(SESSIONS, [])).length
}

const SESSIONS: Statement = {
  name: 'end all sessions',
  text: `WITH reset AS (DELETE FROM password_resets), invited AS (DELETE FROM invitations),
      granted AS (UPDATE oauth_grants SET revoked_time = clock_timestamp() WHERE revoked_time IS NULL)
    DELETE FROM sessions RETURNING 1`,
}

/** What else of an organisation goes on as it was at the backup, and whom its partners and receivers ask. */
export interface RestoredState {
  name: string
  bulks: number
  /** Conversions that were asked for and not carried out. */
  conversions: number
  e_invoices: number
  e_invoicing: boolean
  endpoints: number
  /** Active recurring schedules with occurrences that were due by the failure. */
  schedules: number
  /** Those with links to pay, due or not. */
  payment_links: number
}

export async function restoredState({ connection, orgId }: Scope, failedAt: Date): Promise<RestoredState> {
  const [row] = await connection.run<RestoredState>(STATE, [orgId, failedAt])
  return row!
}

const STATE: Statement = {
  name: 'state of restored books',
  text: `SELECT o.name,
      (SELECT count(*)::integer FROM bulks WHERE org_id = $1 AND status <> 'COMPLETED') AS bulks,
      (SELECT count(*)::integer FROM conversions WHERE org_id = $1 AND refusal IS NULL
        AND hops < CASE through WHEN 'invoice' THEN 2 ELSE 1 END) AS conversions,
      (SELECT count(*)::integer FROM e_invoices WHERE org_id = $1 AND status IN ('PENDING', 'CANCELLING')) AS e_invoices,
      coalesce(jsonb_array_length(o.preferences -> 'eInvoicedBranches') > 0, false) AS e_invoicing,
      (SELECT count(*)::integer FROM webhook_endpoints WHERE org_id = $1 AND status = 'ENABLED') AS endpoints,
      (SELECT count(*)::integer FROM recurring_schedules WHERE org_id = $1 AND status = 'ACTIVE' AND next_run_at <= $2) AS schedules,
      (SELECT count(*)::integer FROM recurring_schedules WHERE org_id = $1 AND status = 'ACTIVE' AND auto_charge) AS payment_links
    FROM organizations AS o WHERE o.id = $1`,
}
