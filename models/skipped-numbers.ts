// Numbers that are skipped after a restore, because they may have been given out after the backup.
import { DOCUMENT_KINDS, DOCUMENTS } from '../domain/documents.ts'
import type { NumberParts } from '../domain/numbering.ts'
import type { Connection } from './connection.ts'
import type { Scope } from './find.ts'

/** An organisation, and what its books say of the time before the backup. */
export interface RestoredOrganization {
  org_id: string
  fiscal_year_start_month: number
  time_zone: string
  /** The last entry of its activity log; null for one without any. */
  last_time: Date | null
}

/** The next organisations after this id, in the order of their ids. */
export const organizationsAfter = (connection: Connection, after: string | null): Promise<RestoredOrganization[]> =>
  connection.run<RestoredOrganization>(ORGANIZATIONS, [after ?? FIRST_ID])

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const ORGANIZATIONS = {
  name: 'restored organizations',
  text: `SELECT o.id AS org_id, o.fiscal_year_start_month, o.time_zone,
      (SELECT a.occurred_at FROM activity AS a WHERE a.org_id = o.id ORDER BY a.occurred_at DESC LIMIT 1) AS last_time
    FROM organizations AS o WHERE o.id > $1 ORDER BY o.id LIMIT 200`,
}

/** A sequence of numbers that an organisation uses, or may have begun after the backup. */
export interface KnownSequence {
  kind: 'SERIES' | 'BILL' | 'LEGACY'
  sequence: string
  branch_id: string
  series_name: string | null
  prefix: string
  padding: number | null
  template: string | null
  /** A date of its numbers. */
  date: string
}

/**
 * Its series, the numbers of bills of its branches, and the numbers by date. Those of which no number was taken yet where `isInUse`,
 * for the financial year `year` (its label) and the dates from `from` to `to`.
 */
export const sequencesOf = (
  { connection, orgId }: Scope,
  { isInUse, year, from, to }: { isInUse: boolean; year: string; from: string; to: string },
): Promise<KnownSequence[]> => connection.run<KnownSequence>(SEQUENCES, [orgId, isInUse, from, to, year])

const SEQUENCES = {
  name: 'sequences of restored books',
  text: `SELECT 'SERIES' AS kind, s.id::text AS sequence, s.branch_id, s.series_name, s.prefix, s.padding::integer, s.format_template AS template,
      greatest(p.start_date, least(p.end_date, $4::date)) AS date
    FROM number_series AS s JOIN accounting_periods AS p ON p.org_id = $1 AND p.id = s.period_id
    WHERE s.org_id = $1 AND (EXISTS (SELECT FROM number_counters AS c WHERE c.org_id = $1 AND c.sequence = s.id::text)
      OR $2 AND p.start_date <= $4::date AND p.end_date >= $3::date)
    UNION ALL
    SELECT 'BILL', c.sequence, b.id, NULL, b.bill_prefix, NULL, NULL, make_date(greatest(1, left(split_part(c.sequence, ' ', 3), 4)::integer), 6, 30)
    FROM number_counters AS c JOIN branches AS b ON b.org_id = $1 AND b.id::text = split_part(c.sequence, ' ', 2)
    WHERE c.org_id = $1 AND c.sequence LIKE 'bill %'
    UNION ALL
    SELECT 'BILL', 'bill ' || b.id || ' ' || $5, b.id, NULL, b.bill_prefix, NULL, NULL, $4::date FROM branches AS b
    WHERE b.org_id = $1 AND $2 AND NOT EXISTS (SELECT FROM number_counters AS c WHERE c.org_id = $1 AND c.sequence = 'bill ' || b.id || ' ' || $5)
    UNION ALL
    SELECT 'LEGACY', 'invoice ' || b.id || ' ' || day.date, b.id, NULL, b.invoice_prefix, NULL, NULL, day.date
    FROM branches AS b CROSS JOIN (SELECT day::date AS date FROM generate_series($3::date, $4::date, interval '1 day') AS day) AS day
    WHERE b.org_id = $1 AND EXISTS (SELECT FROM number_counters AS c WHERE c.org_id = $1 AND c.sequence LIKE 'invoice ' || b.id || ' %')`,
}

/**
 * The most documents of each kind that the organisation made in a stretch of so many seconds, by the noun of the kind; of the month
 * before `until`.
 */
export async function peaksOf(
  { connection, orgId }: Scope,
  until: Date,
  seconds: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await connection.run<{ noun: string; peak: number }>(PEAKS, [orgId, until, seconds])
  return new Map(rows.map(({ noun, peak }) => [noun, peak]))
}

const peakOf = ({ noun, table }: { noun: string; table: string }) =>
  `SELECT '${noun}' AS noun, coalesce(max(made), 0)::integer AS peak FROM (
     SELECT count(*) AS made FROM ${table} WHERE org_id = $1 AND created_time > $2::timestamptz - interval '30 days'
     GROUP BY floor(extract(epoch FROM created_time) / $3::numeric)) AS stretch`
const PEAKS = {
  name: 'peaks of documents',
  text: DOCUMENT_KINDS.map((kind) => peakOf(DOCUMENTS[kind])).join(' UNION ALL '),
}

