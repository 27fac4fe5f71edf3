// The entries of the month: each function sends one call, and prints one line for it.
import type { Schema } from '../../client/src/index.ts'
import type { Trader } from './trader.ts'

/** Creates an approved invoice; `what` describes it in the printed line. */
export async function invoice(trader: Trader, what: string, body: Schema<'NewInvoice'>): Promise<Schema<'Invoice'>> {
  const { invoice } = await trader.bahi.post('/invoices', { body: { auto_approve: true, ...body } })
  trader.printEntry(what, invoice.invoice_number, invoice.customer_name, invoice.total, invoice.currency_code)
  return invoice
}

export async function bill(trader: Trader, body: Schema<'NewBill'>): Promise<Schema<'Bill'>> {
  const { bill } = await trader.bahi.post('/bills', { body: { auto_approve: true, ...body } })
  trader.printEntry('Bill', bill.bill_number, bill.vendor_name, bill.total)
  return bill
}

export async function payment(trader: Trader, what: string, body: Schema<'NewPayment'>): Promise<Schema<'Payment'>> {
  const { payment } = await trader.bahi.post('/payments', { body })
  trader.printEntry(what, payment.payment_number, payment.contact_name, payment.amount, payment.currency_code)
  return payment
}

export async function expense(trader: Trader, what: string, body: Omit<Schema<'NewExpense'>, 'paid_through_account_id'>): Promise<void> {
  const paid_through_account_id = trader.accounts['Bank Account']!
  const { expense } = await trader.bahi.post('/expenses', { body: { paid_through_account_id, ...body } })
  trader.printEntry(what, expense.expense_number, expense.vendor_name ?? '', expense.total)
}

export async function journal(trader: Trader, ofMonth: number, memo: string, debited: string, credited: string, amount: number): Promise<void> {
  const { journal } = await trader.bahi.post('/journals', {
    body: {
      date: trader.day(ofMonth), memo,
      lines: [{ account_id: trader.accounts[debited]!, debit: amount }, { account_id: trader.accounts[credited]!, credit: amount }],
    },
  })
  trader.printEntry(memo, journal.journal_number, '', amount)
}
