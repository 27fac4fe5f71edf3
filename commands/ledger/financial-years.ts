// Financial years: the current and the next one always exist, each with a default series for every branch.
import { dateInZone } from '../../domain/dates.ts'
import { financialYear, missingYears, yearsAfter, type FinancialYear } from '../../domain/financial-year.ts'
import { fault } from '../../domain/faults.ts'
import { DEFAULT_PADDING, DEFAULT_TEMPLATE } from '../../domain/numbering.ts'
import { findBranches, type BranchRow } from '../../models/branch.ts'
import { lockFinancialYears } from '../../models/financial-years.ts'
import {
  accountingPeriods,
  findPeriods,
  isAnythingNumbered,
  numberSeries,
  type AccountingPeriodRow,
} from '../../models/series.ts'
import type { Books } from '../books/books.ts'
import { today } from '../documents/drafting.ts'

/** Opens the year as an accounting period, with its own `default` series for each branch (decisions §10, Documents). */
export function openFinancialYear(
  books: Books,
  branches: Pick<BranchRow, 'id' | 'invoice_prefix'>[],
  year: FinancialYear,
): AccountingPeriodRow {
  const period = books.insert(accountingPeriods, {
    id: books.newId(),
    name: nameOf(year),
    start_date: year.start,
    end_date: year.end,
    created_time: books.now,
  })
  for (const branch of branches) insertDefaultSeries(books, branch, period.id)
  return period
}

/** Adds the `default` series of a branch in a period. */
export function insertDefaultSeries(
  books: Books,
  { id, invoice_prefix: prefix }: Pick<BranchRow, 'id' | 'invoice_prefix'>,
  periodId: string,
): void {
  books.insert(numberSeries, {
    id: books.newId(),
    branch_id: id,
    period_id: periodId,
    series_name: 'default',
    label: 'Default',
    prefix,
    padding: DEFAULT_PADDING,
    format_template: DEFAULT_TEMPLATE,
    is_default: true,
    created_time: books.now,
  })
}

/**
 * Opens the missing years up to the next one; usually one, on the first night of a new year (decisions §11). Returns how
 * many. lockFinancialYears lets one call at a time do this, so that a second one finds nothing to do.
 */
export async function openMissingYears(books: Books): Promise<number> {
  const startMonth = await lockFinancialYears(books)
  const years = missingYears(await findPeriods(books), today(books), startMonth)
  if (years.length === 0) return 0
  const branches = await findBranches(books, false)
  for (const year of years) {
    const period = openFinancialYear(books, branches, year)
    books.record({
      action: 'ACCOUNTING_PERIOD_CREATED',
      entityType: 'ACCOUNTING_PERIOD',
      entityId: period.id,
      entityRef: period.name,
    })
  }
  return years.length
}

/**
 * Moves all accounting periods, and with them their series, to years that begin in another month (1 to 12). The organisation
 * must be locked. Throws conflict.in_use once any number was taken, since it may contain the year.
 */
export async function moveFinancialYears(books: Books, timeZone: string, from: number, to: number): Promise<void> {
  if (await isAnythingNumbered(books)) {
    const message =
      'Documents have numbers in the current financial years, so fiscal_year_start_month can no longer change.'
    throw fault('conflict.in_use', { field: 'fiscal_year_start_month', message, details: { numbered: true } })
  }
  const day = dateInZone(books.now.toISOString(), timeZone)
  const thisYear = startYear(financialYear(day, from).start)
  for (const period of await findPeriods(books)) {
    const year = yearsAfter(day, to, startYear(period.start_date) - thisYear)
    books.update(accountingPeriods, period, { name: nameOf(year), start_date: year.start, end_date: year.end })
  }
}

const nameOf = ({ label }: FinancialYear) => `FY ${label}`
const startYear = (date: string) => Number(date.slice(0, 4))
