// What drafting shares for credit notes and debit notes: the document that they are given against, terms and lines.
import { refuseParent, type Parent } from '../../domain/credit.ts'
import { notFound } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import { toAmount } from '../../domain/money.ts'
import { refuseWideRoundOff } from '../../domain/totals.ts'
import { findBill, type BillLineRow } from '../../models/bill.ts'
import type { DocumentRow } from '../../models/document.ts'
import { findRow } from '../../models/find.ts'
import { invoices } from '../../models/invoice.ts'
import type { Books } from '../books/books.ts'
import type { ExistingLines, LineInput } from './document-lines.ts'
import type { TermsInput } from './drafting.ts'
import { keyOfLine, type PurchaseLine } from '../purchases/purchase.ts'
import type { LineChanges } from './draft-input.ts'

/** A note's line as a caller sends it. */
export interface NoteLineInput extends LineInput {
  /** Whether the goods of the line move into, or out of, the stock. */
  restock?: boolean | null
}

/** The lines of a PUT on a note. */
export type NoteLineChanges = LineChanges & Pick<NoteLineInput, 'restock'>

/** The input that the amounts and taxes of a note are computed from, besides its contact and the document that it is against. */
export interface NoteTerms extends TermsInput {
  line_items: NoteLineInput[]
}

/** The fields of the terms of any note: fixed once it is issued. */
export const NOTE_TERMS = [
  'line_items',
  'place_of_supply',
  'branch_id',
  'currency_code',
  'exchange_rate',
  'round_off',
  'tags',
] as const satisfies (keyof NoteTerms)[]

/** The advice of the error for a changed fixed field. */
export const ANOTHER_NOTE = 'void the note and create a new one'

/** The columns of a line of any note. */
export type NoteLine = PurchaseLine & { restock: boolean }

export interface NoteOptions {
  date: string
  existing?: ExistingLines
}

type ParentRow = Parent & DocumentRow & { lines?: BillLineRow[] }

/**
 * The invoice or bill that a note is against, locked FOR SHARE, so that it is neither voided nor paid before the note is
 * written; null for a note that names neither. Throws not_found.resource.
 */
export async function parentOf(
  books: Books,
  { invoice_id = null, bill_id = null }: { invoice_id?: string | null; bill_id?: string | null },
): Promise<ParentRow | null> {
  const invoice =
    invoice_id === null
      ? null
      : await existingParent(isId(invoice_id) ? findRow(books, invoices, invoice_id, 'FOR SHARE') : null, 'invoice')
  const bill =
    bill_id === null ? null : await existingParent(isId(bill_id) ? findBill(books, bill_id, 'FOR SHARE') : null, 'bill')
  if (invoice) return { ...invoice, kind: 'INVOICE', contactId: invoice.customer_id }
  return bill && { ...bill, kind: 'BILL', contactId: bill.vendor_id }
}

async function existingParent<Row>(found: Promise<Row | null> | null, noun: 'invoice' | 'bill'): Promise<Row> {
  const row = await found
  if (!row) throw notFound(noun, `${noun}_id`)
  return row
}

/** The terms of a note: branch, place of supply, currency and exchange rate are those of its invoice or bill unless sent. */
export function inherited<Terms extends NoteTerms>(terms: Terms, parent: DocumentRow | null): Terms {
  if (!parent) return terms
  const currency = terms.currency_code ?? parent.currency_code
  return {
    ...terms,
    branch_id: terms.branch_id ?? parent.branch_id,
    place_of_supply: terms.place_of_supply ?? parent.place_of_supply,
    currency_code: currency,
    exchange_rate: terms.exchange_rate ?? (currency === parent.currency_code ? Number(parent.exchange_rate) : null),
  }
}

/** The accounts that the lines of the bill were debited to, by keyOfLine; of lines with the same key the first one counts. */
export function accountsGiven(parent: ParentRow | null): { accountsBefore?: Map<string, string> } {
  const lines = parent?.lines?.toReversed().map((line) => [keyOfLine(line), line.account_id] as const)
  return lines ? { accountsBefore: new Map(lines) } : {}
}

/** Throws as refuseWideRoundOff does, and for the document that the note is against as refuseParent does. */
export function refuseNote(
  { round_off, currency_code }: Pick<DocumentRow, 'round_off' | 'currency_code'>,
  parent: ParentRow | null,
  contactId: string,
): void {
  refuseWideRoundOff(round_off, currency_code)
  if (parent) refuseParent(parent, contactId)
}

export function withRestock(lines: PurchaseLine[], { line_items }: NoteTerms): NoteLine[] {
  return lines.map((line, index) => ({ ...line, restock: line_items[index]!.restock ?? false }))
}

/** The terms of a changed draft. When it is moved to another invoice or bill, it takes that document's terms instead of its own. */
export function noteTermsOf(
  { round_off, currency_code }: Pick<DocumentRow, 'round_off' | 'currency_code'>,
  { tags, line_items, ...documentTerms }: NoteTerms,
  isMoved: boolean,
): NoteTerms {
  return {
    ...(isMoved ? {} : documentTerms),
    tags: tags ?? null,
    round_off: toAmount(round_off, currency_code),
    line_items,
  }
}
