// Accounting periods, the number series within them, and the numbers that deleted drafts left behind.
import { Op } from 'sequelize'
import type { NumberParts } from '../domain/numbering.ts'
import { branches, findDefaultBranch, type BranchRow } from './branch.ts'
import { finder, findRow, type Scope } from './find.ts'
import { BOOLEAN, DATE, INTEGER, TEXT, TIME, UUID, columnsOf, orNull, model, type RowOf } from './model.ts'

export const accountingPeriods = model('accounting_periods', {
  org_id: UUID,
  id: UUID,
  name: TEXT,
  start_date: DATE,
  end_date: DATE,
  created_time: TIME,
})
export type AccountingPeriodRow = RowOf<typeof accountingPeriods>

export const numberSeries = model('number_series', {
  org_id: UUID,
  id: UUID,
  branch_id: UUID,
  period_id: UUID,
  series_name: TEXT,
  label: orNull(TEXT),
  prefix: TEXT,
  padding: INTEGER,
  format_template: TEXT,
  is_default: BOOLEAN,
  created_time: TIME,
})
export type NumberSeriesRow = RowOf<typeof numberSeries>

export const numberGaps = model('number_gaps', {
  org_id: UUID,
  id: UUID,
  branch_id: UUID,
  document: TEXT,
  number: TEXT,
  series_name: orNull(TEXT),
  reason: TEXT,
  time: TIME,
})
export type NumberGapRow = RowOf<typeof numberGaps>

/** The branch, or the default one; null where the organisation has no such branch. */
export async function findBranch(scope: Scope, branchId: string | null): Promise<BranchOfSeries | null> {
  return branchId === null ? findDefaultBranch(scope) : findRow(scope, branches, branchId)
}

export type BranchOfSeries = Pick<BranchRow, 'id' | 'invoice_prefix'>

/** The accounting period that covers the date, or null. */
export const findPeriod = (scope: Scope, date: string): Promise<AccountingPeriodRow | null> =>
  periodsCovering.first(scope, date)

const periodsCovering = finder<AccountingPeriodRow, [string]>(accountingPeriods, (date) => ({
  where: { start_date: { [Op.lte]: date }, end_date: { [Op.gte]: date } },
  limit: 1,
}))

/** All accounting periods, in their order. */
export const findPeriods = finder(accountingPeriods, () => ({ order: ['start_date'] }))

/** Whether a number that belongs to a financial year was ever taken, from any series or for a bill. */
export async function isAnythingNumbered({ connection, orgId }: Scope): Promise<boolean> {
  const [{ numbered } = { numbered: false }] = await connection.run<{ numbered: boolean }>(NUMBERED, [orgId])
  return numbered
}

const NUMBERED = {
  name: 'anything numbered',
  text: `SELECT EXISTS (SELECT FROM number_counters WHERE org_id = $1
           AND (sequence LIKE 'bill %' OR sequence IN (SELECT id::text FROM number_series WHERE org_id = $1))) AS numbered`,
}

/** The branch's series in the period that covers the date, the default one first. */
export async function findSeries(scope: Scope, branchId: string, date: string): Promise<NumberSeriesRow[]> {
  return scope.connection.run<NumberSeriesRow>(SERIES, [scope.orgId, branchId, date])
}

const SERIES = {
  name: 'series of branch',
  text: `SELECT ${columnsOf(numberSeries, 's')} FROM number_series AS s JOIN accounting_periods AS p ON p.org_id = s.org_id AND p.id = s.period_id
         WHERE s.org_id = $1 AND s.branch_id = $2 AND $3::date BETWEEN p.start_date AND p.end_date
         ORDER BY s.is_default DESC, s.created_time, s.id`,
}

/** The number that the sequence would give next, without taking it. Numbers in use are skipped. */
export async function peekNumber(scope: Scope, counter: string, parts: NumberParts, branchId: string): Promise<string> {
  const [peeked] = await scope.connection.run<{ number: string }>(PEEK, [
    scope.orgId,
    counter,
    parts.before,
    parts.padding,
    parts.after,
    branchId,
  ])
  return peeked!.number
}

const PEEK = {
  name: 'peek number',
  text: `WITH RECURSIVE candidate AS (
           SELECT coalesce((SELECT next_number FROM number_counters WHERE org_id = $1 AND sequence = $2), 1) AS n
           UNION ALL
           SELECT n + 1 FROM candidate
           WHERE number_in_use($1, 'invoice', $6, $3 || lpad(n::text, greatest($4::integer, length(n::text)), '0') || $5)
         )
         SELECT $3::text || lpad(max(n)::text, greatest($4::integer, length(max(n)::text)), '0') || $5::text AS number FROM candidate`,
}
