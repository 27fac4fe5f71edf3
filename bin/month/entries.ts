// The entries of the month: each function sends one call, and prints one line for it.
import type { Static } from 'typebox'
import type { Bill } from '../../api/shapes/bill.ts'
import type { Expense } from '../../api/shapes/expense.ts'
import type { Invoice } from '../../api/shapes/invoice.ts'
import type { Journal } from '../../api/shapes/journal.ts'
import type { Payment } from '../../api/shapes/payment.ts'
import type { Trader } from './trader.ts'

/** Creates an approved invoice; `what` describes it in the printed line. */
export async function invoice(trader: Trader, what: string, body: object): Promise<Static<typeof Invoice>> {
  const { invoice } = await trader.post<{ invoice: Static<typeof Invoice> }>('/invoices', { auto_approve: true, ...body })
  trader.printEntry(what, invoice.invoice_number, invoice.customer_name, invoice.total, invoice.currency_code)
  return invoice
}

export async function bill(trader: Trader, body: object): Promise<Static<typeof Bill>> {
  const { bill } = await trader.post<{ bill: Static<typeof Bill> }>('/bills', { auto_approve: true, ...body })
  trader.printEntry('Bill', bill.bill_number, bill.vendor_name, bill.total)
  return bill
}

export async function payment(trader: Trader, what: string, body: object): Promise<Static<typeof Payment>> {
  const { payment } = await trader.post<{ payment: Static<typeof Payment> }>('/payments', body)
  trader.printEntry(what, payment.payment_number, payment.contact_name, payment.amount, payment.currency_code)
  return payment
}

export async function expense(trader: Trader, what: string, body: object): Promise<void> {
  const paid_through_account_id = trader.accounts['Bank Account']
  const { expense } = await trader.post<{ expense: Static<typeof Expense> }>('/expenses', { paid_through_account_id, ...body })
  trader.printEntry(what, expense.expense_number, expense.vendor_name ?? '', expense.total)
}

export async function journal(trader: Trader, ofMonth: number, memo: string, debited: string, credited: string, amount: number): Promise<void> {
  const { journal } = await trader.post<{ journal: Static<typeof Journal> }>('/journals', {
    date: trader.day(ofMonth), memo,
    lines: [{ account_id: trader.accounts[debited], debit: amount }, { account_id: trader.accounts[credited], credit: amount }],
  })
  trader.printEntry(memo, journal.journal_number, '', amount)
}
