// Expenses over HTTP: what is answered, what is posted, and what a change or a deletion leaves in the ledger.
import { describe, expect, test } from '@jest/globals'
import type { Json } from '../fixtures/client.ts'
import { addContact, openOrganization, TODAY } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)
const theirs = await openOrganization(service)

const midnight = (date: string) => `${date}T00:00:00.000Z`
const body = (changes: Record<string, unknown> = {}) => ({
  date: '2026-11-10', account_id: ours.accounts.Rent, paid_through_account_id: ours.accounts['Bank Account'], amount: 1000, ...changes,
})
const spend = async (changes: Record<string, unknown> = {}) => (await ours.send('POST', '/expenses', body(changes))).expense
const refused = (changes: Record<string, unknown>) => ours.refusal('POST', '/expenses', body(changes))
const vendor = (changes: Record<string, unknown> = {}) => addContact(ours, { contact_name: 'Ravi Estates', contact_type: 'VENDOR', ...changes })
const ledger = async ({ expense_id }: Json) => ours.ledger(expense_id)

test('an expense answers all that is known of it, in lists as alone', async () => {
  const vendorId = await vendor({ place_of_contact: 'IN-KA' })
  const sent = { vendor_id: vendorId, tax_id: ours.taxes['IGST 18%'], mode: 'BANK', reference_number: 'R-7', notes: 'November', no_such: 1 }
  const { body: answered, status } = await ours.client.post('/expenses', body(sent))
  expect([status, answered.code, answered.message]).toEqual([201, 0, 'Expense created.'])
  const { expense } = answered
  expect(expense).toEqual({
    expense_id: expect.any(String), expense_number: 'EXP-00001', date: midnight('2026-11-10'), account_id: ours.accounts.Rent,
    paid_through_account_id: ours.accounts['Bank Account'], vendor_id: vendorId, vendor_name: 'Ravi Estates', amount: 1000,
    mode: 'BANK', reference_number: 'R-7', tax_id: ours.taxes['IGST 18%'], is_inclusive_tax: false, is_rcm: false, rcm_rate: null,
    itc_blocked_reason: null, notes: 'November',
    line_items: [{
      line_item_id: expect.any(String), account_id: ours.accounts.Rent, amount: 1000, tax_id: ours.taxes['IGST 18%'], tax_percentage: 18,
      note: null, item_total: 1000, cgst: 90, sgst: 90, igst: 0, cess: 0, tax_amount: 180, rcm_tax_amount: 0,
    }],
    sub_total: 1000, tax_total: 180, rcm_tax_total: 0, total: 1180, currency_code: 'INR', tags: [],
    created_time: expect.stringMatching(/Z$/), last_modified_time: expense.created_time,
  })
  expect(await ledger(expense)).toEqual(['Dr Rent 1,000.00\nDr Input CGST 90.00\nDr Input SGST 90.00\n   Cr Bank Account 1,180.00'])
  const { journals: [journal] } = await ours.get('/journals')
  expect(journal).toMatchObject({ source: 'EXPENSE', source_id: expense.expense_id, memo: 'Expense EXP-00001', contact_id: vendorId, date: expense.date })
  expect((await ours.get(`/expenses/${expense.expense_id}`)).expense).toEqual(expense)
  expect((await ours.get('/expenses')).expenses).toEqual([expense])
  expect(await theirs.refusal('GET', `/expenses/${expense.expense_id}`)).toEqual({ status: 404, code: 'not_found.resource' })
  expect((await ours.get(`/expenses/${expense.expense_id}/activity`)).activity).toMatchObject([
    { action: 'EXPENSE_CREATED', entity_type: 'EXPENSE', entity_ref: 'EXP-00001', changes: null },
  ])
  const [event] = await service.sql<Json>("SELECT data FROM webhook_events WHERE entity_id = $1", expense.expense_id)
  expect(event.data).toEqual({ id: expense.expense_id, number: 'EXP-00001', vendor_id: vendorId, total: 1180, status: null, sequence: 1 })
  expect(await ours.refusal('DELETE', `/contacts/${vendorId}`)).toMatchObject({ status: 409, code: 'conflict.in_use', details: { expenses: 1 } })
})

describe('the tax falls by the vendor, or by the named tax where nothing is known of one', () => {
  test.each([
    ['IN-KA', 'IGST 18%', { cgst: 90, sgst: 90, igst: 0 }],
    ['IN-MH', 'GST 18%', { cgst: 0, sgst: 0, igst: 180 }],
    [null, 'GST 18%', { cgst: 90, sgst: 90, igst: 0 }],
    [null, 'IGST 18%', { cgst: 0, sgst: 0, igst: 180 }],
    [undefined, 'IGST 18%', { cgst: 0, sgst: 0, igst: 180 }],
    [undefined, 'Exempt', { cgst: 0, sgst: 0, igst: 0 }],
  ])('%s, %s', async (place, tax, parts) => {
    const vendor_id = place === undefined ? null : await vendor({ place_of_contact: place })
    const { line_items } = await spend({ vendor_id, tax_id: ours.taxes[tax] })
    expect(line_items[0]).toMatchObject(parts)
  })
})

