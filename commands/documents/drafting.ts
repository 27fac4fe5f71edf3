// What every document is drawn up with: its basis, its dates, its currency, its totals.
import { dateInZone, parseDocumentDate } from '../../domain/dates.ts'
import { decimalText, Exact } from '../../domain/decimal.ts'
import { notFound } from '../../domain/faults.ts'
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
 * The date of a document as it is told, else today. Every date that a caller gives a document, its change or its void comes
 * through here, and every entry through Books.post: what holds of dates in general is refused in these two places.
 */
export function documentDateOf(books: Books, input: string | null | undefined): string {
  return input == null ? today(books) : parseDocumentDate(input)!
}

/** The ids in the form that they are kept in. Throws not_found.resource for text that can be no id. */
export function knownIds(ids: string[], field: string): string[] {
  if (!ids.every(isId)) throw notFound('record', field)
  return [...new Set(ids.map((id) => id.toLowerCase()))]
}

/** What a caller tells of any document, besides whom it is with and when. */
export interface TermsInput {
  line_items: LineInput[]
  place_of_supply?: string | null
  branch_id?: string | null
  currency_code?: string | null
  exchange_rate?: number | null
  round_off?: number | null
  tags?: string[] | null
}

/** A document's contact, by the name of the field that names it, and what its number is looked up by. */
export interface Parties {
  contactId: string
  contactField: string
  date: string
  /** A number given by hand, to be looked up among the invoices of the branch. */
  invoiceNumber: string | null
  /** The accounts that lines of a purchase name. */
  accountIds?: string[]
}

/**
 * Reads what a document is drawn up from, in one round trip. Throws not_found.resource for ids that can be none, and
 * for tags that are not the organisation's.
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

export function branchOf({ branch }: DocumentContext): NonNullable<DocumentContext['branch']> {
  if (!branch) throw notFound('branch', 'branch_id')
  return branch
}

// As many as the books keep of an exchange rate.
const RATE_DECIMALS = 10

type CurrencyInput = Pick<TermsInput, 'currency_code' | 'exchange_rate'>

/** The rate to look for among the organisation's: that of a foreign currency that comes without one. */
export function rateToFind(books: Books, input: CurrencyInput): RatePair | null {
  const base = books.organization.currency_code
  const currency = input.currency_code ?? base
  return currency === base || input.exchange_rate != null ? null : { from: currency, to: base }
}

/**
 * Currency and rate of a document, the books' own at 1 where nothing is told. A foreign currency without a rate takes the
 * organisation's latest, or 1 with a warning (decisions §11). Throws validation.invalid_value for what cannot be.
 */
export function currencyOrAssumed(books: Books, input: CurrencyInput, { latest_rate }: { latest_rate: string | null }) {
  const money = currencyOf(books, input, latest_rate)
  const pair = rateToFind(books, input)
  if (pair && latest_rate === null) {
    const message = `No exchange rate was sent, and none from ${pair.from} to ${pair.to} is stored for the date; the rate 1 was used.`
    books.warn({ code: 'validation.exchange_rate_assumed', message, details: { from_currency: pair.from, to_currency: pair.to, exchange_rate: 1 } })
  }
  return money
}

/** Currency and rate: the rate that is told, else the latest, else 1. Throws validation.invalid_value for what cannot be. */
export function currencyOf(books: Books, input: CurrencyInput, latestRate: string | null): { currency: string; exchangeRate: string } {
  const base = books.organization.currency_code
  const currency = input.currency_code ?? base
  minorDigits(currency)
  // Rounded before it is used, so that what is answered, posted and kept is one rate.
  const exchangeRate = decimalText(new Exact(input.exchange_rate ?? latestRate ?? 1).toDecimalPlaces(RATE_DECIMALS))
  refuseExchangeRate(currency, exchangeRate, base)
  return { currency, exchangeRate }
}

/** When, where and in what money: what a document's row says of its circumstances. */
export type DocumentTerms = Pick<DocumentRow, 'branch_id' | 'date' | 'place_of_supply' | 'currency_code' | 'exchange_rate' | 'tags'>

/** The amounts at the foot of a document, as its row has them. */
export type Totals = Pick<DocumentRow, 'sub_total' | 'cgst' | 'sgst' | 'igst' | 'cess' | 'tax_total' | 'round_off' | 'total'>

export function totalsOf({ subTotal, cgst, sgst, igst, cess, taxTotal, roundOff, total }: Priced): Totals {
  return { sub_total: subTotal, cgst, sgst, igst, cess, tax_total: taxTotal, round_off: roundOff, total }
}
