// The returns of the month: from a customer, with a credit note that is applied to the invoice, and to a vendor.
import type { Schema } from '../../client/src/index.ts'
import type { Trader } from './trader.ts'

/** Creates a credit note for goods that a customer returned, and applies it to their invoice. */
export async function takeBack(
  trader: Trader, { invoice_id, customer_id, invoice_number }: Schema<'Invoice'>, body: Omit<Schema<'NewCreditNote'>, 'customer_id'>,
): Promise<void> {
  const { credit_note } = await trader.bahi.post('/credit_notes', { body: { customer_id, invoice_id, ...body } })
  trader.printEntry('Credit note for goods returned', credit_note.credit_note_number, credit_note.customer_name, credit_note.total)
  const { credit_note: applied } = await trader.bahi.post('/credit_notes/{credit_note_id}/apply-to-invoice', {
    path: credit_note, body: { invoice_id, amount: credit_note.total },
  })
  trader.printEntry('Applied the credit', credit_note.credit_note_number, invoice_number, applied.applied_amount)
}

/** Creates a debit note for goods that are returned to a vendor. */
export async function sendBack(trader: Trader, body: Schema<'NewDebitNote'>): Promise<void> {
  const { debit_note } = await trader.bahi.post('/debit_notes', { body })
  trader.printEntry('Debit note for faulty goods', debit_note.debit_note_number, debit_note.vendor_name, debit_note.total)
}
