// What is referred to is not deleted: 409 conflict.in_use, whatever refers to it, and never a 500.
import { describe, expect, test } from '@jest/globals'
import { CONTACT_REFERENCES } from '../../models/contact.ts'
import { ITEM_REFERENCES } from '../../models/item.ts'
import { billBody, invoiceBody, line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { addContact, addItem, openOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)

const journal = (changes: Json, line: Json = {}) => ours.send('POST', '/journals', {
  date: '2026-11-10', ...changes,
  lines: [{ account_id: ours.accounts['Bank Charges'], debit: 5, ...line }, { account_id: ours.accounts['Bank Account'], credit: 5 }],
})
const expense = (changes: Json) => ours.send('POST', '/expenses', {
  date: '2026-11-10', account_id: ours.accounts['Bank Charges'], paid_through_account_id: ours.accounts['Bank Account'], amount: 5, ...changes,
})
const note = { date: '2026-11-10', is_draft: true, line_items: [line()] }

const CONTACT_USES: Record<keyof typeof CONTACT_REFERENCES, (id: string) => Promise<unknown>> = {
  invoices: (id) => ours.send('POST', '/invoices', invoiceBody({ customerId: id })),
  bills: (id) => ours.send('POST', '/bills', billBody({ vendorId: id })),
  payments: (id) => ours.payment(ours.receiptBody({ contact_id: id })),
  credit_notes: (id) => ours.send('POST', '/credit_notes', { customer_id: id, ...note }),
  debit_notes: (id) => ours.send('POST', '/debit_notes', { vendor_id: id, ...note }),
  estimates: (id) => ours.send('POST', '/estimates', { customer_id: id, line_items: [line()] }),
  sales_orders: (id) => ours.send('POST', '/sales_orders', { customer_id: id, line_items: [line()] }),
  purchase_orders: (id) => ours.send('POST', '/purchase_orders', { vendor_id: id, line_items: [line()] }),
  expenses: (id) => expense({ vendor_id: id }),
  journals: (id) => journal({ contact_id: id }),
  journal_lines: (id) => journal({}, { contact_id: id }),
}

describe('a contact that is named by', () => {
  test.each(Object.entries(CONTACT_USES))('%s', async (table, use) => {
    const id = await addContact(ours, { contact_type: 'BOTH' })
    await use(id)
    const refused = await ours.refusal('DELETE', `/contacts/${id}`)
    expect(refused).toMatchObject({ status: 409, code: 'conflict.in_use', details: { [table]: 1 } })
    expect(Object.keys(refused.details).sort()).toEqual(Object.keys(CONTACT_REFERENCES).sort())
    expect((await ours.get(`/contacts/${id}`)).contact.contact_id).toBe(id)
  })

  test('nothing', async () => {
    const id = await addContact(ours)
    expect((await ours.send('DELETE', `/contacts/${id}`)).message).toBe('Contact deleted.')
  })

  // The ledger keeps what named it.
  test.each<[string, (id: string) => Promise<unknown>]>([
    ['a payment that was deleted', async (id) => ours.send('DELETE', `/payments/${(await ours.payment(ours.receiptBody({ contact_id: id }))).payment_id}`)],
    ['a journal that was deleted', async (id) => ours.send('DELETE', `/journals/${((await journal({ contact_id: id })) as Json).journal.journal_id}`)],
    ['an expense that was deleted', async (id) => ours.send('DELETE', `/expenses/${((await expense({ vendor_id: id })) as Json).expense.expense_id}`)],
  ])('%s', async (_name, use) => {
    const id = await addContact(ours, { contact_type: 'BOTH' })
    await use(id)
    expect(await ours.refusal('DELETE', `/contacts/${id}`)).toMatchObject({ status: 409, code: 'conflict.in_use' })
  })

  test('a draft that was deleted: it can go too', async () => {
    const id = await addContact(ours)
    const { invoice } = await ours.send('POST', '/invoices', invoiceBody({ customerId: id }))
    await ours.send('DELETE', `/invoices/${invoice.invoice_id}`)
    await ours.send('DELETE', `/contacts/${id}`)
  })
})

const ITEM_USES: Record<keyof typeof ITEM_REFERENCES, (line_items: Json[]) => Promise<unknown>> = {
  invoice_lines: (line_items) => ours.invoice({ line_items }),
  bill_lines: (line_items) => ours.bill({ line_items }),
  credit_note_lines: (line_items) => ours.creditNote({ line_items }),
  debit_note_lines: (line_items) => ours.debitNote({ line_items }),
  estimate_lines: (line_items) => ours.send('POST', '/estimates', { customer_id: ours.customerId, line_items }),
  sales_order_lines: (line_items) => ours.send('POST', '/sales_orders', { customer_id: ours.customerId, line_items }),
  purchase_order_lines: (line_items) => ours.send('POST', '/purchase_orders', { vendor_id: ours.vendorId, line_items }),
}

describe('an item of which there are', () => {
  test.each(Object.entries(ITEM_USES))('%s', async (table, use) => {
    const id = await addItem(ours)
    await use([{ item_id: id, quantity: 1 }])
    const refused = await ours.refusal('DELETE', `/items/${id}`)
    expect(refused).toMatchObject({ status: 409, code: 'conflict.in_use', details: { [table]: 1 } })
    expect(Object.keys(refused.details).sort()).toEqual(Object.keys(ITEM_REFERENCES).sort())
  })
})
