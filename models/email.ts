// Mails, and their recipients with what the provider has reported of each.
import type { ReminderTemplate } from '../domain/reminder-text.ts'
import type { MailRefusal, MailReport, MailState } from '../domain/mail-run.ts'
import { hasMany } from './association.ts'
import { allOf, equalTo, hasId, not, type Condition } from './condition.ts'
import type { Connection, Statement } from './connection.ts'
import type { Lock, Scope } from './find.ts'
import { BOOLEAN, DATE, INTEGER, TEXT, TIME, UUID, json, model, orNull, textOf, type RowOf } from './model.ts'

export const emails = model('emails', {
  org_id: UUID,
  id: UUID,
  purpose: textOf<'DOCUMENT' | 'REMINDER' | 'NOTICE'>(),
  /** What the mail is about, and its number or name. */
  entity_type: TEXT,
  entity_id: UUID,
  entity_ref: orNull(TEXT),
  state: textOf<MailState>(),
  sender: orNull(TEXT),
  sender_name: TEXT,
  reply_to: orNull(TEXT),
  subject: TEXT,
  /** As it was asked for; what is sent of it is made when it is sent. */
  body_html: TEXT,
  attach_pdf: BOOLEAN,
  pdf_filename: orNull(TEXT),
  pdf_bytes: orNull(INTEGER),
  pdf_sha256: orNull(TEXT),
  /** How often the provider was called. */
  tries: INTEGER,
  /** The id that the provider has given it. */
  message_id: orNull(TEXT),
  refusal: orNull(textOf<MailRefusal>()),
  /** Why it is not sent, is not known to be sent, or was not sent yet. */
  reason: orNull(TEXT),
  requested_by: orNull(UUID),
  /** Where the request came from, for the activity entry. */
  origin: json<{ request_id: string | null; ip: string | null; user_agent: string | null; source: string }>(),
  /** Of a reminder: the day in the zone of the organisation, and the texts that it is made of when it is sent. */
  reminded_on: orNull(DATE),
  template: orNull(json<ReminderTemplate>()),
  created_time: TIME,
  last_modified_time: TIME,
  sent_at: orNull(TIME),
})
export type EmailRow = RowOf<typeof emails>

export const emailRecipients = model(
  'email_recipients',
  {
    org_id: UUID,
    email_id: UUID,
    place: INTEGER,
    kind: textOf<'TO' | 'CC' | 'BCC'>(),
    address: TEXT,
    /** What the provider has reported last; null while it has reported nothing. */
    reported: orNull(textOf<MailReport>()),
    reported_at: orNull(TIME),
    /** The provider's words about it. */
    report: orNull(TEXT),
  },
  { key: ['org_id', 'email_id', 'place'] },
)
export type EmailRecipientRow = RowOf<typeof emailRecipients>

const recipients = hasMany(emails, 'recipients', emailRecipients, { by: 'email_id', order: ['place'] })

export interface Email extends EmailRow {
  recipients: EmailRecipientRow[]
}

export const findEmail = (scope: Scope, id: string, lock: Lock = ''): Promise<Email | null> =>
  recipients.findWith(scope, id, lock)

/** Adds their recipients to a page of mails. */
export async function withRecipients(scope: Scope, rows: EmailRow[]): Promise<Email[]> {
  const found = await recipients.of(
    scope,
    rows.map(({ id }) => id),
  )
  return recipients.group(rows, found)
}

/** The mails of a document that its people have sent, and reminders, that meet a condition. */
export const mailsOf = (entityType: string, entityId: string, more: Condition): Condition =>
  allOf([equalTo('entity_type', entityType), hasId('entity_id', entityId), not(equalTo('purpose', 'NOTICE')), more])

/**
 * How many mails the organisation has asked for since the beginning of this day of its zone, those that were refused aside;
 * notices are counted apart, and mails with links that let people in not at all. With `lock`, no other call counts them until the
 * transaction ends, so that two calls do not both take the last place.
 */
export async function countMails(
  { connection, orgId }: Scope,
  purpose: 'NOTICE' | 'OTHER',
  { day, zone }: { day: string; zone: string },
  lock: 'lock' | 'no lock' = 'no lock',
): Promise<number> {
  if (lock === 'lock') await connection.run(LOCK_COUNT, [orgId])
  const [row] = await connection.run<{ count: number }>(COUNT, [orgId, day, zone, purpose === 'NOTICE'])
  return row!.count
}

