// What credit notes and debit notes are drawn up with: the document they are given against, and lines of a sale or a purchase.
import { sideOfContact, sideOfParent, refuseParent, type CreditSide, type Parent } from '../domain/credit.ts'
import { fault } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import { toAmount } from '../domain/money.ts'
import { refuseWideRoundOff } from '../domain/totals.ts'
import type { PostingAccounts } from '../models/basis.ts'
import { findBill, type BillLineRow } from '../models/bill.ts'
import { contacts } from '../models/contact.ts'
import type { DocumentRow, LineRow } from '../models/document.ts'
import { findRow } from '../models/find.ts'
import { invoices } from '../models/invoice.ts'
import type { Books } from './books.ts'
import type { Changeable, Refusal } from './changeable.ts'
import type { ExistingLines, LineWanted } from './document-lines.ts'
import type { TermsWanted } from './drafting.ts'
import { drawUpPurchase, keyOfLine, type PurchaseHead, type PurchaseLine } from './purchase.ts'
import { termsToldOf, type LineSent } from './redrawing.ts'
import { drawUpSale, type SaleHead } from './sale.ts'

/** A note's line as a caller sends it. */
export interface NoteLineWanted extends LineWanted {
  /** Whether the goods move in or out of the stock. */
  restock?: boolean | null
}

/** What a note's amounts and taxes come from, besides its contact and the document that it is against. */
export interface NoteTerms extends TermsWanted {
  line_items: NoteLineWanted[]
}

export interface CreditNoteTerms extends NoteTerms {
  customer_id: string
  invoice_id?: string | null
  bill_id?: string | null
}

export interface DebitNoteTerms extends NoteTerms {
  vendor_id: string
  bill_id?: string | null
}

/** The names by which callers send the terms of any note. */
export const NOTE_TERMS = [
  'line_items', 'place_of_supply', 'branch_id', 'currency_code', 'exchange_rate', 'round_off', 'tags',
] as const satisfies (keyof NoteTerms)[]

/** What may change of a note in this state: of a draft all, of an issued one no terms. */
export function changeableNote<Term extends string, Remark extends string>(
  status: string, terms: readonly Term[], remarks: readonly Remark[],
): Changeable<Term | Remark> {
  if (status === 'DRAFT') return { fields: [...terms, ...remarks] }
  return { fields: remarks, instead: { fields: terms, advice: 'void the note and draw up a new one' } }
}

/** What the row of every note's line says. */
export type NoteLine = PurchaseLine & { restock: boolean }

export interface DrawnCreditNote {
  head: SaleHead & { type: CreditSide; invoice_id: string | null; bill_id: string | null }
  lines: NoteLine[]
  accounts: PostingAccounts
}

export interface DrawnDebitNote {
  head: PurchaseHead & { bill_id: string | null }
  lines: NoteLine[]
  accounts: PostingAccounts
}

const NOT_ASSESSED = { rcm_cgst: 0n, rcm_sgst: 0n, rcm_igst: 0n, rcm_cess: 0n }

interface NoteOccasion {
  date: string
  existing?: ExistingLines
}

interface CreditNoteOccasion extends NoteOccasion {
  /** Whose credit it was before; the accounts of its lines are of that side. */
  sideBefore?: CreditSide
}

/**
 * Draws up a credit note from what a caller tells: a sale given back, or a purchase. Branch, place of supply and currency
 * are those of its invoice or bill unless told, and so are the accounts of the lines of a bill. Throws as a sale or purchase
 * does, not_found.resource for an invoice or bill that is not the organisation's, as refuseParent and refuseWideRoundOff do.
 */
export async function drawUpCreditNote(books: Books, wanted: CreditNoteTerms, occasion: CreditNoteOccasion): Promise<DrawnCreditNote> {
  const { customer_id } = wanted
  const parents = { invoiceId: wanted.invoice_id ?? null, billId: wanted.bill_id ?? null }
  // A note against both is refused once everything that it names is known to exist (decisions §1, order of checks).
  const sideTold = sideOfParent(parents.invoiceId === null ? parents : { ...parents, billId: null })
  const parent = await parentOf(books, wanted)
  const side = sideTold ?? sideOfContact(await contactTypeOf(books, customer_id))
  const told = inherited((occasion.sideBefore ?? side) === side ? wanted : withoutAccounts(wanted), parent)
  const drawn = side === 'customer'
    ? await drawUpSale(books, { ...told, customer_id }, occasion)
    : await drawUpPurchase(books, { ...told, vendor_id: customer_id }, { ...occasion, ...accountsOf(parent), vendorField: 'customer_id' })
  sideOfParent(parents)
  refuseWideRoundOff(drawn.head.round_off, drawn.head.currency_code)
  const against = { invoice_id: parent?.kind === 'INVOICE' ? parent.id : null, bill_id: parent?.kind === 'BILL' ? parent.id : null }
  if ('customer' in drawn) {
    if (parent) refuseParent(parent, drawn.customer.id)
    const lines = drawn.lines.map((line) => ({ ...line, ...NOT_ASSESSED }))
    return { head: { ...drawn.head, type: 'customer', ...against }, lines: withRestock(lines, wanted), accounts: drawn.basis }
  }
  if (parent) refuseParent(parent, drawn.vendor.id)
  const { vendor_id, vendor_name, ...head } = drawn.head
  return {
    head: { ...head, customer_id: vendor_id, customer_name: vendor_name, type: 'vendor', ...against },
    lines: withRestock(drawn.lines, wanted),
    accounts: drawn.basis,
  }
}

