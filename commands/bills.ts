// What can be done to a bill: create, approve, change, void, delete.
import { parseDocumentDate } from '../domain/dates.ts'
import { decimalText } from '../domain/decimal.ts'
import { refuseDuplicateBill } from '../domain/duplicate-bill.ts'
import { fault } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import { nextStatus, refuseVoid } from '../domain/lifecycle.ts'
import { toBase } from '../domain/money.ts'
import { isIntraState, placeOfSupply } from '../domain/place-of-supply.ts'
import { pricePurchase } from '../domain/totals.ts'
import { readBasis, readPostingAccounts, type Basis } from '../models/basis.ts'
import { billLines, bills, findBill, findPostedAlike, type Bill, type BillLikeness, type BillRow } from '../models/bill.ts'
import type { Lock, Scope } from '../models/find.ts'
import { numberGaps } from '../models/series.ts'
import { announceBill, postBill, recordBill } from './bill-entries.ts'
import type { Books } from './books.ts'
import { changesBetween } from './changes.ts'
import { idsOf, type LineWanted } from './document-lines.ts'
import { branchOf, currencyOf, dueDateOf, knownIds, refuseFixed, today, vendorOf } from './drafting.ts'
import { numberBill } from './numbering.ts'
import { fillPurchaseLines } from './purchase-lines.ts'
import { reverse } from './reversal.ts'
import { lockBeforeVoid, releasePayments } from './settlement.ts'

/** The body of POST /bills. Dates as the wire sends them. */
export interface NewBill {
  vendor_id: string
  date: string
  place_of_supply: string
  line_items: LineWanted[]
  /** The vendor's own number. */
  bill_number?: string | null
  branch_id?: string | null
  due_date?: string | null
  currency_code?: string | null
  exchange_rate?: number | null
  reference_number?: string | null
  notes?: string | null
  round_off?: number | null
  tags?: string[] | null
  auto_approve?: boolean | null
}

export interface BillChanges {
  bill_number?: string
  reference_number?: string | null
  date?: string
  due_date?: string
  notes?: string | null
}

// What a bill's amounts and taxes come from: to change it, delete the draft and draw it up anew.
const FIXED = [
  'vendor_id', 'place_of_supply', 'line_items', 'branch_id', 'currency_code', 'exchange_rate', 'round_off', 'tags', 'auto_approve',
] as const satisfies (keyof NewBill)[]

/** The bill of this id, with its lines. Throws not_found.resource for one that the organisation does not have. */
export async function billOf(scope: Scope, id: string, lock: Lock = ''): Promise<Bill> {
  const bill = isId(id) ? await findBill(scope, id, lock) : null
  if (!bill) throw fault('not_found.resource', { message: 'There is no such bill.' })
  return bill
}

/**
 * Draws up a bill, and approves it when `auto_approve` says so (specification, POST /bills).
 * Throws not_found.resource for a vendor, branch, item, tax or tag that is not the organisation's, and
 * validation.invalid_value for a place of supply, date, rate or amount that cannot be, and for a bill that is on the
 * books already.
 */
export async function createBill(books: Books, wanted: NewBill): Promise<Bill> {
  const date = parseDocumentDate(wanted.date)!
  const basis = await basisOf(books, wanted, date)
  const vendor = vendorOf(basis)
  const branch = branchOf(basis)
  const filled = fillPurchaseLines(basis, wanted.line_items)
  const place = placeOfSupply(wanted.place_of_supply)
  const dueDate = dueDateOf(wanted.due_date, date, vendor.payment_terms)
  const { currency, exchangeRate } = currencyOf(books, wanted)
  const priced = pricePurchase({
    currency,
    lines: filled,
    intraState: isIntraState(place, branch.state),
    roundOff: wanted.round_off == null ? null : decimalText(wanted.round_off),
  })
  const { lines: pricedLines, subTotal, taxTotal, roundOff, total, cgst, sgst, igst, cess } = priced
  // A draft that could not be posted at its rate is refused now, not when it is approved.
  toBase(total, currency, exchangeRate, books.organization.currency_code)
  const reference = wanted.reference_number ?? null
  await refuseDuplicate(books, { vendor_id: vendor.id, date, total, currency_code: currency }, reference)
  const { number, sequence } = numberBill(books, branch, date, wanted.bill_number ?? null)
  const row = books.insert(bills, {
    id: books.newId(),
    branch_id: branch.id,
    bill_number: number,
    number_sequence: sequence,
    vendor_id: vendor.id,
    vendor_name: vendor.contact_name,
    date,
    due_date: dueDate,
    reference_number: reference,
    place_of_supply: place,
    currency_code: currency,
    exchange_rate: exchangeRate,
    sub_total: subTotal, cgst, sgst, igst, cess, tax_total: taxTotal, round_off: roundOff, total,
    payment_made: 0n, vendor_credits_applied: 0n, balance: total,
    status: wanted.auto_approve ? nextStatus('BILL', 'approve', 'DRAFT') : 'DRAFT',
    notes: wanted.notes ?? null,
    tags: knownIds(wanted.tags ?? [], 'tags'),
    version: 1,
    created_time: books.now,
    last_modified_time: books.now,
  })
  const lines = filled.map(({ tax: _tax, ...line }, index) => {
    const { taxable, taxAmount: _taxAmount, selfAssessed, ...charged } = pricedLines[index]!
    return books.insert(billLines, {
      ...line, ...charged, id: books.newId(), bill_id: row.id, line_no: index + 1, item_total: taxable,
      rcm_cgst: selfAssessed.cgst, rcm_sgst: selfAssessed.sgst, rcm_igst: selfAssessed.igst, rcm_cess: selfAssessed.cess,
    })
  })
  const bill = { ...row, lines }
  recordBill(books, bill, 'BILL_CREATED')
  if (wanted.auto_approve) {
    postBill(books, bill, basis)
    recordBill(books, bill, 'BILL_APPROVED', { status: { old: 'DRAFT', new: row.status } })
  }
  announceBill(books, 'BILL_CREATED', bill)
  return bill
}

