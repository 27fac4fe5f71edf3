// The measured writes, as rows: what each inserts and changes, for the floors that do the same without the service.
import { activity } from '../models/activity.ts'
import { billLines, bills } from '../models/bill.ts'
import { conversions } from '../models/conversion.ts'
import { creditApplications, creditNotes } from '../models/credit-note.ts'
import { expenseLines, expenses } from '../models/expense.ts'
import { idempotentAnswers } from '../models/idempotency.ts'
import { invoiceLines, invoices } from '../models/invoice.ts'
import { journalLines, journals } from '../models/journal.ts'
import { paymentAllocations, payments } from '../models/payment.ts'
import { salesOrderLines, salesOrders } from '../models/sales-order.ts'
import type { AnyModel } from '../models/model.ts'
import { webhookEvents } from '../models/webhook.ts'

export type Row = Record<string, unknown>
/** The rows that one write inserted, by table. */
export type Rows = Record<string, Row[]>

export interface BookedWrite {
  /** Also the name of the table in the schema `bench` that keeps its specimens. */
  name: string
  /** The table that it adds one row to, and the column of that row's number, if it has one. */
  document: AnyModel
  number: string | null
  /** The tables that it adds rows to, in the order in which these can be inserted. */
  writes: AnyModel[]
  /** The existing rows that it changes: `set` in SQL, with the time as $3. */
  changes: { table: AnyModel; set: string; ids(rows: Rows): string[] }[]
}

const LEDGER: AnyModel[] = [journals, journalLines]
const TRACES: AnyModel[] = [activity, webhookEvents, idempotentAnswers]
const NEXT_VERSION = 'version = version + 1, last_modified_time = $3'

export const INVOICE: BookedWrite = {
  name: 'invoice', document: invoices, number: 'invoice_number', writes: [invoices, invoiceLines, ...LEDGER, ...TRACES], changes: [],
}

export const PAYMENT: BookedWrite = {
  name: 'payment', document: payments, number: 'payment_number', writes: [payments, paymentAllocations, ...LEDGER, ...TRACES],
  changes: [{
    table: invoices, set: `payment_made = payment_made + 100, status = 'PARTIALLY_PAID', ${NEXT_VERSION}`,
    ids: ({ payment_allocations }) => idsIn(payment_allocations, 'invoice_id'),
  }],
}

export const BILL: BookedWrite = {
  name: 'bill', document: bills, number: 'bill_number', writes: [bills, billLines, ...LEDGER, ...TRACES], changes: [],
}

export const EXPENSE: BookedWrite = {
  name: 'expense', document: expenses, number: 'expense_number', writes: [expenses, expenseLines, ...LEDGER, ...TRACES], changes: [],
}

/** A credit note applied whole to an invoice. */
export const APPLICATION: BookedWrite = {
  name: 'application', document: creditApplications, number: null, writes: [creditApplications, ...TRACES],
  changes: [
    {
      table: creditNotes, set: `status = 'APPLIED', ${NEXT_VERSION}`,
      ids: ({ credit_applications }) => idsIn(credit_applications, 'credit_note_id'),
    },
    {
      table: invoices, set: `credits_applied = credits_applied + 100, status = 'PARTIALLY_PAID', ${NEXT_VERSION}`,
      ids: ({ credit_applications }) => idsIn(credit_applications, 'invoice_id'),
    },
  ],
}

/** An order converted into an approved invoice. */
export const CONVERSION: BookedWrite = {
  name: 'conversion', document: invoices, number: 'invoice_number',
  writes: [invoices, invoiceLines, conversions, ...LEDGER, ...TRACES],
  changes: [
    { table: salesOrders, set: `status = 'INVOICED', ${NEXT_VERSION}`, ids: ({ invoices }) => idsIn(invoices, 'sales_order_id') },
    { table: salesOrderLines, set: 'quantity_invoiced = quantity', ids: ({ invoice_lines }) => idsIn(invoice_lines, 'sales_order_line_id') },
  ],
}

/** By name, for the processes that write copies. */
export const WRITES: ReadonlyMap<string, BookedWrite> = new Map([INVOICE, PAYMENT, BILL, EXPENSE, APPLICATION, CONVERSION].map((write) => [write.name, write]))

const idsIn = (rows: Row[] | undefined, column: string) => [...new Set((rows ?? []).map((row) => row[column] as string))]
