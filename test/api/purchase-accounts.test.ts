// To which accounts purchases go: what a line or an item names, what an order hands on, and what a note takes back.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { partQuantities, purchaseOrderSource } from '../fixtures/conversions.ts'
import { addContact, addItem, openOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)

const accountsOf = ({ line_items }: Json) => line_items.map(({ account_id }: Json) => account_id)
const debited = async (billId: string) => (await ours.billLedger(billId)).map((journal) => journal.split('\n').filter((each) => each.startsWith('Dr')))
const note = (path: string, body: Json) => ours.send('POST', path, { date: '2026-11-12', line_items: [line()], ...body })
const noteLedger = async (id: string) => (await ours.ledger(id)).map((journal) => journal.replaceAll('(customer)', '(vendor)'))

describe('a line goes to', () => {
  test('the account that it names, else the item\'s, else Purchases', async () => {
    const { Computers, Purchases, 'Printing and Stationery': stationery, 'Stock in Hand': stock } = ours.accounts
    const item_id = await addItem(ours, { purchase_rate: 40, purchase_account_id: stationery })
    const lines = [line({ account_id: Computers!.toUpperCase() }), { item_id, quantity: 1 }, { item_id, quantity: 1, account_id: stock }, line(), line({ account_id: null })]
    const bill = await ours.bill({ auto_approve: true, line_items: lines })
    expect(accountsOf(bill)).toEqual([Computers, stationery, stock, Purchases, Purchases])
    expect((await debited(bill.bill_id))[0]).toEqual([
      'Dr Computers 100.00', 'Dr Printing and Stationery 40.00', 'Dr Stock in Hand 40.00', 'Dr Purchases 200.00',
    ])
    for (const body of [await ours.purchaseOrder({ line_items: lines }), (await note('/debit_notes', { vendor_id: ours.vendorId, line_items: lines })).debit_note]) {
      expect(accountsOf(body)).toEqual(accountsOf(bill))
    }
    const { credit_note } = await note('/credit_notes', { customer_id: ours.vendorId, line_items: lines })
    expect(accountsOf(credit_note)).toEqual(accountsOf(bill))
    expect(await noteLedger(credit_note.credit_note_id)).toEqual([[
      'Dr Accounts Payable (vendor) 380.00', '   Cr Computers 100.00', '   Cr Printing and Stationery 40.00', '   Cr Stock in Hand 40.00',
      '   Cr Purchases 200.00',
    ].join('\n')])
  })

  test('the item\'s revenue account on a sale, whatever the line names', async () => {
    const item_id = await addItem(ours, { rate: 10, account_id: ours.accounts['Service Income'], purchase_account_id: ours.accounts.Rent })
    const line_items = [{ item_id, quantity: 1 }, line({ account_id: 7 })]
    const sales = [await ours.invoice({ line_items }), (await ours.acceptedEstimate({ line_items })), await ours.salesOrder({ line_items })]
    for (const sale of sales) expect(accountsOf(sale)).toEqual([ours.accounts['Service Income'], ours.accounts.Sales])
    const { credit_note } = await note('/credit_notes', { customer_id: ours.customerId, line_items: [{ item_id, quantity: 1, account_id: ours.accounts.Rent }] })
    expect(accountsOf(credit_note)).toEqual([ours.accounts['Service Income']])
  })
})

describe('refused', () => {
  test.each(['Bank Account', 'Accounts Receivable', 'Accounts Payable', 'Sales', 'Input CGST', 'Capital Account'])('%s takes no purchases', async (name) => {
    const refusal = { status: 400, code: 'validation.invalid_value', field: 'line_items.1.account_id' }
    const line_items = [line(), line({ account_id: ours.accounts[name] })]
    expect(await ours.refusedBill({ line_items })).toEqual(refusal)
    expect(await ours.refusal('POST', '/purchase_orders', { vendor_id: ours.vendorId, line_items })).toEqual(refusal)
    expect(await ours.refusal('POST', '/debit_notes', { vendor_id: ours.vendorId, date: '2026-11-12', line_items })).toEqual(refusal)
    expect(await ours.refusal('POST', '/credit_notes', { customer_id: ours.vendorId, date: '2026-11-12', line_items })).toEqual(refusal)
    expect(await ours.refusal('POST', '/items', { item_name: 'Pen', purchase_account_id: ours.accounts[name] }))
      .toEqual({ ...refusal, field: 'purchase_account_id' })
  })

  test('an account that is nowhere, of others, or no longer active', async () => {
    const other = await openOrganization(service)
    for (const account_id of [randomUUID(), 'Rent', other.accounts.Rent]) {
      expect(await ours.refusedBill({ line_items: [line({ account_id })] })).toEqual({ status: 404, code: 'not_found.resource', field: 'line_items.0.account_id' })
      expect(await ours.refusal('POST', '/items', { item_name: 'Pen', purchase_account_id: account_id }))
        .toEqual({ status: 404, code: 'not_found.resource', field: 'purchase_account_id' })
    }
    await service.sql('UPDATE accounts SET is_active = false WHERE org_id = $1 AND id = $2', other.orgId, other.accounts.Rent)
    expect(await other.refusedBill({ line_items: [line({ account_id: other.accounts.Rent })] }))
      .toEqual({ status: 400, code: 'validation.invalid_value', field: 'line_items.0.account_id' })
    expect((await ours.refusedBill({ line_items: [line({ account_id: 7 })] })).errors).toMatchObject([{ field: 'line_items.0.account_id', code: 'type' }])
  })
})

