// The template of a schedule as the body of a create command, and the command that creates a document from it.
import { fault } from '../../domain/faults.ts'
import { toAmount } from '../../domain/money.ts'
import type { ScheduledKind } from '../../domain/schedule.ts'
import { keepsRoundOffOnEdit } from '../../domain/totals.ts'
import type { PaymentLinks } from '../../gateways/payment-links/payment-links.ts'
import { findLatestRate } from '../../models/currency.ts'
import type { Scope } from '../../models/find.ts'
import type { Books } from '../books/books.ts'
import { rateToFind } from '../documents/drafting.ts'
import { draftInputOf } from '../documents/draft-input.ts'
import { journalOf } from '../ledger/journals.ts'
import { postManualJournal, type NewJournal } from '../ledger/manual-journals.ts'
import { billOf, createBill, type NewBill } from '../purchases/bills.ts'
import { createExpense, expenseOf } from '../purchases/expenses.ts'
import type { NewExpense } from '../purchases/expense-drafting.ts'
import { expenseInputOf } from '../purchases/expense-input.ts'
import { createInvoice, invoiceOf, type NewInvoice } from '../sales/invoices.ts'

/** The body of a call that creates a document. Payloads are stored in the shape that the call checks. */
export type TemplateBody = Record<string, unknown> & { date?: string; due_date?: string; currency_code?: string }

/** A document that was created from a template. */
export interface Created {
  id: string
  /** The document's number, or its placeholder. */
  number: string
}

type Copy = (books: Books, id: string) => Promise<TemplateBody>

const COPY: Record<ScheduledKind, Copy> = {
  INVOICE: copyInvoice,
  BILL: copyBill,
  EXPENSE: copyExpense,
  JOURNAL: copyJournal,
}

/**
 * The document as the body that would create it again on this date, without its number. In a foreign currency it has the
 * stored rate for the date; only where there is none, that of the template. Throws not_found.resource for a document that the
 * organisation does not have, and validation.invalid_value for a journal that a document has posted.
 */
export async function copyOf(books: Books, kind: ScheduledKind, id: string, date: string): Promise<TemplateBody> {
  const body = await COPY[kind](books, id)
  const pair = rateToFind(books, { currency_code: body.currency_code })
  const isStored = pair !== null && (await findLatestRate(books, pair, date)) !== null
  return isStored ? { ...body, exchange_rate: null } : body
}

/** Creates a document by the command of its kind, an invoice with its link if there are `paymentLinks`. Throws as that does. */
export async function createFrom(
  books: Books,
  kind: ScheduledKind,
  body: TemplateBody,
  paymentLinks: PaymentLinks | null,
): Promise<Created> {
  switch (kind) {
    case 'INVOICE': {
      const { id, invoice_number: number } = await createInvoice(books, body as unknown as NewInvoice, paymentLinks)
      return { id, number }
    }
    case 'BILL': {
      const { id, bill_number: number } = await createBill(books, body as unknown as NewBill)
      return { id, number }
    }
    case 'EXPENSE': {
      const { id, expense_number: number } = await createExpense(books, body as unknown as NewExpense)
      return { id, number }
    }
    case 'JOURNAL': {
      const { id, journal_number: number } = await postManualJournal(books, body as unknown as NewJournal)
      return { id, number }
    }
  }
}

// A round-off that the organisation's rounding could have made is computed again; any other was set by hand.
async function copyInvoice(books: Books, id: string): Promise<TemplateBody> {
  const { connection, orgId } = books
  const invoice = await invoiceOf({ connection, orgId }, id)
  const { customer_id, date, due_date, reference_number, notes, salesperson_id, series_name, round_off } = invoice
  const isComputed =
    books.organization.preferences.roundInvoiceTotals && !keepsRoundOffOnEdit(round_off, invoice.currency_code)
  return {
    ...draftInputOf(invoice, {}, {}).terms,
    customer_id,
    date,
    due_date,
    reference_number,
    notes,
    salesperson_id,
    series_name: series_name === 'default' ? null : series_name,
    round_off: isComputed || round_off === 0n ? null : toAmount(round_off, invoice.currency_code),
  }
}

// The number of a bill is the vendor's own, so a copy gets one of our sequence.
async function copyBill({ connection, orgId }: Scope, id: string): Promise<TemplateBody> {
  const bill = await billOf({ connection, orgId }, id)
  const { vendor_id, date, due_date, reference_number, notes, round_off } = bill
  return {
    ...draftInputOf(bill, {}, {}).terms,
    vendor_id,
    date,
    due_date,
    reference_number,
    notes,
    round_off: round_off === 0n ? null : toAmount(round_off, bill.currency_code),
  }
}

async function copyExpense(books: Books, id: string): Promise<TemplateBody> {
  const expense = await expenseOf(books, id)
  // No line is sent, so none is compared with an answered one.
  const answered = { line_items: expense.lines.map(() => ({})) }
  return { ...expenseInputOf(expense, {}, answered, books.organization.currency_code).input }
}

async function copyJournal(books: Books, id: string): Promise<TemplateBody> {
  const { source, date, memo, contact_id, tags, lines } = await journalOf(books, id, { includeReversed: false })
  if (source !== 'MANUAL') {
    const message =
      'Only a manual journal can be a template; the document that has posted this one can be the template.'
    throw fault('validation.invalid_value', { field: 'template_entity_id', message })
  }
  const currency = books.organization.currency_code
  return {
    date,
    memo,
    contact_id,
    tags,
    lines: lines.map((line) => ({
      account_id: line.account_id,
      debit: toAmount(line.debit, currency),
      credit: toAmount(line.credit, currency),
      description: line.description,
      contact_id: line.contact_id,
    })),
  }
}
