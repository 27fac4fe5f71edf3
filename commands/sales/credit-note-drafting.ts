// Drafts and prices a credit note, as a sale or a purchase that is returned.
import { sideOfContact, sideOfParent, type CreditSide } from '../../domain/credit.ts'
import { isId } from '../../domain/ids.ts'
import { contacts } from '../../models/contact.ts'
import type { PostingAccounts } from '../../models/document-context.ts'
import { findRow } from '../../models/find.ts'
import type { Books } from '../books/books.ts'
import {
  accountsGiven,
  inherited,
  parentOf,
  refuseNote,
  withRestock,
  type NoteLine,
  type NoteOptions,
  type NoteTerms,
} from '../documents/note-drafting.ts'
import { draftPurchase } from '../purchases/purchase.ts'
import { draftSale, type SaleHead } from './sale.ts'

export interface CreditNoteTerms extends NoteTerms {
  customer_id: string
  invoice_id?: string | null
  bill_id?: string | null
}

interface DraftedCreditNote {
  head: SaleHead & { type: CreditSide; invoice_id: string | null; bill_id: string | null }
  lines: NoteLine[]
  accounts: PostingAccounts
}

interface CreditNoteOptions extends NoteOptions {
  /** The side of the draft before the change; the accounts of its lines belong to that side. */
  sideBefore?: CreditSide
}

const NOT_ASSESSED = { rcm_cgst: 0n, rcm_sgst: 0n, rcm_igst: 0n, rcm_cess: 0n }

/**
 * Drafts and prices a credit note: a sale or a purchase that is returned. Branch, place of supply, currency and exchange rate
 * are those of its invoice or bill unless sent, and so are the accounts of the lines of a bill. Throws as draftSale or
 * draftPurchase does, not_found.resource for an invoice or bill that is not the organisation's, and as refuseNote and
 * sideOfParent do.
 */
export async function draftCreditNote(
  books: Books,
  input: CreditNoteTerms,
  options: CreditNoteOptions,
): Promise<DraftedCreditNote> {
  const { customer_id } = input
  const parents = { invoiceId: input.invoice_id ?? null, billId: input.bill_id ?? null }
  // A note against both is refused below, after everything that it names is known to exist (decisions §1, order of checks).
  const sideOfNote = sideOfParent(parents.invoiceId === null ? parents : { ...parents, billId: null })
  const parent = await parentOf(books, input)
  const side = sideOfNote ?? sideOfContact(await contactTypeOf(books, customer_id))
  const terms = inherited((options.sideBefore ?? side) === side ? input : withoutAccounts(input), parent)
  const drafted =
    side === 'customer'
      ? await draftSale(books, { ...terms, customer_id }, options)
      : await draftPurchase(
          books,
          { ...terms, vendor_id: customer_id },
          { ...options, ...accountsGiven(parent), vendorField: 'customer_id' },
        )
  sideOfParent(parents)
  const against = {
    invoice_id: parent?.kind === 'INVOICE' ? parent.id : null,
    bill_id: parent?.kind === 'BILL' ? parent.id : null,
  }
  if ('customer' in drafted) {
    refuseNote(drafted.head, parent, drafted.customer.id)
    const lines = drafted.lines.map((line) => ({ ...line, ...NOT_ASSESSED }))
    return {
      head: { ...drafted.head, type: 'customer', ...against },
      lines: withRestock(lines, input),
      accounts: drafted.context,
    }
  }
  refuseNote(drafted.head, parent, drafted.vendor.id)
  const { vendor_id, vendor_name, ...head } = drafted.head
  return {
    head: { ...head, customer_id: vendor_id, customer_name: vendor_name, type: 'vendor', ...against },
    lines: withRestock(drafted.lines, input),
    accounts: drafted.context,
  }
}

const withoutAccounts = (input: CreditNoteTerms): CreditNoteTerms => ({
  ...input,
  line_items: input.line_items.map((line) => ({ ...line, account_id: null })),
})

// Empty for a contact that does not exist: draftSale refuses it.
async function contactTypeOf(books: Books, id: string): Promise<string> {
  return (isId(id) ? await findRow(books, contacts, id) : null)?.contact_type ?? ''
}
