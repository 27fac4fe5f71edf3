// Finds the organisations that lack the current or the next financial year, and locks the years of one.
import type { Connection } from './connection.ts'
import type { Scope } from './find.ts'
import type { OrganizationFacts } from './token.ts'

/**
 * The next organisations of the zone, suspended ones too, by id, in which no period covers today or none begins after
 * it. `today` is the date in the zone; `after` the id of the last organisation of the page before, null for the first.
 */
export function organizationsWithoutNextYear(
  connection: Connection,
  timeZone: string,
  today: string,
  after: string | null,
): Promise<OrganizationFacts[]> {
  return connection.run<OrganizationFacts>(WITHOUT_NEXT_YEAR, [timeZone, today, after ?? FIRST_ID])
}

/**
 * Locks the financial years: other transactions cannot add or move years until this one ends, and can do everything else.
 * Returns the month in which the years begin.
 */
export async function lockFinancialYears(scope: Scope): Promise<number> {
  const [row] = await scope.connection.run<{ month: number }>(LOCK, [scope.orgId])
  return row!.month
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

const WITHOUT_NEXT_YEAR = {
  name: 'organizations without next year',
  text: `SELECT o.id, o.name, o.status, o.sandbox, o.currency_code, o.fiscal_year_start_month, o.time_zone, o.state_code, o.preferences
    FROM organizations AS o
    WHERE o.time_zone = $1 AND o.id > $3
      AND (NOT EXISTS (SELECT FROM accounting_periods AS p WHERE p.org_id = o.id AND p.start_date > $2::date)
        OR NOT EXISTS (SELECT FROM accounting_periods AS p WHERE p.org_id = o.id AND $2::date BETWEEN p.start_date AND p.end_date))
    ORDER BY o.id LIMIT 100`,
}

// FOR NO KEY UPDATE, so that rows that refer to the organisation can still be written.
const LOCK = {
  name: 'lock financial years',
  text: 'SELECT fiscal_year_start_month AS month FROM organizations WHERE id = $1 FOR NO KEY UPDATE',
}