// In a statement of its own: the count then sees what the transaction before has committed.
const LOCK_COUNT: Statement = {
  name: 'lock mail count',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('emails ' || $1::text, 0))`,
}
const COUNT: Statement = {
  name: 'count mails',
  text: `SELECT count(*)::integer AS count FROM emails
         WHERE org_id = $1 AND created_time >= $2::date::timestamp AT TIME ZONE $3 AND (purpose = 'NOTICE') = $4 AND state <> 'REJECTED'
           AND (purpose <> 'NOTICE' OR entity_type NOT IN ('PASSWORD_RESET', 'INVITATION'))`,
  takesNoLock: true,
}

/** What the provider has reported last of an address that mail was sent to, where that was a failure. */
export interface UndeliverableAddress {
  address: string
  reported: MailReport
  reported_at: Date
}

/** Those of these addresses whose latest report is one of `failures`. By the index email_recipients_reported. */
export function undeliverableAmong(
  { connection, orgId }: Scope,
  addresses: readonly string[],
  failures: readonly MailReport[],
): Promise<UndeliverableAddress[]> {
  return connection.run<UndeliverableAddress>(UNDELIVERABLE_AMONG, [orgId, addresses, failures])
}

const UNDELIVERABLE_AMONG: Statement = {
  name: 'undeliverable addresses',
  text: `SELECT latest.address, latest.reported, latest.reported_at FROM unnest($2::text[]) AS asked CROSS JOIN LATERAL (
           SELECT r.address, r.reported, r.reported_at FROM email_recipients AS r
           WHERE r.org_id = $1 AND lower(r.address) = lower(asked) AND r.reported IS NOT NULL
           ORDER BY r.reported_at DESC LIMIT 1) AS latest
         WHERE latest.reported = ANY ($3::text[])`,
  takesNoLock: true,
}

/** A mail that no workflow may be carrying out. */
export type WaitingMail = Pick<
  EmailRow,
  'org_id' | 'id' | 'purpose' | 'entity_type' | 'entity_id' | 'attach_pdf' | 'created_time'
>

/**
 * Mails of all active organisations that are to be sent, in turns of the organisations, at most so many and so many of one, its
 * reminders last. Notices at once, others from before this time, because the call that stored a younger one is about to start its
 * workflow.
 */
export function mailsLeft(
  connection: Connection,
  before: Date,
  { most, ofOne }: { most: number; ofOne: number },
): Promise<WaitingMail[]> {
  return connection.run<WaitingMail>(LEFT, [before, most, ofOne])
}

const OPEN = `state IN ('READY', 'SENDING')`
const LEFT: Statement = {
  name: 'mails left',
  // The organisations are found by a step in the index each, however many mails of one of them wait.
  text: `WITH RECURSIVE waiting(org_id) AS (
      (SELECT org_id FROM emails WHERE ${OPEN} ORDER BY org_id LIMIT 1)
      UNION ALL
      SELECT (SELECT e.org_id FROM emails AS e WHERE e.${OPEN} AND e.org_id > waiting.org_id ORDER BY e.org_id LIMIT 1)
      FROM waiting WHERE waiting.org_id IS NOT NULL
    )
    SELECT waiting.org_id, its.id, its.purpose, its.entity_type, its.entity_id, its.attach_pdf, its.created_time
    FROM waiting JOIN organizations AS o ON o.id = waiting.org_id AND o.status = 'ACTIVE' CROSS JOIN LATERAL (
      SELECT e.*, row_number() OVER (ORDER BY e.purpose = 'REMINDER', e.created_time) AS turn FROM (
        SELECT id, purpose, entity_type, entity_id, attach_pdf, created_time FROM emails
        WHERE org_id = waiting.org_id AND ${OPEN} AND (tries = 0 AND purpose = 'NOTICE' OR last_modified_time < $1)
        ORDER BY (purpose = 'REMINDER'), created_time LIMIT $3
      ) AS e
    ) AS its
    ORDER BY its.turn, its.created_time LIMIT $2`,
  takesNoLock: true,
}

/** Gives up the mails, of every organisation, that were to be sent since before this time; a call under way is waited for. */
export async function giveUpLateMails(connection: Connection, before: Date, now: Date): Promise<void> {
  await connection.run(GIVE_UP, [before, now])
}

const GIVE_UP: Statement = {
  name: 'give up late mails',
  text: `UPDATE emails SET state = 'REJECTED', refusal = 'LATE', last_modified_time = $2,
           reason = coalesce(reason || ' ', '') || 'It could not be sent within a day.'
         WHERE state = 'READY' AND created_time < $1`,
}

/** The mails, of any organisation, that have been final since before this time: at most so many, the oldest first. */
export function oldMails(
  connection: Connection,
  before: Date,
  atMost: number,
): Promise<Pick<EmailRow, 'org_id' | 'id' | 'pdf_bytes'>[]> {
  return connection.run(OLD, [before, atMost])
}

// A reminder is kept for some days more, because by it the sweep knows that the customer was reminded.
const OLD: Statement = {
  name: 'old mails',
  text: `SELECT org_id, id, pdf_bytes FROM emails
         WHERE state IN ('SENT', 'REJECTED', 'UNKNOWN') AND last_modified_time < $1
           AND (reminded_on IS NULL OR last_modified_time < $1::timestamptz - interval '7 days')
         ORDER BY last_modified_time LIMIT $2`,
  takesNoLock: true,
}

/** Removes a mail with its recipients. */
export async function removeMail({ connection, orgId }: Scope, id: string): Promise<void> {
  await connection.run(REMOVE, [orgId, id])
}

const REMOVE: Statement = { name: 'remove mail', text: `DELETE FROM emails WHERE org_id = $1 AND id = $2` }

/**
 * Which of these mails have a PDF, or may still get one, by their ids. A mail that was given up while its PDF was being kept has
 * none: what is in the store is nobody's.
 */
export async function mailsWithPdf(
  connection: Connection,
  places: readonly { orgId: string; id: string }[],
): Promise<Set<string>> {
  const values = [places.map(({ orgId }) => orgId), places.map(({ id }) => id)]
  return new Set((await connection.run<{ id: string }>(WITH_PDF, values)).map(({ id }) => id))
}

const WITH_PDF: Statement = {
  name: 'mails with a PDF',
  text: `SELECT e.id FROM unnest($1::uuid[], $2::uuid[]) AS k(org_id, id) JOIN emails AS e ON e.org_id = k.org_id AND e.id = k.id
         WHERE e.pdf_bytes IS NOT NULL OR e.state = 'READY'`,
  takesNoLock: true,
}