test('an inclusive amount is taken apart to the paisa', async () => {
  const expense = await spend({ amount: 999.99, tax_id: ours.taxes['GST 18%'], is_inclusive_tax: true })
  expect(expense).toMatchObject({ amount: 999.99, sub_total: 847.45, tax_total: 152.54, total: 999.99 })
  expect(await ledger(expense)).toEqual(['Dr Rent 847.45\nDr Input CGST 76.27\nDr Input SGST 76.27\n   Cr Bank Account 999.99'])
})

test('lines override the header, whose amount is ignored; each account is debited', async () => {
  const expense = await spend({
    amount: 5, tax_id: ours.taxes['IGST 18%'],
    line_items: [
      { amount: 100, note: 'Hall' },
      { account_id: ours.accounts['Postage and Courier'], amount: 50.5, tax_id: ours.taxes['IGST 5%'], note: 'Stamps' },
    ],
  })
  expect(expense).toMatchObject({ amount: 150.5, sub_total: 150.5, tax_total: 20.53, total: 171.03, account_id: ours.accounts.Rent })
  expect(expense.line_items.map(({ note }: Json) => note)).toEqual(['Hall', 'Stamps'])
  expect(await ledger(expense)).toEqual(['Dr Rent 100.00\nDr Postage and Courier 50.50\nDr Input IGST 20.53\n   Cr Bank Account 171.03'])
  const bare = await ours.send('POST', '/expenses', {
    date: '2026-11-10', paid_through_account_id: ours.accounts['Petty Cash'], line_items: [{ account_id: ours.accounts.Rent, amount: 1 }],
  })
  expect([bare.expense.account_id, bare.expense.total]).toEqual([null, 1])
})

describe('reverse charge: the vendor is paid the value alone, the tax is assessed upon oneself', () => {
  test('at the rate that is given', async () => {
    const expense = await spend({ is_rcm: true, rcm_rate: 5, is_inclusive_tax: true })
    expect(expense).toMatchObject({ total: 1000, tax_total: 0, rcm_tax_total: 50, rcm_rate: 5, is_rcm: true })
    expect(await ledger(expense)).toEqual([
      'Dr Rent 1,000.00\nDr Input CGST 25.00\nDr Input SGST 25.00\n   Cr Output CGST (RCM) 25.00\n   Cr Output SGST (RCM) 25.00\n   Cr Bank Account 1,000.00',
    ])
  })

  test('across states, at the rate of the named tax', async () => {
    const expense = await spend({ is_rcm: true, tax_id: ours.taxes['GST 18%'], vendor_id: await vendor({ place_of_contact: 'IN-DL' }) })
    expect(await ledger(expense)).toEqual(['Dr Rent 1,000.00\nDr Input IGST 180.00\n   Cr Output IGST (RCM) 180.00\n   Cr Bank Account 1,000.00'])
  })

  test('a tax of that shape is enough', async () => {
    expect(await spend({ tax_id: ours.taxes['RCM 12%'] })).toMatchObject({ total: 1000, tax_total: 0, rcm_tax_total: 120 })
  })

  test('with the credit blocked it is part of the expense', async () => {
    const expense = await spend({ is_rcm: true, rcm_rate: 5, itc_blocked_reason: '17(5)(b)' })
    expect(await ledger(expense)).toEqual([
      'Dr Rent 1,050.00\n   Cr Output CGST (RCM) 25.00\n   Cr Output SGST (RCM) 25.00\n   Cr Bank Account 1,000.00',
    ])
  })
})

test('blocked input tax is capitalised, line by line', async () => {
  const expense = await spend({
    itc_blocked_reason: 'Section 17(5)(a)', tax_id: ours.taxes['GST 18%'],
    line_items: [{ amount: 100 }, { amount: 200, account_id: ours.accounts.Vehicles }],
  })
  expect(expense).toMatchObject({ itc_blocked_reason: 'Section 17(5)(a)', tax_total: 54, total: 354 })
  expect(await ledger(expense)).toEqual(['Dr Rent 118.00\nDr Vehicles 236.00\n   Cr Bank Account 354.00'])
})

