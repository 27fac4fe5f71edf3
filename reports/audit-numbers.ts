// Is every number that a series has given found, on an invoice or in the register of gaps?
import { numberParts } from '../domain/numbering.ts'
import type { Connection } from '../models/database.ts'

interface Series {
  org_id: string
  branch_id: string
  series_name: string
  prefix: string
  padding: number
  format_template: string
  start_date: string
  fiscal_year_start_month: number
  given: string
}

/** Every number that is neither on an invoice nor registered as a gap, in words. */
export async function missingNumbers(connection: Connection): Promise<string[]> {
  const wrong: string[] = []
  for (const series of await connection.run<Series>(SERIES, [])) {
    const { org_id, branch_id, series_name, prefix, padding, format_template, start_date: date } = series
    // Where the date is part of the number, the number alone does not tell which date it was given on.
    if (format_template.includes('{YYYYMMDD}')) continue
    const { before, after } = numberParts(format_template, { prefix, padding, date, fiscalYearStartMonth: series.fiscal_year_start_month })
    const missing = await connection.run<{ number: string }>(MISSING, [org_id, branch_id, series.given, before, padding, after])
    for (const { number } of missing) wrong.push(`number ${number} of series ${series_name} of ${org_id} was given and is not found`)
  }
  return wrong
}

const SERIES = {
  name: 'audit series',
  text: `SELECT s.org_id, s.branch_id, s.series_name, s.prefix, s.padding, s.format_template, p.start_date,
           o.fiscal_year_start_month, (c.next_number - 1)::text AS given
         FROM number_series AS s
         JOIN number_counters AS c ON c.org_id = s.org_id AND c.sequence = s.id::text
         JOIN accounting_periods AS p ON p.org_id = s.org_id AND p.id = s.period_id
         JOIN organizations AS o ON o.id = s.org_id`,
}

const MISSING = {
  name: 'audit missing numbers',
  text: `SELECT number FROM (
           SELECT $4::text || lpad(n::text, greatest($5::integer, length(n::text)), '0') || $6::text AS number
           FROM generate_series(1, $3::bigint) AS n) AS given
         WHERE NOT EXISTS (SELECT FROM invoices AS i WHERE i.org_id = $1 AND i.branch_id = $2 AND i.invoice_number = given.number)
           AND NOT EXISTS (SELECT FROM number_gaps AS g WHERE g.org_id = $1 AND g.branch_id = $2 AND g.number = given.number)`,
}
