// Drafts and prices purchases of every kind: vendor, branch, place of supply, and lines at purchase rates.
import { refuseWrongParty } from '../../domain/contact-type.ts'
import { decimalText } from '../../domain/decimal.ts'
import { notFound } from '../../domain/faults.ts'
import { toBase } from '../../domain/money.ts'
import { accountFor, PURCHASE_ACCOUNT } from '../../domain/named-account.ts'
import { isIntraState, placeOfSupply } from '../../domain/place-of-supply.ts'
import { pricePurchase } from '../../domain/totals.ts'
import type { DocumentContext } from '../../models/document-context.ts'
import type { LineRow, ReverseCharge } from '../../models/document.ts'
import type { Books } from '../books/books.ts'
import {
  accountIdsOf,
  fillLines,
  type ExistingLines,
  type FilledLine,
  type LineInput,
} from '../documents/document-lines.ts'
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

/** The input of any purchase. */
export interface PurchaseInput extends TermsInput {
  vendor_id: string
}

/** The columns that the rows of all purchases share. */
export interface PurchaseHead extends Totals, DocumentTerms {
  vendor_id: string
  vendor_name: string
}

/** The columns of a line of any purchase. */
export type PurchaseLine = Omit<LineRow, 'org_id' | 'id'> & ReverseCharge

export interface Purchase {
  context: DocumentContext
  branch: NonNullable<DocumentContext['branch']>
  vendor: NonNullable<DocumentContext['contact']>
  head: PurchaseHead
  lines: PurchaseLine[]
}

/** The checked terms of a purchase. */
export interface PurchaseTerms {
  branch: { id: string; state: string }
  vendor: { id: string; contact_name: string }
  date: string
  place: string
  currency: string
  exchangeRate: string
  tags: string[]
  /** In units of the currency; null when none is sent. */
  roundOff: string | null
}

export interface PurchaseOptions {
  date: string
  /** For a debit note, or a credit from a vendor: the accounts of the lines of its bill, by keyOfLine. */
  accountsBefore?: ReadonlyMap<string, string>
  /** The field in which the caller sent the vendor. */
  vendorField?: string
  existing?: ExistingLines
}

/**
 * Drafts and prices a purchase: reads its context in one query, and fills its lines from the item master. The account of a
 * line is the one that it names, else that of the bill line that it returns, of its item, or Purchases (decisions §11).
 * The place of supply is the one that is sent, else the vendor's, else the branch's state: a vendor of another state charges IGST.
 * Throws not_found.resource for a vendor, branch, item, tax, account or tag that is not the organisation's, and
 * validation.invalid_value for an invalid place of supply, account, rate or amount.
 */
export async function draftPurchase(books: Books, input: PurchaseInput, options: PurchaseOptions): Promise<Purchase> {
  const { date, accountsBefore, vendorField = 'vendor_id', existing } = options
  const parties = {
    contactId: input.vendor_id,
    contactField: vendorField,
    date,
    invoiceNumber: null,
    accountIds: accountIdsOf(input.line_items),
  }
  const context = await documentContextOf(books, parties, input)
  // Errors for records that do not exist come before errors for values (decisions §1).
  const branch = branchOf(context)
  const filled = fillLines(
    context,
    input.line_items,
    {
      rateOf: ({ purchase_rate }) => purchase_rate,
      accountOf: (item, line, path) =>
        accountNamed(context, line, `${path}.account_id`) ??
        accountsBefore?.get(keyOfLine(line)) ??
        item?.purchase_account_id ??
        context.roles.PURCHASES!,
    },
    existing,
  )
  const vendor = vendorOf(context, vendorField)
  if (!existing) refuseClosed(context)
  const place = placeOfSupply(input.place_of_supply ?? vendor.place_of_contact ?? branch.state)
  const { currency, exchangeRate } = currencyOrAssumed(books, input, context)
  const roundOff = input.round_off == null ? null : decimalText(input.round_off)
  const terms = {
    branch,
    vendor,
    date,
    place,
    currency,
    exchangeRate,
    tags: knownIds(input.tags ?? [], 'tags'),
    roundOff,
  }
  return { context, branch, vendor, ...pricePurchaseOn(books, terms, filled) }
}

/** Prices filled lines on the terms of a purchase. Throws validation.invalid_value as pricePurchase and toBase do. */
export function pricePurchaseOn(
  books: Books,
  terms: PurchaseTerms,
  filled: FilledLine[],
): { head: PurchaseHead; lines: PurchaseLine[] } {
  const { branch, vendor, date, place, currency, exchangeRate, tags, roundOff } = terms
  const priced = pricePurchase({ currency, lines: filled, intraState: isIntraState(place, branch.state), roundOff })
  // Refuses now what could not be posted at this exchange rate, instead of when it is approved.
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
        ...line,
        ...charged,
        line_no: index + 1,
        item_total: taxable,
        rcm_cgst: selfAssessed.cgst,
        rcm_sgst: selfAssessed.sgst,
        rcm_igst: selfAssessed.igst,
        rcm_cess: selfAssessed.cess,
      }
    }),
  }
}

/** The key that lines of a bill and of its note are matched by: the item, else the name. */
export function keyOfLine({ item_id, name }: Pick<LineInput, 'item_id' | 'name'>): string {
  return item_id?.toLowerCase() ?? name ?? ''
}

function accountNamed({ accounts }: DocumentContext, { account_id }: LineInput, field: string): string | null {
  if (account_id == null) return null
  return accountFor(
    PURCHASE_ACCOUNT,
    accounts.find(({ id }) => id === account_id.toLowerCase()),
    field,
  )
}

/** The vendor of a purchase. Throws not_found.resource, or validation.invalid_value for one who is only a customer. */
function vendorOf({ contact }: DocumentContext, field: string): NonNullable<DocumentContext['contact']> {
  if (!contact) throw notFound('contact', field)
  refuseWrongParty(contact.contact_type, 'vendor', field)
  return contact
}
