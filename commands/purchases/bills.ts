// The commands on bills: create, approve, change, void, delete.
import { dueDateOf } from '../../domain/document-dates.ts'
import { changedFields, type Answered, type Sent } from '../../domain/fixed-fields.ts'
import { nextStatus, openBalance, refuseVoid } from '../../domain/lifecycle.ts'
import { readPostingAccounts } from '../../models/document-context.ts'
import { bills, findBill, type Bill, type BillRow } from '../../models/bill.ts'
import { documentFinder } from '../../models/existing-document.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import {
  announceDocument,
  recordDeletion,
  recordDocument,
  registerGap,
  reverseDocument,
} from '../documents/document-entries.ts'
import { documentDateOf } from '../documents/drafting.ts'
import { numberBill } from '../documents/numbering.ts'
import { lockOrderOfBill, releasePurchaseOrder } from '../orders/order-fulfilment.ts'
import { enterBill, postBill, refuseDuplicate } from './bill-entries.ts'
import { draftPurchase, type PurchaseInput } from './purchase.ts'
import { lockBeforeVoid, releasePayments } from '../payments/settlement.ts'
import { warnOfUnappliedNotes } from '../sales/unapplied-notes.ts'

/** The body of POST /bills. Dates as the wire sends them. */
export interface NewBill extends PurchaseInput {
  date: string
  place_of_supply: string
  /** The vendor's own number. */
  bill_number?: string | null
  due_date?: string | null
  reference_number?: string | null
  notes?: string | null
  auto_approve?: boolean | null
}

export interface BillChanges {
  bill_number?: string
  reference_number?: string | null
  date?: string
  due_date?: string
  notes?: string | null
}

const CHANGEABLE = [
  'bill_number',
  'reference_number',
  'date',
  'due_date',
  'notes',
] as const satisfies (keyof BillChanges)[]

// The fields that the amounts and taxes of a bill are computed from: fixed, also on a draft.
const FIXED = [
  'vendor_id',
  'place_of_supply',
  'line_items',
  'branch_id',
  'currency_code',
  'exchange_rate',
  'round_off',
  'tags',
  'auto_approve',
] as const satisfies (keyof NewBill)[]

/** The bill of this id, with its lines. Throws not_found.resource for one that the organisation does not have. */
export const billOf = documentFinder('BILL', findBill)

/**
 * Creates a bill, and approves it with `auto_approve` (specification, POST /bills).
 * Throws not_found.resource for a vendor, branch, item, tax or tag that is not the organisation's, and
 * validation.invalid_value for an invalid place of supply, date, rate or amount, and for a duplicate as refuseDuplicateBill
 * does.
 */
export async function createBill(books: Books, input: NewBill): Promise<Bill> {
  const date = documentDateOf(books, input.date)
  const { context, branch, vendor, head, lines: drafted } = await draftPurchase(books, input, { date })
  const dueDate = dueDateOf(input.due_date, date, vendor.payment_terms)
  const { number, sequence } = numberBill(books, branch, date, input.bill_number ?? null)
  return enterBill(
    books,
    context,
    {
      ...head,
      bill_number: number,
      number_sequence: sequence,
      due_date: dueDate,
      reference_number: input.reference_number ?? null,
      notes: input.notes ?? null,
      purchase_order_id: null,
    },
    drafted.map((line) => ({ ...line, purchase_order_line_id: null })),
    input.auto_approve ?? false,
  )
}

/**
 * DRAFT to OPEN: posts the journal. Throws conflict.invalid_state for any other status, and as
 * refuseDuplicateBill does.
 */
export async function approveBill(books: Books, id: string): Promise<Bill> {
  const draft = await billOf(books, id, 'FOR UPDATE')
  const status = nextStatus('BILL', 'approve', draft.status)
  await refuseDuplicate(books, draft, draft.reference_number)
  const bill = change(books, draft, { status })
  postBill(books, bill, await readPostingAccounts(books))
  recordDocument(books, 'BILL', bill, 'BILL_APPROVED', changesBetween({ status: draft.status }, { status }))
  announceDocument(books, 'BILL', 'BILL_UPDATED', bill, { changed: ['status'] })
  return bill
}

