// Checks that every number of a series is on an invoice or a bill, or in the register of gaps.
import { DOCUMENTS } from '../../domain/documents.ts'
import type { SettledKind } from '../../domain/lifecycle.ts'
import { DEFAULT_PADDING, DEFAULT_TEMPLATE, numberParts, VIRTUAL_TEMPLATE } from '../../domain/numbering.ts'
import type { Connection } from '../../models/connection.ts'

/** A series of invoices, or the numbers of bills of a branch in a financial year. */
interface Series {
  org_id: string
  branch_id: string
  series_name: string
  prefix: string
  padding: number
  format_template: string
  /** Any date of the series. */
  date: string
  fiscal_year_start_month: number
  given: string
}

/** A sentence for every number that is neither on a document nor registered as a gap. */
export async function missingNumbers(connection: Connection): Promise<string[]> {
  const [named, legacy] = [
    await connection.run<Series>(SERIES, []),
    await connection.run<Series>(LEGACY, [VIRTUAL_TEMPLATE, DEFAULT_PADDING]),
  ]
  // A named series with the date in its numbers is left out: its counter does not say on which dates numbers were taken.
  const known = [...named.filter(({ format_template }) => !format_template.includes('{YYYYMMDD}')), ...legacy]
  const bills = await connection.run<Series>(BILLS, [DEFAULT_TEMPLATE, DEFAULT_PADDING])
  const ofSeries = (number: string, { series_name, org_id }: Series) =>
    `number ${number} of series ${series_name} of ${org_id}`
  const ofBills = (number: string, { org_id }: Series) => `bill number ${number} of ${org_id}`
  const missing = [
    ...(await missingOf(connection, 'INVOICE', known, ofSeries)),
    ...(await missingOf(connection, 'BILL', bills, ofBills)),
  ]
  return missing.map((number) => `${number} was assigned but does not exist`)
}

async function missingOf(
  connection: Connection,
  kind: SettledKind,
  all: Series[],
  called: (number: string, series: Series) => string,
): Promise<string[]> {
  const found: string[] = []
  for (const series of all) {
    const { org_id, branch_id, prefix, padding, format_template, date } = series
    const { before, after } = numberParts(format_template, {
      prefix,
      padding,
      date,
      fiscalYearStartMonth: series.fiscal_year_start_month,
    })
    const missing = await connection.run<{ number: string }>(missingFrom(kind), [
      org_id,
      branch_id,
      series.given,
      before,
      padding,
      after,
    ])
    found.push(...missing.map(({ number }) => called(number, series)))
  }
  return found
}

const SERIES = {
  name: 'audit series',
  text: `SELECT s.org_id, s.branch_id, s.series_name, s.prefix, s.padding, s.format_template, p.start_date AS date,
           o.fiscal_year_start_month, (c.next_number - 1)::text AS given
         FROM number_series AS s
         JOIN number_counters AS c ON c.org_id = s.org_id AND c.sequence = s.id::text
         JOIN accounting_periods AS p ON p.org_id = s.org_id AND p.id = s.period_id
         JOIN organizations AS o ON o.id = s.org_id`,
}

// Numbers by date, for a day that no period covers or an unknown series: commands/documents/numbering.ts names these sequences.
const LEGACY = {
  name: 'audit legacy numbers',
  text: `SELECT c.org_id, b.id AS branch_id, split_part(c.sequence, ' ', 3) AS series_name, b.invoice_prefix AS prefix,
           $2::integer AS padding, $1::text AS format_template, split_part(c.sequence, ' ', 3) AS date,
           o.fiscal_year_start_month, (c.next_number - 1)::text AS given
         FROM number_counters AS c
         JOIN branches AS b ON b.org_id = c.org_id AND b.id::text = split_part(c.sequence, ' ', 2)
         JOIN organizations AS o ON o.id = c.org_id
         WHERE c.sequence LIKE 'invoice %'`,
}

// The numbers of bills: commands/documents/numbering.ts names their sequences by branch and financial year, 'bill <branch> 2026-27'.
// The financial year 0000-01 begins before the calendar does.
const BILLS = {
  name: 'audit bill sequences',
  text: `SELECT b.org_id, b.id AS branch_id, split_part(c.sequence, ' ', 3) AS series_name, b.bill_prefix AS prefix,
           $2::integer AS padding, $1::text AS format_template,
           CASE left(split_part(c.sequence, ' ', 3), 4) WHEN '0000' THEN date '0001-01-01'
             ELSE make_date(left(split_part(c.sequence, ' ', 3), 4)::integer, o.fiscal_year_start_month, 1) END AS date,
           o.fiscal_year_start_month, (c.next_number - 1)::text AS given
         FROM number_counters AS c
         JOIN branches AS b ON b.org_id = c.org_id AND b.id::text = split_part(c.sequence, ' ', 2)
         JOIN organizations AS o ON o.id = c.org_id
         WHERE c.sequence LIKE 'bill %'`,
}

const missingFrom = (kind: SettledKind) => ({
  name: `audit missing ${DOCUMENTS[kind].noun} numbers`,
  text: `SELECT number FROM (
           SELECT $4::text || lpad(n::text, greatest($5::integer, length(n::text)), '0') || $6::text AS number
           FROM generate_series(1, $3::bigint) AS n) AS given
         WHERE NOT EXISTS (SELECT FROM ${DOCUMENTS[kind].table} AS d WHERE d.org_id = $1 AND d.branch_id = $2 AND d.${DOCUMENTS[kind].number} = given.number)
           AND NOT EXISTS (SELECT FROM number_gaps AS g WHERE g.org_id = $1 AND g.branch_id = $2 AND g.number = given.number)`,
})
