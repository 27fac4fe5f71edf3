// Financial years: the twelve months that an organisation closes its books on.
import { addDays } from './dates.ts'

// The last year of the calendar; the financial year that begins in it ends with it.
const LAST_YEAR = 9999

export interface FinancialYear {
  /** First and last day. */
  start: string
  end: string
  /** '2026-27', as {fy} of a document number; '2026' where the year begins in January. */
  label: string
  /** '2627', as {yy} of a document number; '26' where the year begins in January. */
  short: string
}

/** The financial year that a date falls in; `startMonth` is 1 to 12, in India 4. Throws an ordinary error for another month. */
export function financialYear(date: string, startMonth: number): FinancialYear {
  if (!Number.isInteger(startMonth) || startMonth < 1 || startMonth > 12) {
    throw new Error(`a financial year begins in a month from 1 to 12, not ${startMonth}`)
  }
  const month = Number(date.slice(5, 7))
  const startYear = Number(date.slice(0, 4)) - (month < startMonth ? 1 : 0)
  const end = startYear === LAST_YEAR ? `${LAST_YEAR}-12-31` : addDays(firstDay(startYear + 1, startMonth), -1)
  const first = fourDigits(startYear)
  const twoDigits = fourDigits(startYear + 1).slice(-2)
  return startMonth === 1
    ? { start: firstDay(startYear, 1), end, label: first, short: first.slice(2) }
    : { start: firstDay(startYear, startMonth), end, label: `${first}-${twoDigits}`, short: first.slice(2) + twoDigits }
}

/** The financial year after the one that a date falls in. */
export function nextFinancialYear(date: string, startMonth: number): FinancialYear {
  return financialYear(addDays(financialYear(date, startMonth).end, 1), startMonth)
}

/**
 * The financial years without an overlapping period, in order, from the year of the first period to the one after
 * today's. Without any period: the current year and the next.
 */
export function missingYears(
  periods: { start_date: string; end_date: string }[],
  today: string,
  startMonth: number,
): FinancialYear[] {
  const first = periods.reduce((earliest, { start_date: start }) => (start < earliest ? start : earliest), today)
  const last = nextFinancialYear(today, startMonth)
  const missing: FinancialYear[] = []
  for (let year = financialYear(first, startMonth); ; year = nextFinancialYear(year.start, startMonth)) {
    if (!periods.some((period) => period.start_date <= year.end && period.end_date >= year.start)) missing.push(year)
    if (year.start >= last.start) return missing
  }
}

/** The financial year `years` later (earlier when negative) than the one that a date falls in. */
export function yearsAfter(date: string, startMonth: number, years: number): FinancialYear {
  const { start } = financialYear(date, startMonth)
  return financialYear(fourDigits(Number(start.slice(0, 4)) + years) + start.slice(4), startMonth)
}

function firstDay(year: number, month: number): string {
  return `${fourDigits(year)}-${String(month).padStart(2, '0')}-01`
}

function fourDigits(year: number): string {
  return String(year).padStart(4, '0')
}