describe('a change posts the journal again', () => {
  test('the old entry is reversed on its own day', async () => {
    const before = await spend({ tax_id: ours.taxes['GST 18%'], notes: 'kept' })
    const { expense, message } = await ours.send('PUT', `/expenses/${before.expense_id}`, {
      amount: 500, date: '2026-11-12', paid_through_account_id: ours.accounts['Cash in Hand'],
    })
    expect([message, expense.total, expense.notes, expense.expense_number]).toEqual(['Expense updated.', 590, 'kept', before.expense_number])
    expect(await ledger(expense)).toEqual([
      'Dr Rent 1,000.00\nDr Input CGST 90.00\nDr Input SGST 90.00\n   Cr Bank Account 1,180.00',
      '   Cr Rent 1,000.00\n   Cr Input CGST 90.00\n   Cr Input SGST 90.00\nDr Bank Account 1,180.00',
      'Dr Rent 500.00\nDr Input CGST 45.00\nDr Input SGST 45.00\n   Cr Cash in Hand 590.00',
    ])
    const journals = (await ours.get('/journals?source=EXPENSE&sort=created_time')).journals.filter(({ source_id }: Json) => source_id === expense.expense_id)
    expect(journals.map(({ date }: Json) => date)).toEqual([midnight('2026-11-10'), midnight('2026-11-10'), midnight('2026-11-12')])
    const { activity } = await ours.get(`/expenses/${expense.expense_id}/activity`)
    expect(activity[0]).toMatchObject({ action: 'EXPENSE_UPDATED', changes: { date: { old: '2026-11-10', new: '2026-11-12' }, total: { old: 1180, new: 590 } } })
    expect((await ours.get(`/expenses/${expense.expense_id}`)).expense).toEqual(expense)
  })

  test('what the journal does not hold posts nothing, and no change is none', async () => {
    const before = await spend({ notes: 'a', rcm_rate: 18 })
    const path = `/expenses/${before.expense_id}`
    expect((await ours.send('PUT', path, { notes: null, mode: 'UPI' })).expense).toMatchObject({ notes: null, mode: 'UPI', total: 1000 })
    const { expense } = await ours.send('PUT', path, { amount: 1000, mode: 'UPI' })
    expect(await ledger(expense)).toHaveLength(1)
    expect((await ours.get(`${path}/activity`)).activity).toHaveLength(2)
  })

  test('lines are replaced whole; null makes the header count again', async () => {
    const path = `/expenses/${(await spend({ line_items: [{ amount: 10 }, { amount: 20 }] })).expense_id}`
    expect((await ours.send('PUT', path, { amount: 7 })).expense.total).toBe(30)
    expect((await ours.send('PUT', path, { line_items: [{ amount: 5, account_id: ours.accounts['Audit Fees'] }] })).expense)
      .toMatchObject({ total: 5, line_items: [{ account_id: ours.accounts['Audit Fees'] }] })
    expect((await ours.send('PUT', path, { line_items: null, amount: 8 })).expense).toMatchObject({ total: 8, line_items: [{ account_id: ours.accounts.Rent }] })
    expect(await ours.refusal('PUT', path, { account_id: null })).toMatchObject({ status: 422, errors: [{ field: 'account_id' }] })
    expect(await ours.refusal('PUT', path, { vendor_id: theirs.customerId })).toMatchObject({ status: 404, field: 'vendor_id' })
  })
})

test('a deleted expense is reversed today, and gone', async () => {
  const expense = await spend()
  const path = `/expenses/${expense.expense_id}`
  expect(await theirs.refusal('DELETE', path)).toMatchObject({ status: 404 })
  expect(await ours.send('DELETE', path)).toMatchObject({ code: 0, message: 'Expense deleted.' })
  for (const [method, at] of [['GET', path], ['DELETE', path], ['PUT', path], ['GET', `${path}/activity`]] as const) {
    expect(await ours.refusal(method, at, method === 'PUT' ? {} : undefined)).toMatchObject({ status: 404, code: 'not_found.resource' })
  }
  expect(await ledger(expense)).toEqual(['Dr Rent 1,000.00\n   Cr Bank Account 1,000.00', '   Cr Rent 1,000.00\nDr Bank Account 1,000.00'])
  expect((await ours.get('/journals')).journals[0]).toMatchObject({ source: 'EXPENSE', date: midnight(TODAY) })
  expect((await ours.get(`/activity?entity_id=${expense.expense_id}`)).activity[0]).toMatchObject({ action: 'EXPENSE_DELETED', entity_ref: expense.expense_number })
})

