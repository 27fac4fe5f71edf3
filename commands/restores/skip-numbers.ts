// Skips the numbers of an organisation that may have been given out after the backup from which its books were restored.
import { dateInZone, addDays } from '../../domain/dates.ts'
import { DOCUMENT_KINDS, DOCUMENTS } from '../../domain/documents.ts'
import { financialYear } from '../../domain/financial-year.ts'
import { DEFAULT_PADDING, DEFAULT_TEMPLATE, numberParts, VIRTUAL_TEMPLATE } from '../../domain/numbering.ts'
import { numbersToSkip, SKIPPED } from '../../domain/restoration.ts'
import type { Scope } from '../../models/find.ts'
import {
  peaksOf,
  sequencesOf,
  skipNumbers,
  type KnownSequence,
  type RestoredOrganization,
  type SkippedSequence,
} from '../../models/skipped-numbers.ts'

/** The time that is lost: from the last moment that the backup has to the failure. */
export interface LostTime {
  from: Date
  to: Date
}

/** What was skipped of an organisation: how many numbers of each kind of document, and the last of them. */
export type Skipped = { document: string; numbers: number; last: string }[]

const MONTH_MS = 30 * 86_400_000
/** Numbers by date are skipped for dates from so many days before the lost time on. */
const EARLIER_DAYS = 7
/** The shortest time whose numbers are counted. */
const LEAST_SECONDS = 60

/** `skip` numbers of each sequence, or as many as the busiest stretch of the month before suggests; where that was done before, only says which. */
export async function skipLostNumbers(
  scope: Scope,
  organization: RestoredOrganization,
  { lost, skip, begun }: { lost: LostTime; skip: number | null; begun: Date },
): Promise<{ skipped: Skipped; isNew: boolean }> {
  const { fiscal_year_start_month: month, time_zone: zone, last_time: last } = organization
  const to = dateInZone(lost.to.toISOString(), zone)
  const from = addDays(dateInZone(lost.from.toISOString(), zone), -EARLIER_DAYS)
  const isInUse = last !== null && last.getTime() > lost.from.getTime() - MONTH_MS
  const seconds = Math.max(LEAST_SECONDS, Math.ceil((lost.to.getTime() - lost.from.getTime()) / 1_000))
  const [known, peaks] = await Promise.all([
    sequencesOf(scope, { isInUse, year: financialYear(to, month).label, from, to }),
    skip === null && isInUse ? peaksOf(scope, lost.from, seconds) : new Map<string, number>(),
  ])
  const numbers = (noun: string) => skip ?? numbersToSkip(peaks.get(noun) ?? 0)
  const sequences = [
    ...known.map((one) => ofBranch(one, month, numbers)),
    ...DOCUMENT_KINDS.filter((kind) => kind !== 'INVOICE' && kind !== 'BILL').map((kind) => {
      const { noun, prefix } = DOCUMENTS[kind]
      const parts = { before: prefix, padding: 5, after: '' }
      return { sequence: noun, document: noun, branch_id: null, series_name: null, skip: numbers(noun), ...parts }
    }),
  ]
  return skipNumbers(scope, sequences, { reason: SKIPPED, time: begun, isInUse })
}

function ofBranch(one: KnownSequence, month: number, numbers: (noun: string) => number): SkippedSequence {
  const { kind, sequence, branch_id, series_name, prefix, date } = one
  const noun = kind === 'BILL' ? 'bill' : 'invoice'
  const template = one.template ?? (kind === 'BILL' ? DEFAULT_TEMPLATE : VIRTUAL_TEMPLATE)
  // A bill's sequence is named 'bill <branch> 2026-27', after its financial year.
  const dated = kind === 'BILL' ? `${sequence.split(' ')[2]?.slice(0, 4)}-${String(month).padStart(2, '0')}-01` : date
  const parts = numberParts(template, {
    prefix,
    padding: one.padding ?? DEFAULT_PADDING,
    date: dated,
    fiscalYearStartMonth: month,
  })
  return { sequence, document: noun, branch_id, series_name, skip: numbers(noun), ...parts }
}