/** Draws up a debit note: a purchase given back. As drawUpCreditNote, against a bill or nothing in particular. */
export async function drawUpDebitNote(books: Books, wanted: DebitNoteTerms, occasion: NoteOccasion): Promise<DrawnDebitNote> {
  const parent = await parentOf(books, { bill_id: wanted.bill_id ?? null })
  const told = { ...inherited(wanted, parent), vendor_id: wanted.vendor_id }
  const { basis, vendor, head, lines } = await drawUpPurchase(books, told, { ...occasion, ...accountsOf(parent) })
  refuseWideRoundOff(head.round_off, head.currency_code)
  if (parent) refuseParent(parent, vendor.id)
  return { head: { ...head, bill_id: parent?.id ?? null }, lines: withRestock(lines, wanted), accounts: basis }
}

/** The lines of a PUT on a note. */
export type NoteLineSent = LineSent & Pick<NoteLineWanted, 'restock'>

/** A note as its terms would be told; `isMoved` where it is now given against another document, whose terms it takes. */
export function noteTermsOf(
  note: DocumentRow & { lines: LineRow[] }, sent: { currency_code?: string | null; line_items?: NoteLineSent[] }, shown: object, isMoved: boolean,
): { terms: NoteTerms; existing: ExistingLines; refusal: Refusal } {
  const { terms: { line_items, tags, ...circumstances }, existing, refusal } = termsToldOf(note, sent, shown)
  const round_off = toAmount(note.round_off, note.currency_code)
  return { terms: { ...(isMoved ? {} : circumstances), tags, round_off, line_items }, existing, refusal }
}

const withoutAccounts = (wanted: CreditNoteTerms): CreditNoteTerms => (
  { ...wanted, line_items: wanted.line_items.map((line) => ({ ...line, account_id: null })) }
)

type ParentRow = Parent & DocumentRow & { lines?: BillLineRow[] }

// It may neither be voided nor paid until the note is written.
async function parentOf(books: Books, { invoice_id = null, bill_id = null }: Pick<CreditNoteTerms, 'invoice_id' | 'bill_id'>): Promise<ParentRow | null> {
  const invoice = invoice_id === null ? null : await existingParent(isId(invoice_id) ? findRow(books, invoices, invoice_id, 'FOR SHARE') : null, 'invoice')
  const bill = bill_id === null ? null : await existingParent(isId(bill_id) ? findBill(books, bill_id, 'FOR SHARE') : null, 'bill')
  if (invoice) return { ...invoice, kind: 'INVOICE', contactId: invoice.customer_id }
  return bill && { ...bill, kind: 'BILL', contactId: bill.vendor_id }
}

async function existingParent<Row>(found: Promise<Row | null> | null, noun: 'invoice' | 'bill'): Promise<Row> {
  const row = await found
  if (!row) throw fault('not_found.resource', { field: `${noun}_id`, message: `There is no such ${noun}.` })
  return row
}

// What goes back to the vendor is taken from where the bill put it; of equal lines the first tells.
function accountsOf(parent: ParentRow | null): { accountsBefore?: Map<string, string> } {
  const lines = parent?.lines?.toReversed().map((line) => [keyOfLine(line), line.account_id] as const)
  return lines ? { accountsBefore: new Map(lines) } : {}
}

// One that does not exist is told of when the note is drawn up.
async function contactTypeOf(books: Books, id: string): Promise<string> {
  return (isId(id) ? await findRow(books, contacts, id) : null)?.contact_type ?? ''
}

function inherited<Terms extends NoteTerms>(told: Terms, parent: DocumentRow | null): Terms {
  if (!parent) return told
  const currency = told.currency_code ?? parent.currency_code
  return {
    ...told,
    branch_id: told.branch_id ?? parent.branch_id,
    place_of_supply: told.place_of_supply ?? parent.place_of_supply,
    currency_code: currency,
    exchange_rate: told.exchange_rate ?? (currency === parent.currency_code ? Number(parent.exchange_rate) : null),
  }
}

function withRestock(lines: PurchaseLine[], { line_items }: NoteTerms): NoteLine[] {
  return lines.map((line, index) => ({ ...line, restock: line_items[index]!.restock ?? false }))
}