test('an expense refuses an account that is no longer active, and keeps one that it has', async () => {
  const org = await openOrganization(service)
  const body = { date: '2026-11-10', account_id: org.accounts.Rent, paid_through_account_id: org.accounts['Bank Account'], amount: 100 }
  const audit = { account_id: org.accounts['Audit Fees'] }
  const { expense } = await org.send('POST', '/expenses', { ...body, line_items: [{ amount: 1 }, { amount: 2, ...audit }] })
  const path = `/expenses/${expense.expense_id}`
  for (const name of ['Rent', 'Audit Fees', 'Vehicles']) {
    await service.sql('UPDATE accounts SET is_active = false WHERE org_id = $1 AND id = $2', org.orgId, org.accounts[name])
  }
  const refused = { status: 400, code: 'validation.invalid_value' }
  expect(await org.refusal('POST', '/expenses', body)).toEqual({ ...refused, field: 'account_id' })
  expect(await org.refusal('POST', '/expenses', { ...body, account_id: null, line_items: [{ amount: 1, ...audit }] }))
    .toEqual({ ...refused, field: 'line_items.0.account_id' })
  expect(await org.refusal('PUT', path, { account_id: org.accounts.Vehicles })).toEqual({ ...refused, field: 'account_id' })
  expect((await org.send('PUT', path, { notes: 'Kept', line_items: [...expense.line_items, { amount: 4, ...audit }] })).expense)
    .toMatchObject({ notes: 'Kept', total: 7, account_id: org.accounts.Rent })
})

test('an item\'s purchase account is answered, changed and cleared; existing documents keep theirs', async () => {
  const { item: made } = await ours.send('POST', '/items', { item_name: 'Chair', purchase_account_id: ours.accounts['Furniture and Fixtures'] })
  const path = `/items/${made.item_id}`
  const bill = await ours.bill({ line_items: [{ item_id: made.item_id, quantity: 1, rate: 5 }] })
  expect((await ours.send('PUT', path, { purchase_account_id: ours.accounts.Rent })).item.purchase_account_id).toBe(ours.accounts.Rent)
  expect((await ours.send('PUT', path, { rate: 3 })).item.purchase_account_id).toBe(ours.accounts.Rent)
  expect((await ours.send('PUT', path, { purchase_account_id: null })).item).toMatchObject({ purchase_account_id: null, account_id: null })
  expect(made.purchase_account_id).toBe(ours.accounts['Furniture and Fixtures'])
  await ours.send('POST', `/bills/${bill.bill_id}/approve`)
  expect((await debited(bill.bill_id))[0]).toEqual(['Dr Furniture and Fixtures 5.00'])
})

test('a bill of an order goes to the order\'s accounts, not to the items\' of now', async () => {
  const item_id = await addItem(ours, { purchase_rate: 10, purchase_account_id: ours.accounts.Rent })
  const order = await ours.purchaseOrder({ line_items: [line({ account_id: ours.accounts.Vehicles }), { item_id, quantity: 2 }] })
  await ours.send('PUT', `/items/${item_id}`, { purchase_account_id: ours.accounts.Insurance })
  await ours.send('PUT', `/purchase_orders/${order.purchase_order_id}`, { notes: 'Soon', place_of_supply: 'IN-MH' })
  const { bill_id } = await ours.conversionRow(await ours.convert({ ...purchaseOrderSource(order), auto_approve: true }))
  expect((await debited(bill_id))[0]).toEqual(['Dr Vehicles 100.00', 'Dr Rent 20.00'])
})

