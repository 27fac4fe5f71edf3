// The list of all routes, in the specification's order.
import { Type } from 'typebox'
import { openapi } from './http/openapi.ts'
import { route, type Route } from './http/route.ts'
import { accountRoutes } from './resources/accounts.ts'
import { activityRoutes } from './resources/activity.ts'
import { attachmentRoutes } from './resources/attachments.ts'
import { bankAccountRoutes } from './resources/bank-accounts.ts'
import { billRoutes } from './resources/bills.ts'
import { branchChanges, branchRoutes } from './resources/branches.ts'
import { bulkRoutes } from './resources/bulk.ts'
import { contactRoutes } from './resources/contacts.ts'
import { commentRoutes } from './resources/comments.ts'
import { estimateConversion, purchaseOrderConversion, salesOrderConversion } from './resources/conversions.ts'
import { costCenterChanges, costCenterRoutes } from './resources/cost-centers.ts'
import { creditNoteRoutes } from './resources/credit-notes.ts'
import { currencyRoutes, exchangeRateChange } from './resources/currencies.ts'
import { debitNoteRoutes } from './resources/debit-notes.ts'
import { creditNoteMailRoutes, estimateMailRoutes, invoiceMailRoutes } from './resources/emails.ts'
import { estimateRoutes } from './resources/estimates.ts'
import { webhookResendingRoutes } from './resources/webhook-resending.ts'
import { eventFeedRoutes } from './resources/event-feed.ts'
import { expenseRoutes } from './resources/expenses.ts'
import { invoiceSeriesRoutes } from './resources/invoice-series.ts'
import { invoiceRoutes } from './resources/invoices.ts'
import { itemRoutes } from './resources/items.ts'
import { journalRoutes } from './resources/journals.ts'
import { oauthClientRoutes } from './resources/oauth-clients.ts'
import { consentRoutes } from './resources/consents.ts'
import { memberRoutes } from './resources/members.ts'
import { passwordResetRoutes } from './resources/password-resets.ts'
import { partnerRoutes } from './resources/partners.ts'
import { preferenceRoutes } from './resources/preferences.ts'
import { sessionRoutes } from './resources/sessions.ts'
import { paymentRoutes } from './resources/payments.ts'
import { pdfRoutes } from './resources/pdfs.ts'
import { purchaseOrderRoutes } from './resources/purchase-orders.ts'
import { recurringRoutes } from './resources/recurring.ts'
import { reportRoutes } from './resources/reports.ts'
import { requestLogRoute } from './resources/requests.ts'
import { salesOrderRoutes } from './resources/sales-orders.ts'
import { tokenRoutes } from './resources/tokens.ts'
import { taxRoutes } from './resources/taxes.ts'
import { utilityRoutes } from './resources/utility.ts'
import { webhookRoutes } from './resources/webhooks.ts'

const RESOURCES: Route[] = [
  ...utilityRoutes,
  ...partnerRoutes,
  ...contactRoutes,
  ...itemRoutes,
  ...taxRoutes,
  ...accountRoutes,
  ...invoiceRoutes,
  ...invoiceMailRoutes,
  ...invoiceSeriesRoutes,
  ...billRoutes,
  ...paymentRoutes,
  ...creditNoteRoutes,
  ...creditNoteMailRoutes,
  ...debitNoteRoutes,
  ...estimateRoutes,
  estimateConversion,
  ...estimateMailRoutes,
  ...salesOrderRoutes,
  salesOrderConversion,
  ...purchaseOrderRoutes,
  purchaseOrderConversion,
  ...expenseRoutes,
  ...journalRoutes,
  ...bulkRoutes,
  ...branchRoutes,
  ...bankAccountRoutes,
  ...costCenterRoutes,
  ...currencyRoutes,
  ...reportRoutes,
  ...attachmentRoutes,
  ...pdfRoutes,
  ...commentRoutes,
  ...recurringRoutes,
  ...activityRoutes,
  ...webhookRoutes,
  ...webhookResendingRoutes,
  ...eventFeedRoutes,
]

/** The routes of signed-in persons, below /internal/v1; they are no part of the public API. */
export const INTERNAL_ROUTES: Route[] = [
  ...sessionRoutes,
  ...passwordResetRoutes,
  ...memberRoutes,
  ...tokenRoutes,
  ...oauthClientRoutes,
  ...consentRoutes,
  ...preferenceRoutes,
  ...branchChanges,
  ...costCenterChanges,
  exchangeRateChange,
  requestLogRoute,
]

/** All routes, the OpenAPI document's own included; `publicUrl` is the origin that callers see. */
export function routesOf({ publicUrl }: { publicUrl: string }): Route[] {
  const document: Route = route({
    method: 'GET',
    path: '/openapi.json',
    tag: 'Utility',
    does: 'Read the OpenAPI document',
    scope: null,
    by: 'anyone',
    bare: true,
    answer: Type.Object({}, { additionalProperties: true }),
    read: async () => described,
  })
  const routes = [...RESOURCES, document]
  const described = openapi(routes, `${publicUrl}/api/public/v1`)
  return routes
}