describe('what is refused', () => {
  test.each([
    [{ account_id: null }, ['account_id']],
    [{ amount: null }, ['amount']],
    [{ date: null, paid_through_account_id: undefined }, ['date', 'paid_through_account_id']],
    [{ amount: 0 }, ['amount']],
    [{ amount: -5 }, ['amount']],
    [{ line_items: [] }, ['line_items']],
    [{ account_id: null, line_items: [{ amount: 1 }, { amount: 'x' }] }, ['line_items.0.account_id', 'line_items.1.account_id', 'line_items.1.amount']],
    [{ is_rcm: true }, ['rcm_rate']],
    [{ rcm_rate: 101 }, ['rcm_rate']],
  ])('%j: 422 with every field', async (changes, fields) => {
    const { status, code, errors } = await refused(changes)
    expect([status, code, errors.map(({ field }: Json) => field).sort()]).toEqual([422, 'validation.failed', fields])
  })

  test('404 for what is not there', async () => {
    for (const [changes, field] of [
      [{ account_id: theirs.accounts.Rent }, 'account_id'], [{ account_id: 'x' }, 'account_id'],
      [{ paid_through_account_id: theirs.accounts['Bank Account'] }, 'paid_through_account_id'],
      [{ paid_through_account_id: ours.accounts.Rent }, 'paid_through_account_id'],
      [{ vendor_id: theirs.customerId }, 'vendor_id'], [{ tax_id: theirs.taxes['GST 18%'] }, 'tax_id'],
      [{ line_items: [{ amount: 1 }, { amount: 1, tax_id: 'x' }] }, 'line_items.1.tax_id'],
      [{ line_items: [{ amount: 1, account_id: theirs.accounts.Rent }] }, 'line_items.0.account_id'],
    ] as const) expect(await refused(changes)).toEqual({ status: 404, code: 'not_found.resource', field })
  })

  test('400 for what cannot be', async () => {
    const at = (field: string) => expect.objectContaining({ status: 400, code: 'validation.invalid_value', field })
    expect(await refused({ account_id: ours.accounts.Sales })).toEqual(at('account_id'))
    expect(await refused({ account_id: ours.accounts['Accounts Payable'] })).toEqual(at('account_id'))
    expect(await refused({ amount: 0.001 })).toEqual(at('amount'))
    expect(await refused({ vendor_id: ours.customerId })).toEqual(at('vendor_id'))
    expect(await refused({ amount: 1e13, tax_id: ours.taxes['GST 18%'] })).toEqual(at('total'))
  })
})

test('the list is filtered by vendor, account, dates and change', async () => {
  const org = await openOrganization(service)
  const vendor_id = await addContact(org, { contact_type: 'BOTH', contact_name: 'Both' })
  const of = (changes: Record<string, unknown>) => org.send('POST', '/expenses', {
    account_id: org.accounts.Rent, paid_through_account_id: org.accounts['Bank Account'], amount: 1, ...changes,
  })
  await of({ date: '2026-05-01', notes: 'a', vendor_id })
  await of({ date: '2026-05-02', notes: 'b' })
  const { expense: last } = await of({ date: '2026-05-03', notes: 'c', line_items: [{ amount: 1 }, { amount: 2, account_id: org.accounts['Audit Fees'] }] })
  const listed = async (query: string) => (await org.get(`/expenses?${query}`)).expenses.map(({ notes }: Json) => notes)
  expect(await listed('')).toEqual(['c', 'b', 'a'])
  expect(await listed('sort=created_time')).toEqual(['a', 'b', 'c'])
  expect(await listed(`vendor_id=${vendor_id}`)).toEqual(['a'])
  expect(await listed(`account_id=${org.accounts['Audit Fees']}`)).toEqual(['c'])
  expect(await listed(`account_id=${org.accounts.Rent}`)).toEqual(['c', 'b', 'a'])
  expect(await listed("account_id=1' OR '1'='1")).toEqual([])
  expect(await listed('date_from=2026-05-02&date_to=2026-05-02')).toEqual(['b'])
  expect(await listed(`modified_since=${last.last_modified_time}`)).toEqual(['c'])
  expect((await org.listAll('/expenses', 'expenses', 1)).map(({ notes }) => notes)).toEqual(['c', 'b', 'a'])
})

test('in a currency of three digits', async () => {
  const abroad = await openOrganization(service, { currency_code: 'KWD' })
  const { expense } = await abroad.send('POST', '/expenses', {
    date: '2026-05-01', account_id: abroad.accounts.Rent, paid_through_account_id: abroad.accounts['Bank Account'], amount: 1.234,
    tax_id: abroad.taxes['IGST 5%'],
  })
  expect(expense).toMatchObject({ total: 1.296, tax_total: 0.062, currency_code: 'KWD' })
  expect(await abroad.ledger(expense.expense_id, 'KWD')).toEqual(['Dr Rent 1.234\nDr Input IGST 0.062\n   Cr Bank Account 1.296'])
})
