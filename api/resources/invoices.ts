// The invoices' routes.
import { Op, type WhereOptions } from 'sequelize'
import { Type } from 'typebox'
import type { Books } from '../../commands/books.ts'
import { today } from '../../commands/drafting.ts'
import { approveInvoice, changeInvoice, createInvoice, deleteInvoice, invoiceOf, voidInvoice } from '../../commands/invoices.ts'
import { dateInZone, parseDocumentDate } from '../../domain/dates.ts'
import { invoices, withLines, type Invoice as InvoiceWithLines } from '../../models/invoice.ts'
import { idFilter, pageOf } from '../../models/page.ts'
import { modifiedSince, PageContext, pageContext, pageQuery, pageRequest } from '../http/page.ts'
import { route, type Desk } from '../http/route.ts'
import { DocumentDate, one } from '../shapes/fields.ts'
import { Invoice, INVOICE_STATUSES, InvoiceChanges, NewInvoice, showInvoice, VoidRequest } from '../shapes/invoice.ts'
import { lineProblems } from '../shapes/line-item.ts'

const tag = 'Invoices'
const answer = one('invoice', Invoice)
const OWING = ['SENT', 'PARTIALLY_PAID', 'OVERDUE']

const todayAt = ({ now, caller }: Desk) => dateInZone(now.toISOString(), caller.organization!.time_zone)
const shown = (books: Books, invoice: InvoiceWithLines, message: string) => ({ message, invoice: showInvoice(invoice, today(books)) })

export const invoiceRoutes = [
  route({
    method: 'GET', path: '/invoices', tag, does: 'List invoices', scope: 'invoices.READ',
    query: pageQuery({
      status: Type.Optional(Type.Enum(INVOICE_STATUSES)),
      customer_id: Type.Optional(Type.String()),
      date_from: Type.Optional(DocumentDate),
      date_to: Type.Optional(DocumentDate),
      reference_number: Type.Optional(Type.String({ description: 'Exact.' })),
      invoice_number: Type.Optional(Type.String({ description: 'Exact.' })),
      overdue: Type.Optional(Type.Boolean({ description: 'Only what is owed after its due date, or all else.' })),
    }),
    answer: Type.Object({ invoices: Type.Array(Invoice), page_context: PageContext }),
    async read(desk, { query }) {
      const { status, customer_id, date_from, date_to, reference_number, invoice_number, overdue } = query
      const filters: WhereOptions[] = [modifiedSince(query)]
      if (status) filters.push({ status })
      if (customer_id !== undefined) filters.push(idFilter('customer_id', customer_id))
      if (date_from !== undefined) filters.push({ date: { [Op.gte]: parseDocumentDate(date_from) } })
      if (date_to !== undefined) filters.push({ date: { [Op.lte]: parseDocumentDate(date_to) } })
      if (reference_number !== undefined) filters.push({ reference_number })
      if (invoice_number !== undefined) filters.push({ invoice_number })
      if (overdue !== undefined) {
        const owed = { status: { [Op.in]: OWING }, due_date: { [Op.lt]: todayAt(desk) }, balance: { [Op.gt]: 0 } }
        filters.push(overdue ? owed : { [Op.not]: owed })
      }
      const page = await pageOf(desk, invoices, { ...pageRequest(query), where: { [Op.and]: filters } })
      const whole = await withLines(desk, page.rows)
      return { invoices: whole.map((invoice) => showInvoice(invoice, todayAt(desk))), page_context: pageContext(query, page) }
    },
  }),
  route({
    method: 'GET', path: '/invoices/{invoice_id}', tag, does: 'Read an invoice', scope: 'invoices.READ', answer,
    read: async (desk, { params }) => ({ invoice: showInvoice(await invoiceOf(desk, params.invoice_id!), todayAt(desk)) }),
  }),
  route({
    method: 'POST', path: '/invoices', tag, does: 'Create an invoice, and approve it when asked', scope: 'invoices.CREATE',
    status: 201, keyRequired: true, answer, body: NewInvoice, alsoCheck: lineProblems,
    async write(books, { body }) {
      const invoice = await createInvoice(books, body)
      return shown(books, invoice, body.auto_approve ? 'Invoice created and approved.' : 'Invoice created.')
    },
  }),
  route({
    method: 'PUT', path: '/invoices/{invoice_id}', tag, does: "Change a draft's reference, due date or notes",
    scope: 'invoices.UPDATE', answer, body: InvoiceChanges,
    write: async (books, { params, body }) => shown(books, await changeInvoice(books, params.invoice_id!, body), 'Invoice updated.'),
  }),
  route({
    method: 'POST', path: '/invoices/{invoice_id}/approve', tag, does: 'Approve a draft: post its journal',
    scope: 'invoices.UPDATE', answer,
    write: async (books, { params }) => shown(books, await approveInvoice(books, params.invoice_id!), 'Invoice approved.'),
  }),
  route({
    method: 'POST', path: '/invoices/{invoice_id}/void', tag, does: 'Void an invoice: reverse its journal',
    scope: 'invoices.UPDATE', answer, body: VoidRequest,
    write: async (books, { params, body }) => shown(books, await voidInvoice(books, params.invoice_id!, body), 'Invoice voided.'),
  }),
  route({
    method: 'DELETE', path: '/invoices/{invoice_id}', tag, does: 'Delete a draft', scope: 'invoices.DELETE', answer: Type.Object({}),
    async write(books, { params }) {
      await deleteInvoice(books, params.invoice_id!)
      return { message: 'Invoice deleted.' }
    },
  }),
]
