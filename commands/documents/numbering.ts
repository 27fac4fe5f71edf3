// Chooses the number of a document: the caller's own, or the next of a sequence (specification, "Invoice numbering precedence").
import { DOCUMENTS, type DocumentKind } from '../../domain/documents.ts'
import { fault } from '../../domain/faults.ts'
import { financialYear } from '../../domain/financial-year.ts'
import {
  DEFAULT_PADDING,
  DEFAULT_TEMPLATE,
  numberParts,
  VIRTUAL_TEMPLATE,
  type NumberParts,
} from '../../domain/numbering.ts'
import type { DocumentContext } from '../../models/document-context.ts'
import type { Books } from '../books/books.ts'

type SeriesChoice = DocumentContext['series'][number]

/** A sequence, and how its numbers are written. */
export interface Sequence {
  /** Null for the virtual series, which is used where no accounting period or series is found. */
  seriesName: string | null
  counter: string
  parts: NumberParts
}

export interface NumberRequest {
  invoice_number?: string | null
  series_name?: string | null
}

/**
 * The number of a new invoice, or a placeholder for it, and the name of its series.
 * Throws validation.invalid_value (field invoice_number) where another invoice of the branch has the number.
 */
export function numberInvoice(
  books: Books,
  context: DocumentContext,
  date: string,
  input: NumberRequest,
): { number: string; seriesName: string | null } {
  const branch = context.branch!
  if (input.invoice_number != null) {
    if (context.number_taken) {
      throw fault('validation.invalid_value', {
        field: 'invoice_number',
        message: 'Another invoice of this branch has this number.',
      })
    }
    return { number: input.invoice_number, seriesName: null }
  }
  const { seriesName, counter, parts } = sequenceOf(
    context.series,
    branch,
    date,
    input.series_name ?? null,
    books.organization,
  )
  return { number: books.number(counter, parts, 'invoice', branch.id), seriesName }
}

/** The sequence of the named series, without a name of the default series; where neither exists, the virtual series of the date. */
export function sequenceOf(
  series: SeriesChoice[],
  branch: { id: string; invoice_prefix: string },
  date: string,
  name: string | null,
  { fiscal_year_start_month: fiscalYearStartMonth }: { fiscal_year_start_month: number },
): Sequence {
  const chosen = series.find((one) => (name === null ? one.is_default : one.series_name === name))
  if (chosen) {
    const { prefix, padding, format_template } = chosen
    return {
      seriesName: chosen.series_name,
      counter: chosen.id,
      parts: numberParts(format_template, { prefix, padding, date, fiscalYearStartMonth }),
    }
  }
  const context = { prefix: branch.invoice_prefix, padding: DEFAULT_PADDING, date, fiscalYearStartMonth }
  return { seriesName: null, counter: `invoice ${branch.id} ${date}`, parts: numberParts(VIRTUAL_TEMPLATE, context) }
}

/**
 * The number of a new bill: the vendor's own where it is sent, else a placeholder for the next number of the branch in the
 * financial year, and its sequence. A vendor's own number need not be unique (decisions §4).
 */
export function numberBill(
  books: Books,
  branch: { id: string; bill_prefix: string },
  date: string,
  own: string | null,
): { number: string; sequence: string | null } {
  if (own !== null) return { number: own, sequence: null }
  const { fiscal_year_start_month: fiscalYearStartMonth } = books.organization
  const sequence = `bill ${branch.id} ${financialYear(date, fiscalYearStartMonth).label}`
  const parts = numberParts(DEFAULT_TEMPLATE, {
    prefix: branch.bill_prefix,
    padding: DEFAULT_PADDING,
    date,
    fiscalYearStartMonth,
  })
  return { number: books.number(sequence, parts, 'bill', branch.id), sequence }
}

/** Invoices have series, bills a sequence for each branch and year; every other kind has one sequence, which never restarts (decisions §4). */
type OfOneSequence = Exclude<DocumentKind, 'INVOICE' | 'BILL'>

/** A placeholder for the next number of the organisation's documents of a kind. */
export function numberDocument(books: Books, kind: OfOneSequence): string {
  const { noun, prefix } = DOCUMENTS[kind]
  return books.number(noun, { before: prefix, padding: 5, after: '' }, noun)
}
