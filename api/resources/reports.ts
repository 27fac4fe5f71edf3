// The routes of the reports.
import { Type } from 'typebox'
import { contactOf } from '../../commands/contacts.ts'
import { parseDocumentDate, showDate } from '../../domain/dates.ts'
import { toAmount } from '../../domain/money.ts'
import { readCustomerLedger } from '../../reports/customer-ledger.ts'
import { listQuery } from '../http/page.ts'
import { route } from '../http/route.ts'
import { DocumentDate, one } from '../shapes/fields.ts'
import { CustomerLedger, showTransaction } from '../shapes/report.ts'

const dateOf = (text: string | undefined) => (text === undefined ? null : parseDocumentDate(text))
const shownDate = (date: string | null) => (date === null ? null : showDate(date))

export const reportRoutes = [
  route({
    method: 'GET', path: '/reports/customer_ledger', tag: 'Reports', does: "Read a customer's ledger with its running balance",
    scope: 'reports.READ', answer: one('customer_ledger', CustomerLedger),
    query: listQuery({
      contact_id: Type.String(), from_date: Type.Optional(DocumentDate), to_date: Type.Optional(DocumentDate),
    }),
    async read(desk, { query }) {
      const currency = desk.caller.organization!.currency_code
      const contact = await contactOf(desk, query.contact_id)
      const [from, to] = [dateOf(query.from_date), dateOf(query.to_date)]
      const transactions: ReturnType<typeof showTransaction>[] = []
      let [opening, debit, credit] = [0n, 0n, 0n]
      await readCustomerLedger(desk, { contactId: contact.id, from, to }, (balance) => { opening = balance }, (entries) => {
        for (const entry of entries) {
          debit += entry.debit
          credit += entry.credit
          transactions.push(showTransaction(entry, opening + debit - credit, currency))
        }
      })
      const amount = (minor: bigint) => toAmount(minor, currency)
      return {
        customer_ledger: {
          contact_id: contact.id,
          contact_name: contact.contact_name,
          currency_code: currency,
          from_date: shownDate(from),
          to_date: shownDate(to),
          opening_balance: amount(opening),
          total_debit: amount(debit),
          total_credit: amount(credit),
          closing_balance: amount(opening + debit - credit),
          transactions,
        },
      }
    },
  }),
]