test('what goes back to the vendor is taken from where the bill put it, unless the line names another account', async () => {
  const item_id = await addItem(ours, { purchase_rate: 10 })
  const { 'Printing and Stationery': supplies, Rent, Computers, Purchases } = ours.accounts
  const { bill_id } = await ours.bill({
    auto_approve: true, line_items: [{ item_id, quantity: 9, account_id: supplies }, { item_id, quantity: 1, account_id: Rent }, line({ account_id: Computers })],
  })
  const line_items = [{ item_id, quantity: 1 }, line(), { item_id, quantity: 1, account_id: Rent }, line({ name: 'Chalk' })]
  const { credit_note } = await note('/credit_notes', { customer_id: ours.vendorId, bill_id, line_items })
  expect(accountsOf(credit_note)).toEqual([supplies, Computers, Rent, Purchases])
  const { debit_note } = await note('/debit_notes', { vendor_id: ours.vendorId, bill_id: bill_id.toUpperCase(), line_items, is_draft: true })
  expect(accountsOf(debit_note)).toEqual([supplies, Computers, Rent, Purchases])
  // Against nothing in particular the items' own count again.
  expect(accountsOf((await note('/debit_notes', { vendor_id: ours.vendorId, line_items })).debit_note)).toEqual([Purchases, Purchases, Rent, Purchases])
})

test('a note against nothing in particular is supplied where the vendor is', async () => {
  const delhi = await addContact(ours, { contact_type: 'VENDOR', place_of_contact: 'IN-DL' })
  const line_items = [line({ tax_id: ours.taxes['GST 18%'] })]
  expect((await note('/debit_notes', { vendor_id: delhi, line_items })).debit_note).toMatchObject({ place_of_supply: 'IN-DL', line_items: [{ igst: 18 }] })
  expect((await note('/credit_notes', { customer_id: delhi, line_items })).credit_note).toMatchObject({ place_of_supply: 'IN-DL', line_items: [{ igst: 18 }] })
})

describe('equal parts of one order, billed on one day', () => {
  const part = (order: Json) => ({ ...purchaseOrderSource(order), line_items: partQuantities(order, 1), auto_approve: true })
  const taken = { code: 'validation.invalid_value', status: 400, field: 'reference_number' }

  test('are let in, approved at once or later', async () => {
    const order = await ours.purchaseOrder({ reference_number: 'RFQ 7', line_items: [line({ quantity: 4, rate: 31 })] })
    for (const auto_approve of [true, true, false]) await ours.convert({ ...part(order), auto_approve })
    const { bill_id } = await ours.conversionRow(await ours.convert({ ...part(order), auto_approve: false }))
    expect((await ours.send('POST', `/bills/${bill_id}/approve`)).bill).toMatchObject({ status: 'OPEN', total: 31 })
    const { bills } = await ours.get('/bills?reference_number=RFQ%207')
    expect(bills.map(({ status, total }: Json) => [status, total]).toSorted()).toEqual([['DRAFT', 31], ['OPEN', 31], ['OPEN', 31], ['OPEN', 31]])
  })

  test('other bills of the vendor, day and total are guarded as ever', async () => {
    const order = await ours.purchaseOrder({ reference_number: 'RFQ 8', line_items: [line({ quantity: 2, rate: 32 })] })
    const { bill_id } = await ours.conversionRow(await ours.convert(part(order)))
    const { bill: { date, bill_number } } = await ours.get(`/bills/${bill_id}`)
    const same = { date, line_items: [line({ rate: 32 })], reference_number: 'RFQ 8' }
    expect(await ours.refusedBill(same)).toEqual({ ...taken, details: { bill_id, bill_number } })
    const other = await ours.purchaseOrder({ reference_number: 'RFQ 8', line_items: [line({ rate: 32 })] })
    expect(await ours.refusalOf(ours.convert(part(other)))).toEqual({ ...taken, details: { bill_id, bill_number } })
    // Nor is a part of the order let in beside a bill of none.
    const none = await ours.bill({ ...same, reference_number: null, line_items: [line({ rate: 33 })], auto_approve: true })
    const third = await ours.purchaseOrder({ line_items: [line({ rate: 33 })] })
    expect(await ours.refusalOf(ours.convert(part(third)))).toMatchObject({ ...taken, details: { bill_id: none.bill_id } })
    await ours.convert(part(order))
  })
})
