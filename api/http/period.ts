// Periods in queries: checks pairs of parameters that limit a period.
import { endOfDate, parseDocumentDate, parseInstant } from '../../domain/dates.ts'
import { fault } from '../../domain/faults.ts'

interface Period {
  from: string
  to: string
  /** Both ends as text that sorts by time; null if it is malformed. */
  start(text: string): string | null
  end(text: string): string | null
}

/** The pairs of parameters that limit a period. */
export const PERIODS: readonly Period[] = [
  { from: 'date_from', to: 'date_to', start: parseDocumentDate, end: parseDocumentDate },
  { from: 'from_date', to: 'to_date', start: parseDocumentDate, end: parseDocumentDate },
  { from: 'since', to: 'until', start: parseInstant, end: endOfDate },
]

/** Throws validation.invalid_value for a period that ends before it begins (decisions §11). The values must be well-formed. */
export function refuseEmptyPeriods(query: Record<string, unknown>): void {
  for (const { from, to, start, end } of PERIODS) {
    if (query[from] === undefined || query[to] === undefined) continue
    const [first, last] = [start(String(query[from])), end(String(query[to]))]
    if (first === null || last === null || first <= last) continue
    throw fault('validation.invalid_value', { field: from, message: `${from} must not be after ${to}.` })
  }
}