/** Numbers to skip of a sequence. */
export interface SkippedSequence extends NumberParts {
  sequence: string
  document: string
  /** Null for the organisation's default branch, where the numbers are of no branch. */
  branch_id: string | null
  series_name: string | null
  skip: number
}

/**
 * Raises the sequences, those of which no number was taken yet only where `isInUse`, and enters the numbers between into the
 * register of gaps with this reason and time; in one transaction. Where that was done before with the same reason and time, it only
 * returns what was entered.
 */
export async function skipNumbers(
  { connection, orgId }: Scope,
  sequences: SkippedSequence[],
  { reason, time, isInUse }: { reason: string; time: Date; isInUse: boolean },
): Promise<{ skipped: { document: string; numbers: number; last: string }[]; isNew: boolean }> {
  const before = await skippedBefore({ connection, orgId }, { reason, time })
  if (before.length > 0) return { skipped: before, isNew: false }
  const raised = await connection.run<Raised>(RAISE, [orgId, JSON.stringify(sequences), isInUse])
  const entered = new Map<string, { document: string; numbers: number; last: string }>()
  for (const { sequence, first, end } of raised) {
    const { before, padding, after, document, branch_id, series_name } = sequences.find(
      (one) => one.sequence === sequence,
    )!
    // A transaction may be long, but no statement.
    for (let from = first; from < end; from += PORTION) {
      const to = from + PORTION < end ? from + PORTION : end
      const values = [
        orgId,
        branch_id,
        document,
        before,
        padding,
        after,
        String(from),
        String(to - 1n),
        series_name,
        reason,
        time,
      ]
      const [row] = await connection.run<{ numbers: number; last: string | null }>(ENTER, values)
      const sum = entered.get(document)?.numbers ?? 0
      if (row?.last) entered.set(document, { document, numbers: sum + row.numbers, last: row.last })
    }
  }
  return { skipped: [...entered.values()], isNew: true }
}

/** What was entered with this reason and time, of each kind of document; none where nothing was. */
const skippedBefore = (
  { connection, orgId }: Scope,
  { reason, time }: { reason: string; time: Date },
): Promise<{ document: string; numbers: number; last: string }[]> =>
  connection.run(ENTERED_BEFORE, [orgId, time, reason])

const ENTERED_BEFORE = {
  name: 'numbers skipped before',
  text: `SELECT document, count(*)::integer AS numbers, (array_agg(number ORDER BY length(number) DESC, number DESC))[1] AS last
    FROM number_gaps WHERE org_id = $1 AND time = $2 AND reason = $3 GROUP BY document ORDER BY document`,
}

/** Gaps that one statement enters. */
const PORTION = 10_000n

/** A sequence that was raised: the first number that is skipped, and the next one that is given out. */
interface Raised {
  sequence: string
  first: bigint
  end: bigint
}

const RAISE = {
  name: 'raise sequences',
  text: `WITH asked AS (SELECT sequence, skip FROM jsonb_to_recordset($2::jsonb) AS a(sequence text, skip integer))
    INSERT INTO number_counters AS c (org_id, sequence, next_number) SELECT $1, a.sequence, 1 + a.skip FROM asked AS a
    WHERE a.skip > 0 AND ($3 OR EXISTS (SELECT FROM number_counters AS k WHERE k.org_id = $1 AND k.sequence = a.sequence)) ORDER BY a.sequence
    ON CONFLICT (org_id, sequence) DO UPDATE SET next_number = c.next_number + excluded.next_number - 1
    RETURNING c.sequence, c.next_number - (SELECT a.skip FROM asked AS a WHERE a.sequence = c.sequence) AS first, c.next_number AS end`,
}
// A number that a caller has chosen for an invoice or bill exists, and is no gap.
const ENTER = {
  name: 'enter skipped numbers',
  text: `WITH skipped AS (
      SELECT coalesce($2::uuid, (SELECT id FROM branches WHERE org_id = $1 AND is_default)) AS branch_id,
        $4::text || lpad(n::text, greatest($5::integer, length(n::text)), '0') || $6::text AS number, n
      FROM generate_series($7::bigint, $8::bigint) AS n
    ), entered AS (
      INSERT INTO number_gaps (org_id, id, branch_id, document, number, series_name, reason, time)
      SELECT $1, gen_random_uuid(), s.branch_id, $3, s.number, $9, $10, $11 FROM skipped AS s
      WHERE $3::text NOT IN ('invoice', 'bill') OR NOT number_in_use($1, $3, s.branch_id, s.number)
      RETURNING number
    )
    SELECT count(*)::integer AS numbers, (SELECT s.number FROM skipped AS s ORDER BY s.n DESC LIMIT 1) AS last FROM entered`,
}

/** The last entry of all activity logs; null without any. */
export async function lastTimeOfBooks(connection: Connection): Promise<Date | null> {
  const [row] = await connection.run<{ last: Date | null }>(LAST_TIME, [])
  return row?.last ?? null
}

const LAST_TIME = {
  name: 'last time of books',
  text: `SELECT max(a.occurred_at) AS last FROM organizations AS o CROSS JOIN LATERAL (
      SELECT occurred_at FROM activity WHERE org_id = o.id ORDER BY occurred_at DESC LIMIT 1) AS a`,
}
