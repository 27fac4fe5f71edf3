// Are the bills in order: their lines, their journals, their events, their numbers?
import { DEFAULT_PADDING, DEFAULT_TEMPLATE, numberParts } from '../domain/numbering.ts'
import type { Connection } from '../models/database.ts'

/** Everything about the bills that is wrong, in words. */
export async function billsOutOfOrder(connection: Connection): Promise<string[]> {
  const wrong: string[] = []
  for (const question of [LINES, POSTINGS, EVENTS]) {
    for (const row of await connection.run<{ wrong: string }>(question, [])) wrong.push(row.wrong)
  }
  return [...wrong, ...await missingNumbers(connection)]
}

interface Sequence {
  org_id: string
  branch_id: string
  prefix: string
  /** The first year of the financial year that the numbers are of. */
  year: string
  fiscal_year_start_month: number
  given: string
}

async function missingNumbers(connection: Connection): Promise<string[]> {
  const wrong: string[] = []
  for (const { org_id, branch_id, prefix, year, fiscal_year_start_month: fiscalYearStartMonth, given } of await connection.run<Sequence>(SEQUENCES, [])) {
    const date = `${year}-${String(fiscalYearStartMonth).padStart(2, '0')}-01`
    const { before, padding, after } = numberParts(DEFAULT_TEMPLATE, { prefix, padding: DEFAULT_PADDING, date, fiscalYearStartMonth })
    const missing = await connection.run<{ number: string }>(MISSING, [org_id, branch_id, given, before, padding, after])
    for (const { number } of missing) wrong.push(`bill number ${number} of ${org_id} was given and is not found`)
  }
  return wrong
}

const LINES = {
  name: 'audit bill lines',
  text: `SELECT format('bill %s of %s: sub_total %s and tax_total %s, its lines come to %s and %s', b.bill_number, b.org_id,
           b.sub_total, b.tax_total, coalesce(sum(l.item_total), 0), coalesce(sum(l.cgst + l.sgst + l.igst + l.cess), 0)) AS wrong
         FROM bills AS b LEFT JOIN bill_lines AS l ON l.org_id = b.org_id AND l.bill_id = b.id
         GROUP BY b.org_id, b.id, b.bill_number, b.sub_total, b.tax_total, b.cgst, b.sgst, b.igst, b.cess
         HAVING b.sub_total <> coalesce(sum(l.item_total), 0) OR b.cgst <> coalesce(sum(l.cgst), 0) OR b.sgst <> coalesce(sum(l.sgst), 0)
           OR b.igst <> coalesce(sum(l.igst), 0) OR b.cess <> coalesce(sum(l.cess), 0)`,
}

const POSTINGS = {
  name: 'audit bill postings',
  text: `WITH entry AS (
           SELECT j.org_id, j.source_id, count(*) FILTER (WHERE j.reversal_of IS NULL) AS postings,
             count(*) FILTER (WHERE j.reversal_of IS NOT NULL) AS reversals
           FROM journals AS j WHERE j.source = 'BILL' GROUP BY j.org_id, j.source_id
         )
         SELECT format('bill %s of %s is %s with %s postings and %s reversals', coalesce(b.bill_number, e.source_id::text),
           coalesce(b.org_id, e.org_id), coalesce(b.status, 'gone'), coalesce(e.postings, 0), coalesce(e.reversals, 0)) AS wrong
         FROM bills AS b FULL JOIN entry AS e ON e.org_id = b.org_id AND e.source_id = b.id
         WHERE CASE
           WHEN b.id IS NULL THEN true
           WHEN b.status = 'DRAFT' THEN e.postings IS NOT NULL
           WHEN b.status = 'CANCELLED' THEN coalesce(e.postings, 0) <> coalesce(e.reversals, 0) OR e.postings > 1
           WHEN b.total = 0 AND b.sub_total = 0 THEN coalesce(e.postings, 0) > 1 OR coalesce(e.reversals, 0) > 0
           ELSE coalesce(e.postings, 0) <> 1 OR e.reversals <> 0 END`,
}

const EVENTS = {
  name: 'audit events of bills',
  text: `SELECT format('bill %s of %s has no event of its creation', b.bill_number, b.org_id) AS wrong FROM bills AS b
         WHERE NOT EXISTS (SELECT FROM webhook_events AS e
           WHERE e.org_id = b.org_id AND e.entity_id = b.id AND e.event_type = 'BILL_CREATED')`,
}

const SEQUENCES = {
  name: 'audit bill sequences',
  text: `SELECT b.org_id, b.id AS branch_id, b.bill_prefix AS prefix, left(split_part(c.sequence, ' ', 3), 4) AS year,
           o.fiscal_year_start_month, (c.next_number - 1)::text AS given
         FROM number_counters AS c
         JOIN branches AS b ON b.org_id = c.org_id AND b.id::text = split_part(c.sequence, ' ', 2)
         JOIN organizations AS o ON o.id = c.org_id
         WHERE c.sequence LIKE 'bill %'`,
}

const MISSING = {
  name: 'audit missing bill numbers',
  text: `SELECT number FROM (
           SELECT $4::text || lpad(n::text, greatest($5::integer, length(n::text)), '0') || $6::text AS number
           FROM generate_series(1, $3::bigint) AS n) AS given
         WHERE NOT EXISTS (SELECT FROM bills AS b WHERE b.org_id = $1 AND b.branch_id = $2 AND b.bill_number = given.number)
           AND NOT EXISTS (SELECT FROM number_gaps AS g WHERE g.org_id = $1 AND g.branch_id = $2 AND g.number = given.number)`,
}
