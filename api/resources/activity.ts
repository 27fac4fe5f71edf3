// The routes of the activity log: the whole log, and each document's own part of it.
import { Type } from 'typebox'
import { billOf } from '../../commands/bills.ts'
import { creditNoteOf } from '../../commands/credit-notes.ts'
import { debitNoteOf } from '../../commands/debit-notes.ts'
import { estimateOf } from '../../commands/estimates.ts'
import { expenseOf } from '../../commands/expenses.ts'
import { invoiceOf } from '../../commands/invoices.ts'
import { paymentOf } from '../../commands/payments.ts'
import { purchaseOrderOf } from '../../commands/purchase-orders.ts'
import { salesOrderOf } from '../../commands/sales-orders.ts'
import { activity } from '../../models/activity.ts'
import { allOf, equalTo, hasId, type Condition } from '../../models/condition.ts'
import type { Scope } from '../../models/find.ts'
import { pageOf } from '../../models/page.ts'
import { equals, sameId, schemasOf, since, until, whereOf } from '../http/listing.ts'
import { listQuery } from '../http/page.ts'
import { route, type Answer, type Desk, type Route } from '../http/route.ts'
import { ACTIVITY_ENTITY_TYPES, ActivityContext, ActivityEvent, showActivity } from '../shapes/activity.ts'

const tag = 'Activity'
const scope = 'activity.READ'
const authCodes = { unknown: 'authn.token_invalid', scope: 'authz.scope_missing' } as const
const answer = Type.Object({ activity: Type.Array(ActivityEvent), page_context: ActivityContext })

const LIMIT = { default: 100, maximum: 500 }
const limit = Type.Optional(Type.Integer({ minimum: 1, ...LIMIT }))
const FILTERS = {
  entity_type: equals(Type.Enum(ACTIVITY_ENTITY_TYPES)),
  entity_id: sameId(),
  actor_user_id: sameId(),
  since: since('occurred_at'),
  until: until('occurred_at'),
}

interface LoggedDocument {
  path: string
  /** The name of the id in the path. */
  parameter: string
  entityType: string
  does: string
  /** Finds the document, or throws not_found.resource. */
  find(scope: Scope, id: string): Promise<{ id: string }>
}

const DOCUMENTS: LoggedDocument[] = [
  { path: '/invoices', parameter: 'invoice_id', entityType: 'INVOICE', does: "Read an invoice's activity", find: invoiceOf },
  { path: '/bills', parameter: 'bill_id', entityType: 'BILL', does: "Read a bill's activity", find: billOf },
  { path: '/payments', parameter: 'payment_id', entityType: 'PAYMENT', does: "Read a payment's activity", find: paymentOf },
  { path: '/credit_notes', parameter: 'credit_note_id', entityType: 'CREDIT_NOTE', does: "Read a credit note's activity", find: creditNoteOf },
  { path: '/debit_notes', parameter: 'debit_note_id', entityType: 'DEBIT_NOTE', does: "Read a debit note's activity", find: debitNoteOf },
  { path: '/estimates', parameter: 'estimate_id', entityType: 'ESTIMATE', does: "Read an estimate's activity", find: estimateOf },
  { path: '/sales_orders', parameter: 'sales_order_id', entityType: 'SALES_ORDER', does: "Read a sales order's activity", find: salesOrderOf },
  { path: '/purchase_orders', parameter: 'purchase_order_id', entityType: 'PURCHASE_ORDER', does: "Read a purchase order's activity", find: purchaseOrderOf },
  { path: '/expenses', parameter: 'expense_id', entityType: 'EXPENSE', does: "Read an expense's activity", find: expenseOf },
]

const log = route({
  method: 'GET', path: '/activity', tag, does: 'Read the activity log, the newest first', scope, authCodes, answer,
  query: listQuery({ ...schemasOf(FILTERS), limit }),
  async read(desk, { query }) {
    return newest(desk, whereOf(FILTERS, query, desk), query.limit)
  },
})

/** One route a document: its part of the log, 404 where the document is not there. */
function activityRoutesOf(documents: LoggedDocument[]): Route[] {
  return documents.map(({ path, parameter, entityType, does, find }) => route({
    method: 'GET', path: `${path}/{${parameter}}/activity`, tag, does, scope, authCodes, answer, query: listQuery({ limit }),
    async read(desk, { params, query }) {
      const document = await find(desk, params[parameter]!)
      return newest(desk, allOf([equalTo('entity_type', entityType), hasId('entity_id', document.id)]), query.limit)
    },
  }))
}

export const activityRoutes = [log, ...activityRoutesOf(DOCUMENTS)]

async function newest(desk: Desk, where: Condition, asked: number | undefined): Promise<Answer> {
  const most = asked ?? LIMIT.default
  const page = await pageOf(desk, activity, { by: 'occurred_at', perPage: most, after: null, where })
  return {
    activity: page.rows.map(showActivity),
    page_context: { limit: most, returned: page.rows.length, has_more_page: page.hasMore },
  }
}
