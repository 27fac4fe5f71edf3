// What drafting shares for every kind of document: its context, dates, currency, exchange rate and totals.
import { dateInZone, parseDocumentDate } from '../../domain/dates.ts'
import { decimalText, Exact } from '../../domain/decimal.ts'
import { fault, notFound } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import { minorDigits, refuseExchangeRate } from '../../domain/money.ts'
import type { Priced } from '../../domain/totals.ts'
import { readDocumentContext, type DocumentContext } from '../../models/document-context.ts'
import type { RatePair } from '../../models/currency.ts'
import type { DocumentRow } from '../../models/document.ts'
import type { Books } from '../books/books.ts'
import { idsOf, type LineInput } from './document-lines.ts'

/** Today in the organisation's zone. */
export function today(books: Books): string {
  return dateInZone(books.now.toISOString(), books.organization.time_zone)
}

/**
 * The date of a document: the one that is sent, else today. Every date that a caller gives a document, a change or a void
 * passes through here, and every journal through Books.post, so rules about dates belong into these two functions.
 */
export function documentDateOf(books: Books, input: string | null | undefined): string {
  return input == null ? today(books) : parseDocumentDate(input)!
}

/** The ids in lower case, each once. Throws not_found.resource, with the field, for text that is not a UUID. */
export function knownIds(ids: string[], field: string): string[] {
  if (!ids.every(isId)) throw notFound('record', field)
  return [...new Set(ids.map((id) => id.toLowerCase()))]
}

/** The input of any document, besides its contact and its dates. */
export interface TermsInput {
  line_items: LineInput[]
  place_of_supply?: string | null
  branch_id?: string | null
  currency_code?: string | null
  exchange_rate?: number | null
  round_off?: number | null
  tags?: string[] | null
}

/** The contact of a document with the name of its field, and what else its context is read by. */
export interface Parties {
  contactId: string
  contactField: string
  date: string
  /** A number that the caller sent, to be checked against the invoices of the branch. */
  invoiceNumber: string | null
  /** The accounts that lines of a purchase name. */
  accountIds?: string[]
}

/**
 * Reads the context of a document in one round trip. Throws not_found.resource for text that is not a UUID, and for tags
 * that are not the organisation's.
 */
export async function documentContextOf(
  books: Books,
  { contactId, contactField, date, invoiceNumber, accountIds = [] }: Parties,
  input: Omit<TermsInput, 'place_of_supply' | 'round_off'>,
): Promise<DocumentContext> {
  const tags = knownIds(input.tags ?? [], 'tags')
  const context = await readDocumentContext(books, {
    contactId: knownIds([contactId], contactField)[0]!,
    branchId: input.branch_id == null ? null : knownIds([input.branch_id], 'branch_id')[0]!,
    ...idsOf(input.line_items),
    accountIds,
    tags,
    rate: rateToFind(books, input),
    date,
    invoiceNumber,
  })
  refuseUnknownTags(tags, context)
  return context
}

/** Throws not_found.resource where one of the tags is no cost center of the organisation's. */
export function refuseUnknownTags(tags: string[], { tags_found }: { tags_found: number }): void {
  if (tags_found !== tags.length) throw notFound('cost center', 'tags')
}

/** Throws validation.invalid_value where a new document names a cost center that is closed; older ones keep it. */
export function refuseClosedTags({ tags_closed }: { tags_closed: number }): void {
  if (tags_closed > 0)
    throw fault('validation.invalid_value', { field: 'tags', message: 'A cost center of the tags is closed.' })
}

/** The same of the branch too. */
export function refuseClosed(context: Pick<DocumentContext, 'branch' | 'tags_closed'>): void {
  if (context.branch && !context.branch.is_active)
    throw fault('validation.invalid_value', { field: 'branch_id', message: 'This branch is closed.' })
  refuseClosedTags(context)
}

export function branchOf({ branch }: DocumentContext): NonNullable<DocumentContext['branch']> {
  if (!branch) throw notFound('branch', 'branch_id')
  return branch
}

// The decimals that are stored of an exchange rate.
const RATE_DECIMALS = 10

type CurrencyInput = Pick<TermsInput, 'currency_code' | 'exchange_rate'>

/** The pair to look up an exchange rate for: null unless the currency is foreign and no rate is sent. */
export function rateToFind(books: Books, input: CurrencyInput): RatePair | null {
  const base = books.organization.currency_code
  const currency = input.currency_code ?? base
  return currency === base || input.exchange_rate != null ? null : { from: currency, to: base }
}

/**
 * The currency of a document, by default the organisation's, and its exchange rate. A foreign currency without a rate takes
 * the organisation's latest rate, or 1 with a warning (decisions §11). Throws as currencyOf does.
 */
export function currencyOrAssumed(books: Books, input: CurrencyInput, { latest_rate }: { latest_rate: string | null }) {
  const money = currencyOf(books, input, latest_rate)
  const pair = rateToFind(books, input)
  if (pair && latest_rate === null) {
    const message = `No exchange rate was sent, and none from ${pair.from} to ${pair.to} is stored for the date; the rate 1 was used.`
    books.warn({
      code: 'validation.exchange_rate_assumed',
      message,
      details: { from_currency: pair.from, to_currency: pair.to, exchange_rate: 1 },
    })
  }
  return money
}

/**
 * Currency and exchange rate: the sent rate, else the latest, else 1. Throws validation.invalid_value for an unknown currency,
 * a rate that is not above 0, or another rate than 1 for the organisation's currency.
 */
export function currencyOf(
  books: Books,
  input: CurrencyInput,
  latestRate: string | null,
): { currency: string; exchangeRate: string } {
  const base = books.organization.currency_code
  const currency = input.currency_code ?? base
  minorDigits(currency)
  // Rounded before it is used, so that the response, the posting and the row have the same rate.
  const exchangeRate = decimalText(new Exact(input.exchange_rate ?? latestRate ?? 1).toDecimalPlaces(RATE_DECIMALS))
  refuseExchangeRate(currency, exchangeRate, base)
  return { currency, exchangeRate }
}

/** Branch, date, place of supply, currency, exchange rate and tags, as the row of a document has them. */
export type DocumentTerms = Pick<
  DocumentRow,
  'branch_id' | 'date' | 'place_of_supply' | 'currency_code' | 'exchange_rate' | 'tags'
>

/** The totals of a document, as its row has them. */
export type Totals = Pick<
  DocumentRow,
  'sub_total' | 'cgst' | 'sgst' | 'igst' | 'cess' | 'tax_total' | 'round_off' | 'total'
>

export function totalsOf({ subTotal, cgst, sgst, igst, cess, taxTotal, roundOff, total }: Priced): Totals {
  return { sub_total: subTotal, cgst, sgst, igst, cess, tax_total: taxTotal, round_off: roundOff, total }
}
