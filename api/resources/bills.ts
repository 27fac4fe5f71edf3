// The bills' routes.
import { Type } from 'typebox'
import { approveBill, changeBill, createBill, deleteBill, voidBill } from '../../commands/purchases/bills.ts'
import type { Books } from '../../commands/books/books.ts'
import { today } from '../../commands/documents/drafting.ts'
import { bills, billParts, type Bill as BillWithLines, type BillRow } from '../../models/bill.ts'
import { dateFrom, dateTo, equals, listing, overdue, sameId, tagged } from '../http/listing.ts'
import { renderedRow, type Rendering } from '../http/cached-rows.ts'
import { route } from '../http/route.ts'
import { todayAt } from '../http/today.ts'
import { Bill, BILL_STATUSES, BillChanges, NewBill, showBill } from '../shapes/bill.ts'
import { one } from '../shapes/fields.ts'
import { VoidRequest } from '../shapes/document.ts'
import { lineProblems } from '../shapes/line-item.ts'

const tag = 'Bills'
const answer = one('bill', Bill)

const answered = (books: Books) => (bill: BillWithLines) => showBill(bill, today(books))
const shown = (books: Books, bill: BillWithLines, message: string) => ({ message, bill: answered(books)(bill) })

const rendering: Rendering<BillRow, BillWithLines> = {
  kind: 'BILL',
  table: bills,
  parts: billParts,
  show: (rows, context) => rows.map((bill) => showBill(bill, todayAt(context))),
  shownWith: todayAt,
}

export const billRoutes = [
  listing({
    path: '/bills',
    tag,
    does: 'List bills',
    scope: 'bills.READ',
    key: 'bills',
    ...rendering,
    shape: Bill,
    filters: {
      status: equals(Type.Enum(BILL_STATUSES)),
      vendor_id: sameId(),
      date_from: dateFrom(),
      date_to: dateTo(),
      tag: tagged(),
      reference_number: equals(),
      bill_number: equals(),
      overdue: overdue('BILL'),
    },
  }),
  route({
    method: 'GET',
    path: '/bills/{bill_id}',
    tag,
    does: 'Read a bill',
    scope: 'bills.READ',
    answer,
    read: async (context, { params }) => ({ bill: await renderedRow(context, rendering, params.bill_id!) }),
  }),
  route({
    method: 'POST',
    path: '/bills',
    tag,
    does: 'Create a bill, and approve it on request',
    scope: 'bills.CREATE',
    status: 201,
    answer,
    warns: true,
    body: NewBill,
    alsoCheck: lineProblems,
    async write(books, { body }) {
      const bill = await createBill(books, body)
      return shown(books, bill, body.auto_approve ? 'Bill created and approved.' : 'Bill created.')
    },
  }),
  route({
    method: 'PUT',
    path: '/bills/{bill_id}',
    tag,
    does: "Change a draft's number, reference, dates or notes",
    scope: 'bills.UPDATE',
    answer,
    body: BillChanges,
    write: async (books, { params, body }) =>
      shown(books, await changeBill(books, params.bill_id!, body, answered(books)), 'Bill updated.'),
  }),
  route({
    method: 'POST',
    path: '/bills/{bill_id}/approve',
    tag,
    does: 'Approve a draft: post its journal',
    scope: 'bills.UPDATE',
    answer,
    write: async (books, { params }) => shown(books, await approveBill(books, params.bill_id!), 'Bill approved.'),
  }),
  route({
    method: 'POST',
    path: '/bills/{bill_id}/void',
    tag,
    does: 'Void a bill: reverse its journal',
    scope: 'bills.UPDATE',
    answer,
    warns: true,
    body: VoidRequest,
    write: async (books, { params, body }) =>
      shown(books, await voidBill(books, params.bill_id!, body), 'Bill voided.'),
  }),
  route({
    method: 'DELETE',
    path: '/bills/{bill_id}',
    tag,
    does: 'Delete a draft',
    scope: 'bills.DELETE',
    answer: Type.Object({}),
    async write(books, { params }) {
      await deleteBill(books, params.bill_id!)
      return { message: 'Bill deleted.' }
    },
  }),
]