/** Changes a draft's number, reference, dates or notes (specification, PUT /bills: header fields). Throws as changedFields does. */
export async function changeBill(
  books: Books,
  id: string,
  input: Sent<BillChanges>,
  answered: Answered<Bill>,
): Promise<Bill> {
  const draft = await billOf(books, id, 'FOR UPDATE')
  nextStatus('BILL', 'edit', draft.status)
  const instead = { fields: FIXED, advice: 'delete the draft and create a new one' }
  const changed = changedFields(input, { ...answered(draft), auto_approve: false }, { fields: CHANGEABLE, instead })
  if (changed.size === 0) return draft
  const date = input.date === undefined ? draft.date : documentDateOf(books, input.date)
  const columns: Partial<BillRow> = { date, due_date: dueDateOf(input.due_date ?? draft.due_date, date, 0) }
  if (input.reference_number !== undefined) columns.reference_number = input.reference_number
  if (input.notes !== undefined) columns.notes = input.notes
  if (input.bill_number !== undefined && input.bill_number !== draft.bill_number) {
    columns.bill_number = input.bill_number
    columns.number_sequence = null
    registerOwnNumber(books, draft, "Replaced by the vendor's number")
  }
  const changes = changesBetween(draft, columns)
  if (!changes) return draft
  const bill = change(books, draft, columns)
  delete changes.number_sequence
  recordDocument(books, 'BILL', bill, 'BILL_UPDATED', changes)
  announceDocument(books, 'BILL', 'BILL_UPDATED', bill, { changed: Object.keys(changes) })
  return bill
}

/**
 * Cancels a bill: reverses its journal on `date`, by default today, and makes its payments unapplied (decisions §4). The void
 * of a draft posts nothing. The quantities of its purchase order can be billed again.
 * Throws conflict.bill_paid, conflict.credit_applied or conflict.already_cancelled.
 */
export async function voidBill(
  books: Books,
  id: string,
  input: { reason?: string | null; date?: string | null },
): Promise<Bill> {
  const accounts = await lockBeforeVoid(books, id)
  const order = await lockOrderOfBill(books, id)
  const before = await billOf(books, id, 'FOR UPDATE')
  refuseVoid('BILL', before.status, before.vendor_credits_applied)
  const date = documentDateOf(books, input.date)
  await warnOfUnappliedNotes(books, 'bill', before.id)
  if (before.payment_made > 0n) await releasePayments(books, before.id, date, accounts)
  const bill = change(books, before, { status: 'CANCELLED', payment_made: 0n })
  if (order) releasePurchaseOrder(books, order, bill)
  if (before.status !== 'DRAFT') await reverseDocument(books, 'BILL', bill, { date, why: 'Void' })
  const changes = changesBetween({ status: before.status }, { status: bill.status })
  recordDocument(books, 'BILL', bill, 'BILL_VOIDED', changes, { reason: input.reason ?? null })
  announceDocument(books, 'BILL', 'BILL_VOIDED', bill)
  return bill
}

/**
 * Deletes a draft. A number that was not the vendor's is entered into the register of gaps, and the quantities of its
 * purchase order can be billed again. Throws conflict.invalid_state for any other status.
 */
export async function deleteBill(books: Books, id: string): Promise<void> {
  const order = await lockOrderOfBill(books, id)
  const bill = await billOf(books, id, 'FOR UPDATE')
  nextStatus('BILL', 'delete', bill.status)
  books.delete(bills, bill)
  if (order) releasePurchaseOrder(books, order, bill)
  registerOwnNumber(books, bill, 'Draft deleted')
  await recordDeletion(books, 'BILL', bill)
}

// Only numbers of our own sequence leave gaps, not those of the vendor.
function registerOwnNumber(books: Books, bill: BillRow, reason: string): void {
  if (bill.number_sequence !== null) registerGap(books, 'BILL', bill, reason)
}

function change(books: Books, bill: Bill, columns: Partial<BillRow>): Bill {
  const changed = books.change(bills, bill, columns)
  return {
    ...changed,
    balance: openBalance(changed.status, changed.total, changed.payment_made, changed.vendor_credits_applied),
  }
}