/**
 * DRAFT to OPEN: posts the journal. Throws conflict.invalid_state for any other status, and validation.invalid_value
 * for a bill that has come onto the books meanwhile.
 */
export async function approveBill(books: Books, id: string): Promise<Bill> {
  const draft = await billOf(books, id, 'FOR UPDATE')
  const status = nextStatus('BILL', 'approve', draft.status)
  await refuseDuplicate(books, draft, draft.reference_number)
  const bill = change(books, draft, { status })
  postBill(books, bill, await readPostingAccounts(books))
  recordBill(books, bill, 'BILL_APPROVED', changesBetween({ status: draft.status }, { status }))
  announceBill(books, 'BILL_UPDATED', bill, ['status'])
  return bill
}

/** Changes a draft's number, reference, dates or notes (specification, PUT /bills: header fields). */
export async function changeBill(books: Books, id: string, wanted: BillChanges & Record<string, unknown>): Promise<Bill> {
  const draft = await billOf(books, id, 'FOR UPDATE')
  nextStatus('BILL', 'edit', draft.status)
  refuseFixed(wanted, FIXED)
  const date = wanted.date === undefined ? draft.date : parseDocumentDate(wanted.date)!
  const told: Partial<BillRow> = { date, due_date: dueDateOf(wanted.due_date ?? draft.due_date, date, 0) }
  if (wanted.reference_number !== undefined) told.reference_number = wanted.reference_number
  if (wanted.notes !== undefined) told.notes = wanted.notes
  if (wanted.bill_number !== undefined && wanted.bill_number !== draft.bill_number) {
    told.bill_number = wanted.bill_number
    told.number_sequence = null
    registerGap(books, draft, "Replaced by the vendor's number")
  }
  const changes = changesBetween(draft, told)
  if (!changes) return draft
  const bill = change(books, draft, told)
  delete changes.number_sequence
  recordBill(books, bill, 'BILL_UPDATED', changes)
  announceBill(books, 'BILL_UPDATED', bill, Object.keys(changes))
  return bill
}

/**
 * Cancels a bill, its journal reversed as of `date` or today, its payments unapplied; a draft's void posts nothing
 * (decisions §4).
 * Throws conflict.bill_paid, conflict.credit_applied or conflict.already_cancelled.
 */
export async function voidBill(books: Books, id: string, wanted: { reason?: string | null; date?: string | null }): Promise<Bill> {
  const accounts = await lockBeforeVoid(books, id)
  const before = await billOf(books, id, 'FOR UPDATE')
  refuseVoid('BILL', before.status, before.vendor_credits_applied)
  const date = wanted.date ? parseDocumentDate(wanted.date)! : today(books)
  if (before.payment_made > 0n) await releasePayments(books, before.id, date, accounts)
  const bill = change(books, before, { status: 'CANCELLED', payment_made: 0n, balance: 0n })
  if (before.status !== 'DRAFT') {
    await reverse(books, { source: 'BILL', sourceId: bill.id, date, memo: `Void of bill ${bill.bill_number}` })
  }
  recordBill(books, bill, 'BILL_VOIDED', changesBetween({ status: before.status }, { status: bill.status }), { reason: wanted.reason ?? null })
  announceBill(books, 'BILL_VOIDED', bill)
  return bill
}

/** Deletes a draft; a number of ours is kept in the register of gaps. Throws conflict.invalid_state for any other status. */
export async function deleteBill(books: Books, id: string): Promise<void> {
  const bill = await billOf(books, id, 'FOR UPDATE')
  nextStatus('BILL', 'delete', bill.status)
  books.delete(bills, bill)
  registerGap(books, bill, 'Draft deleted')
  recordBill(books, bill, 'BILL_DELETED')
}

async function basisOf(books: Books, wanted: NewBill, date: string): Promise<Basis> {
  const tags = knownIds(wanted.tags ?? [], 'tags')
  const basis = await readBasis(books, {
    contactId: knownIds([wanted.vendor_id], 'vendor_id')[0]!,
    branchId: wanted.branch_id == null ? null : knownIds([wanted.branch_id], 'branch_id')[0]!,
    ...idsOf(wanted.line_items),
    tags,
    date,
    invoiceNumber: null,
  })
  if (basis.tags_found !== tags.length) throw fault('not_found.resource', { field: 'tags', message: 'There is no such cost center.' })
  return basis
}

async function refuseDuplicate(books: Books, likeness: BillLikeness, reference: string | null): Promise<void> {
  refuseDuplicateBill(reference, await findPostedAlike(books, likeness))
}

function registerGap(books: Books, bill: BillRow, reason: string): void {
  if (bill.number_sequence === null) return
  books.insert(numberGaps, {
    id: books.newId(), branch_id: bill.branch_id, document: 'bill', number: bill.bill_number, series_name: null, reason, time: books.now,
  })
}

function change(books: Books, bill: Bill, told: Partial<BillRow>): Bill {
  const { balance = bill.total - bill.payment_made - bill.vendor_credits_applied, ...columns } = told
  const changed = books.update<BillRow>(bills, bill, { ...columns, version: bill.version + 1, last_modified_time: books.now })
  return { ...changed, balance, lines: bill.lines }
}
