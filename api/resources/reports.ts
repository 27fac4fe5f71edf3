// The routes of the reports.
import { Type } from 'typebox'
import { contactOf } from '../../commands/masters/contacts.ts'
import { parseDocumentDate } from '../../domain/dates.ts'
import { openCustomerLedger } from '../../reports/customer-ledger.ts'
import { listQuery } from '../http/page.ts'
import { route } from '../http/route.ts'
import { DocumentDate, one } from '../shapes/fields.ts'
import { CustomerLedger, showLedger, showTransactions } from '../shapes/report.ts'

const dateOf = (text: string | undefined) => (text === undefined ? null : parseDocumentDate(text))

export const reportRoutes = [
  route({
    method: 'GET',
    path: '/reports/customer_ledger',
    tag: 'Reports',
    does: "Read a customer's ledger with its running balance",
    scope: 'reports.READ',
    answer: one('customer_ledger', CustomerLedger),
    query: listQuery({
      contact_id: Type.String(),
      from_date: Type.Optional(DocumentDate),
      to_date: Type.Optional(DocumentDate),
    }),
    async stream(context, { query }, over) {
      const currency = context.caller.organization!.currency_code
      const contact = await contactOf(context, query.contact_id)
      const period = { contactId: contact.id, from: dateOf(query.from_date), to: dateOf(query.to_date) }
      const ledger = await openCustomerLedger(context, period, over)
      return {
        answer: { customer_ledger: { ...showLedger(ledger, contact, period, currency), transactions: [] } },
        rows: showTransactions(ledger, currency),
      }
    },
  }),
]
