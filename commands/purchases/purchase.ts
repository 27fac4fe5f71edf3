// What every purchase is drawn up with: a vendor, a branch, a place of supply, and lines at the purchase price.
import { refuseWrongParty } from '../../domain/contact-type.ts'
import { decimalText } from '../../domain/decimal.ts'
import { notFound } from '../../domain/faults.ts'
import { toBase } from '../../domain/money.ts'
import { isIntraState, placeOfSupply } from '../../domain/place-of-supply.ts'
import { pricePurchase } from '../../domain/totals.ts'
import type { DocumentContext } from '../../models/document-context.ts'
import type { LineRow, ReverseCharge } from '../../models/document.ts'
import type { Books } from '../books/books.ts'
import { accountIdsOf, fillLines, type ExistingLines, type FilledLine, type LineInput } from '../documents/document-lines.ts'
import { documentContextOf, branchOf, currencyOrAssumed, knownIds, totalsOf, type DocumentTerms, type TermsInput, type Totals } from '../documents/drafting.ts'
import { accountFor, PURCHASE_ACCOUNT } from '../documents/named-accounts.ts'

/** What a caller tells of any purchase. */
export interface PurchaseInput extends TermsInput {
  vendor_id: string
}

/** What the row of every purchase says. */
export interface PurchaseHead extends Totals, DocumentTerms {
  vendor_id: string
  vendor_name: string
}

/** What the row of every purchase's line says. */
export type PurchaseLine = Omit<LineRow, 'org_id' | 'id'> & ReverseCharge

export interface Purchase {
  context: DocumentContext
  branch: NonNullable<DocumentContext['branch']>
  vendor: NonNullable<DocumentContext['contact']>
  head: PurchaseHead
  lines: PurchaseLine[]
}

/** Between whom, when and where a purchase is made. */
export interface PurchaseTerms {
  branch: { id: string; state: string }
  vendor: { id: string; contact_name: string }
  date: string
  place: string
  currency: string
  exchangeRate: string
  tags: string[]
  /** In units of the currency; null when nobody named one. */
  roundOff: string | null
}

export interface PurchaseOptions {
  date: string
  /** The accounts of the lines of a bill that is given back, by what they are of (keyOfLine). */
  accountsBefore?: ReadonlyMap<string, string>
  /** The name by which the caller sent the vendor. */
  vendorField?: string
  existing?: ExistingLines
}

/**
 * Draws up a purchase from what a caller tells, in one reading; its lines are filled from the item master. A line goes to
 * the account that it names, else to that of the bill which it gives back, the item's own, or Purchases (decisions §11).
 * Without a place of supply it is the vendor's, else the branch's state: a vendor of another state charges IGST.
 * Throws not_found.resource for a vendor, branch, item, tax, account or tag that is not the organisation's, and
 * validation.invalid_value for a place of supply, account, rate or amount that cannot be.
 */
export async function drawUpPurchase(books: Books, input: PurchaseInput, options: PurchaseOptions): Promise<Purchase> {
  const { date, accountsBefore, vendorField = 'vendor_id', existing } = options
  const parties = { contactId: input.vendor_id, contactField: vendorField, date, invoiceNumber: null, accountIds: accountIdsOf(input.line_items) }
  const context = await documentContextOf(books, parties, input)
  // What does not exist is told before what may not be (decisions §1).
  const branch = branchOf(context)
  const filled = fillLines(context, input.line_items, {
    rateOf: ({ purchase_rate }) => purchase_rate,
    accountOf: (item, line, path) => (
      accountNamed(context, line, `${path}.account_id`) ?? accountsBefore?.get(keyOfLine(line)) ?? item?.purchase_account_id ?? context.roles.PURCHASES!
    ),
  }, existing)
  const vendor = vendorOf(context, vendorField)
  const place = placeOfSupply(input.place_of_supply ?? vendor.place_of_contact ?? branch.state)
  const { currency, exchangeRate } = currencyOrAssumed(books, input, context)
  const roundOff = input.round_off == null ? null : decimalText(input.round_off)
  const terms = { branch, vendor, date, place, currency, exchangeRate, tags: knownIds(input.tags ?? [], 'tags'), roundOff }
  return { context: context, branch, vendor, ...pricePurchaseOn(books, terms, filled) }
}

/** Prices filled lines on the terms of a purchase. Throws validation.invalid_value for an amount that cannot be. */
export function pricePurchaseOn(
  books: Books, terms: PurchaseTerms, filled: FilledLine[],
): { head: PurchaseHead; lines: PurchaseLine[] } {
  const { branch, vendor, date, place, currency, exchangeRate, tags, roundOff } = terms
  const priced = pricePurchase({ currency, lines: filled, intraState: isIntraState(place, branch.state), roundOff })
  // A draft that could not be posted at its rate is refused now, not when it is approved.
  toBase(priced.total, currency, exchangeRate, books.organization.currency_code)
  return {
    head: {
      branch_id: branch.id,
      vendor_id: vendor.id,
      vendor_name: vendor.contact_name,
      date,
      place_of_supply: place,
      currency_code: currency,
      exchange_rate: exchangeRate,
      ...totalsOf(priced),
      tags,
    },
    lines: filled.map(({ tax: _tax, ...line }, index) => {
      const { taxable, taxAmount: _taxAmount, selfAssessed, ...charged } = priced.lines[index]!
      return {
        ...line, ...charged, line_no: index + 1, item_total: taxable,
        rcm_cgst: selfAssessed.cgst, rcm_sgst: selfAssessed.sgst, rcm_igst: selfAssessed.igst, rcm_cess: selfAssessed.cess,
      }
    }),
  }
}

/** What a line is of: its item, or the name that it goes by. */
export function keyOfLine({ item_id, name }: Pick<LineInput, 'item_id' | 'name'>): string {
  return item_id?.toLowerCase() ?? name ?? ''
}

function accountNamed({ accounts }: DocumentContext, { account_id }: LineInput, field: string): string | null {
  if (account_id == null) return null
  return accountFor(PURCHASE_ACCOUNT, accounts.find(({ id }) => id === account_id.toLowerCase()), field)
}

/** The vendor of a purchase. Throws not_found.resource, or validation.invalid_value for one who is only a customer. */
function vendorOf({ contact }: DocumentContext, field: string): NonNullable<DocumentContext['contact']> {
  if (!contact) throw notFound('contact', field)
  refuseWrongParty(contact.contact_type, 'vendor', field)
  return contact
}
