// The payments' routes.
import { Type } from 'typebox'
import { changePayment } from '../../commands/payments/payment-changes.ts'
import { applyPayment, deletePayment, recordPayment } from '../../commands/payments/payments.ts'
import {
  payments,
  paymentParts,
  type PaymentRow,
  type Payment as PaymentWithAllocations,
} from '../../models/payment.ts'
import { dateFrom, dateTo, equals, listing, sameId, tagged } from '../http/listing.ts'
import { renderedRow, type Rendering } from '../http/cached-rows.ts'
import { route } from '../http/route.ts'
import { one } from '../shapes/fields.ts'
import {
  allocationProblems,
  applyProblems,
  Flow,
  NewAllocation,
  NewPayment,
  Payment,
  PaymentChanges,
  showPayment,
} from '../shapes/payment.ts'

const tag = 'Payments'
const answer = one('payment', Payment)

const rendering: Rendering<PaymentRow, PaymentWithAllocations> = {
  kind: 'PAYMENT',
  table: payments,
  parts: paymentParts,
  show: (rows) => rows.map(showPayment),
  shownWith: () => '',
}

export const paymentRoutes = [
  listing({
    path: '/payments',
    tag,
    does: 'List payments',
    scope: 'payments.READ',
    key: 'payments',
    ...rendering,
    shape: Payment,
    filters: { flow: equals(Flow), contact_id: sameId(), date_from: dateFrom(), date_to: dateTo(), tag: tagged() },
  }),
  route({
    method: 'GET',
    path: '/payments/{payment_id}',
    tag,
    does: 'Read a payment',
    scope: 'payments.READ',
    answer,
    read: async (context, { params }) => ({ payment: await renderedRow(context, rendering, params.payment_id!) }),
  }),
  route({
    method: 'POST',
    path: '/payments',
    tag,
    does: 'Record a payment, and settle what it is allocated to',
    scope: 'payments.CREATE',
    status: 201,
    keyRequired: true,
    answer,
    warns: true,
    body: NewPayment,
    alsoCheck: allocationProblems,
    write: async (books, { body }) => ({
      message: 'Payment recorded.',
      payment: showPayment(await recordPayment(books, body, { keyed: true })),
    }),
  }),
  route({
    method: 'POST',
    path: '/payments/{payment_id}/apply',
    tag,
    does: 'Apply unapplied money to an invoice or a bill',
    scope: 'payments.UPDATE',
    keyRequired: true,
    answer,
    body: NewAllocation,
    alsoCheck: applyProblems,
    write: async (books, { params, body }) => ({
      message: 'Payment applied.',
      payment: showPayment(await applyPayment(books, params.payment_id!, body)),
    }),
  }),
  route({
    method: 'PUT',
    path: '/payments/{payment_id}',
    tag,
    does: 'Change a payment: reverse its journals and post them again',
    scope: 'payments.UPDATE',
    answer,
    body: PaymentChanges,
    write: async (books, { params, body }) => ({
      message: 'Payment updated.',
      payment: showPayment(await changePayment(books, params.payment_id!, body, showPayment)),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/payments/{payment_id}',
    tag,
    does: 'Delete a payment: reverse its journals, release what it settled',
    scope: 'payments.DELETE',
    answer: Type.Object({}),
    async write(books, { params }) {
      await deletePayment(books, params.payment_id!)
      return { message: 'Payment deleted.' }
    },
  }),
]
