// Drafts and prices sales of every kind: customer, branch, place of supply, and lines at selling rates.
import { refuseWrongParty } from '../../domain/contact-type.ts'
import { decimalText } from '../../domain/decimal.ts'
import { notFound } from '../../domain/faults.ts'
import { toBase } from '../../domain/money.ts'
import { isInEconomicZone } from '../../domain/e-invoice/supply.ts'
import { isIntraState, placeOfSupply } from '../../domain/place-of-supply.ts'
import { priceSale } from '../../domain/totals.ts'
import type { DocumentContext } from '../../models/document-context.ts'
import type { LineRow } from '../../models/document.ts'
import type { Books } from '../books/books.ts'
import { fillLines, type ExistingLines, type FilledLine } from '../documents/document-lines.ts'
import {
  documentContextOf,
  branchOf,
  refuseClosed,
  currencyOrAssumed,
  knownIds,
  totalsOf,
  type DocumentTerms,
  type TermsInput,
  type Totals,
} from '../documents/drafting.ts'

/** The input of any sale. */
export interface SaleInput extends TermsInput {
  customer_id: string
}

/** The columns that the rows of all sales share. */
export interface SaleHead extends Totals, DocumentTerms {
  customer_id: string
  customer_name: string
}

/** The columns of a line of any sale. */
export type SaleLine = Omit<LineRow, 'org_id' | 'id'>

export interface Sale {
  context: DocumentContext
  branch: NonNullable<DocumentContext['branch']>
  customer: NonNullable<DocumentContext['contact']>
  head: SaleHead
  lines: SaleLine[]
}

/** The checked terms of a sale. */
export interface SaleTerms {
  branch: { id: string; state: string }
  customer: { id: string; contact_name: string }
  date: string
  place: string
  currency: string
  exchangeRate: string
  tags: string[]
  /** In units of the currency; null when none is sent. */
  roundOff: string | null
  /** Whether the organisation's preference for rounded totals applies: to invoices only. */
  rounded: boolean
}

export interface SaleOptions {
  date: string
  /** A number that the caller sent, to be checked against the invoices of the branch. */
  invoiceNumber?: string | null
  rounded?: boolean
  existing?: ExistingLines
}

/**
 * Drafts and prices a sale: reads its context in one query, and fills its lines from the item master. The place of supply is
 * the one that is sent, else the customer's, else the branch's state.
 * Throws not_found.resource for a customer, branch, item, tax or tag that is not the organisation's, and
 * validation.invalid_value for an invalid place of supply, rate or amount.
 */
export async function draftSale(books: Books, input: SaleInput, options: SaleOptions): Promise<Sale> {
  const { date, invoiceNumber = null, rounded = false, existing } = options
  const context = await documentContextOf(
    books,
    { contactId: input.customer_id, contactField: 'customer_id', date, invoiceNumber },
    input,
  )
  // Errors for records that do not exist come before errors for values (decisions §1).
  const branch = branchOf(context)
  const filled = fillLines(
    context,
    input.line_items,
    {
      rateOf: ({ rate }) => rate,
      accountOf: (item) => item?.account_id ?? context.roles.SALES!,
    },
    existing,
  )
  const customer = customerOf(context)
  if (!existing) refuseClosed(context)
  const place = placeOfSupply(input.place_of_supply ?? customer.place_of_contact ?? branch.state)
  const { currency, exchangeRate } = currencyOrAssumed(books, input, context)
  const roundOff = input.round_off == null ? null : decimalText(input.round_off)
  const terms = {
    branch,
    customer,
    date,
    place,
    currency,
    exchangeRate,
    tags: knownIds(input.tags ?? [], 'tags'),
    roundOff,
    rounded,
  }
  const priced = priceSaleOn(books, terms, filled)
  warnOfIntraStateTax(books, customer, priced.head, branch.state)
  return { context, branch, customer, ...priced }
}

// The tax follows from the place of supply alone (specification, "Place of supply"), which a zone in the branch's own state misses.
function warnOfIntraStateTax(
  books: Books,
  { gst_treatment }: { gst_treatment: string | null },
  { place_of_supply: place, tax_total }: SaleHead,
  branchState: string,
): void {
  if (tax_total === 0n || !isIntraState(place, branchState) || !isInEconomicZone(gst_treatment)) return
  books.warn({
    code: 'validation.intra_state_tax',
    message:
      'The customer is in a special economic zone, and supplies to it are between States (IGST Act, section 7(5)(b)): IGST is due, and CGST and SGST were charged.',
    details: { gst_treatment, place_of_supply: place },
  })
}

/** Prices filled lines on the terms of a sale. Throws validation.invalid_value as priceSale and toBase do. */
export function priceSaleOn(
  books: Books,
  terms: SaleTerms,
  filled: FilledLine[],
): { head: SaleHead; lines: SaleLine[] } {
  const { branch, customer, date, place, currency, exchangeRate, tags, roundOff, rounded } = terms
  const { currency_code: base, preferences } = books.organization
  const priced = priceSale({
    currency,
    lines: filled,
    intraState: isIntraState(place, branch.state),
    roundOff,
    rounding: { on: rounded && preferences.roundInvoiceTotals, method: preferences.roundingMethod },
  })
  // Refuses now what could not be posted at this exchange rate, instead of when it is approved.
  toBase(priced.total, currency, exchangeRate, base)
  return {
    head: {
      branch_id: branch.id,
      customer_id: customer.id,
      customer_name: customer.contact_name,
      date,
      place_of_supply: place,
      currency_code: currency,
      exchange_rate: exchangeRate,
      ...totalsOf(priced),
      tags,
    },
    lines: filled.map(({ tax: _tax, ...line }, index) => {
      const { taxable, taxAmount: _taxAmount, ...parts } = priced.lines[index]!
      return { ...line, ...parts, line_no: index + 1, item_total: taxable }
    }),
  }
}

/** The customer of a sale. Throws not_found.resource, or validation.invalid_value for one who is only a vendor. */
function customerOf({ contact }: DocumentContext): NonNullable<DocumentContext['contact']> {
  if (!contact) throw notFound('contact', 'customer_id')
  refuseWrongParty(contact.contact_type, 'customer', 'customer_id')
  return contact
}
