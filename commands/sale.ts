// What every sale is drawn up with: a customer, a branch, a place of supply, and lines at the selling price.
import { refuseWrongParty } from '../domain/contact-type.ts'
import { decimalText } from '../domain/decimal.ts'
import { notFound } from '../domain/faults.ts'
import { toBase } from '../domain/money.ts'
import { isIntraState, placeOfSupply } from '../domain/place-of-supply.ts'
import { priceSale } from '../domain/totals.ts'
import type { Basis } from '../models/basis.ts'
import type { LineRow } from '../models/document.ts'
import type { Books } from './books.ts'
import { fillLines, type ExistingLines, type FilledLine } from './document-lines.ts'
import { basisOf, branchOf, currencyOrAssumed, knownIds, totalsOf, type Circumstances, type TermsWanted, type Totals } from './drafting.ts'

/** What a caller tells of any sale. */
export interface SaleWanted extends TermsWanted {
  customer_id: string
}

/** What the row of every sale says. */
export interface SaleHead extends Totals, Circumstances {
  customer_id: string
  customer_name: string
}

/** What the row of every sale's line says. */
export type SaleLine = Omit<LineRow, 'org_id' | 'id'>

export interface Sale {
  basis: Basis
  branch: NonNullable<Basis['branch']>
  customer: NonNullable<Basis['contact']>
  head: SaleHead
  lines: SaleLine[]
}

/** Between whom, when and where a sale is made. */
export interface SaleTerms {
  branch: { id: string; state: string }
  customer: { id: string; contact_name: string }
  date: string
  place: string
  currency: string
  exchangeRate: string
  tags: string[]
  /** In units of the currency; null when nobody named one. */
  roundOff: string | null
  /** Whether the organisation's preference for round totals applies, as it does to invoices alone. */
  rounded: boolean
}

export interface SaleOccasion {
  date: string
  /** A number given by hand, to be looked up among the invoices of the branch. */
  invoiceNumber?: string | null
  rounded?: boolean
  /** The place of supply where none is told, before the customer's own. */
  defaultPlace?: string | null
  existing?: ExistingLines
}

/**
 * Draws up a sale from what a caller tells, in one reading; its lines are filled from the item master.
 * Throws not_found.resource for a customer, branch, item, tax or tag that is not the organisation's, and
 * validation.invalid_value for a place of supply, rate or amount that cannot be.
 */
export async function drawUpSale(books: Books, wanted: SaleWanted, occasion: SaleOccasion): Promise<Sale> {
  const { date, invoiceNumber = null, rounded = false, defaultPlace, existing } = occasion
  const basis = await basisOf(books, { contactId: wanted.customer_id, contactField: 'customer_id', date, invoiceNumber }, wanted)
  // What does not exist is told before what may not be (decisions §1).
  const branch = branchOf(basis)
  const filled = fillLines(basis, wanted.line_items, {
    rateOf: ({ rate }) => rate,
    accountOf: (item) => item?.account_id ?? basis.roles.SALES!,
  }, existing)
  const customer = customerOf(basis)
  const place = placeOfSupply(wanted.place_of_supply ?? defaultPlace ?? customer.place_of_contact ?? branch.state)
  const { currency, exchangeRate } = currencyOrAssumed(books, wanted, basis)
  const roundOff = wanted.round_off == null ? null : decimalText(wanted.round_off)
  const terms = { branch, customer, date, place, currency, exchangeRate, tags: knownIds(wanted.tags ?? [], 'tags'), roundOff, rounded }
  return { basis, branch, customer, ...priceSaleOn(books, terms, filled) }
}

/** Prices filled lines on the terms of a sale. Throws validation.invalid_value for an amount that cannot be. */
export function priceSaleOn(books: Books, terms: SaleTerms, filled: FilledLine[]): { head: SaleHead; lines: SaleLine[] } {
  const { branch, customer, date, place, currency, exchangeRate, tags, roundOff, rounded } = terms
  const { currency_code: base, preferences } = books.organization
  const priced = priceSale({
    currency,
    lines: filled,
    intraState: isIntraState(place, branch.state),
    roundOff,
    rounding: { on: rounded && preferences.roundInvoiceTotals, method: preferences.roundingMethod },
  })
  // A draft that could not be posted at its rate is refused now, not when it is approved.
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
function customerOf({ contact }: Basis): NonNullable<Basis['contact']> {
  if (!contact) throw notFound('contact', 'customer_id')
  refuseWrongParty(contact.contact_type, 'customer', 'customer_id')
  return contact
}
