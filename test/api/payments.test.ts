// Payments over HTTP: what is answered, what they do to the books, what is refused, lists and events.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { Json } from '../fixtures/client.ts'
import { addContact, openOrganization, paymentState } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)
const theirs = await openOrganization(service)

const BAD = { status: 400, code: 'validation.invalid_value' }

test('a payment answers all that is known of it, in lists as alone', async () => {
  const { invoice_id } = await ours.sentInvoice()
  const { status, body } = await ours.client.post('/payments', ours.receiptBody({
    amount: 250.5, reference_number: 'UTR 9', description: 'On account', mode: 'UPI', tds_amount: 10, bank_charges: 1.25,
    allocations: [{ invoice_id: invoice_id.toUpperCase(), bill_id: null, amount: 40 }],
  }))
  expect([status, body.code, body.message, body.warnings]).toEqual([201, 0, 'Payment recorded.', []])
  expect(body.payment).toEqual({
    payment_id: expect.any(String), payment_number: 'PAY-00001', flow: 'INCOMING', payment_type: 'REGULAR', contact_id: ours.customerId,
    contact_name: 'Meena Sarees', date: '2026-11-10T00:00:00.000Z', amount: 250.5, unapplied_amount: 210.5, mode: 'UPI',
    reference_number: 'UTR 9', description: 'On account', bank_account_id: ours.accounts['Bank'] ?? expect.any(String),
    currency_code: 'INR', exchange_rate: 1, bank_charges: 1.25, tds_amount: 10, tags: [],
    allocations: [{ allocation_id: expect.any(String), invoice_id, bill_id: null, amount: 40 }],
    created_time: expect.any(String), last_modified_time: body.payment.created_time,
  })
  expect(await ours.getPayment(body.payment.payment_id)).toEqual(body.payment)
  expect((await ours.get('/payments?per_page=1')).payments).toEqual([body.payment])
  expect(paymentState(await ours.getInvoice(invoice_id))).toEqual(['PARTIALLY_PAID', 40, 60])
  expect(await theirs.refusal('GET', `/payments/${body.payment.payment_id}`)).toEqual({ status: 404, code: 'not_found.resource' })
})

describe('the journal', () => {
  test.each<[string, () => Json, string]>([
    ['of a receipt', () => ours.receiptBody(), 'Dr Bank Account 100.00\n   Cr Accounts Receivable (customer) 100.00'],
    ['of a receipt with TDS and charges', () => ours.receiptBody({ amount: 1180, tds_amount: 100, bank_charges: 5.9 }), [
      'Dr Bank Account 1,074.10', 'Dr TDS Receivable 100.00', 'Dr Bank Charges 5.90', '   Cr Accounts Receivable (customer) 1,180.00',
    ].join('\n')],
    ['of a payment', () => ours.vendorPaymentBody(), 'Dr Accounts Payable (customer) 100.00\n   Cr Bank Account 100.00'],
    ['of a payment with TDS and charges', () => ours.vendorPaymentBody({ amount: 1180, tds_amount: 100, bank_charges: 5.9 }), [
      'Dr Accounts Payable (customer) 1,180.00', 'Dr Bank Charges 5.90', '   Cr TDS Payable 100.00', '   Cr Bank Account 1,085.90',
    ].join('\n')],
    ["of a customer's refund", () => ({ ...ours.vendorPaymentBody(), payment_type: 'REFUND', contact_id: ours.customerId }),
      'Dr Accounts Receivable (customer) 100.00\n   Cr Bank Account 100.00'],
    ["of a vendor's refund", () => ({ ...ours.receiptBody(), payment_type: 'REFUND', contact_id: ours.vendorId }),
      'Dr Bank Account 100.00\n   Cr Accounts Payable (customer) 100.00'],
    ['in cash', () => ours.receiptBody({ bank_account_id: ours.accounts['Cash in Hand'] }), 'Dr Cash in Hand 100.00\n   Cr Accounts Receivable (customer) 100.00'],
    ['in dollars', () => ours.receiptBody({ currency_code: 'USD', exchange_rate: 83.25 }), 'Dr Bank Account 8,325.00\n   Cr Accounts Receivable (customer) 8,325.00'],
    ['in yen', () => ours.vendorPaymentBody({ currency_code: 'JPY', exchange_rate: 0.55, amount: 1001 }), 'Dr Accounts Payable (customer) 550.55\n   Cr Bank Account 550.55'],
  ])('%s', async (_what, body, written) => {
    const { payment_id, unapplied_amount, payment_type, amount } = await ours.payment(body())
    expect(await ours.ledger(payment_id)).toEqual([written])
    expect(unapplied_amount).toBe(payment_type === 'REFUND' ? 0 : amount)
  })

  test.each([
    // rate of the invoice, of the payment, gain
    [80, 83, 300], [83, 80, -300], [80, 80, 0],
  ])('of an invoice at %d paid at %d', async (before, then, gain) => {
    const { invoice_id } = await ours.sentInvoice({ currency_code: 'USD', exchange_rate: before })
    const { payment_id } = await ours.payment(ours.receiptBody({
      currency_code: 'USD', exchange_rate: then, amount: 150, allocations: [{ invoice_id, amount: 100 }],
    }))
    const receivable = 100 * before + 50 * then
    const [written] = await ours.ledger(payment_id)
    const money = (value: number) => value.toLocaleString('en-IN', { minimumFractionDigits: 2 })
    expect(written!.split('\n')).toEqual([
      `Dr Bank Account ${money(150 * then)}`, `   Cr Accounts Receivable (customer) ${money(receivable)}`,
      ...(gain > 0 ? [`   Cr Exchange Gain or Loss ${money(gain)}`] : gain < 0 ? [`Dr Exchange Gain or Loss ${money(-gain)}`] : []),
    ])
  })

  test('of a bill paid dearer than it was booked is a loss', async () => {
    const { bill_id } = await ours.openBill({ currency_code: 'USD', exchange_rate: 80 })
    const { payment_id } = await ours.payment(ours.vendorPaymentBody({ currency_code: 'USD', exchange_rate: 83, allocations: [{ bill_id, amount: 100 }] }))
    expect(await ours.ledger(payment_id)).toEqual([
      'Dr Accounts Payable (customer) 8,000.00\nDr Exchange Gain or Loss 300.00\n   Cr Bank Account 8,300.00',
    ])
  })

  test('has the description, the date and the contact of the payment', async () => {
    const { payment_id, payment_number } = await ours.payment(ours.receiptBody({ date: '2026-10-01', amount: 3 }))
    const named = await ours.payment(ours.receiptBody({ date: '2026-10-01', amount: 4, description: 'Diwali' }))
    const { journals } = await ours.get('/journals?source=PAYMENT&per_page=2')
    expect(journals).toMatchObject([
      { source_id: named.payment_id, memo: 'Diwali', contact_id: ours.customerId, date: '2026-10-01T00:00:00.000Z' },
      { source_id: payment_id, memo: `Payment ${payment_number}` },
    ])
  })
})

describe('refusals', () => {
  const shape = async (body: Json, fields: string[]) => {
    const { status, code, errors } = await ours.refusedPayment(body)
    expect([status, code, [...new Set(errors.map(({ field }: Json) => field))].toSorted()]).toEqual([422, 'validation.failed', fields])
  }
  test('of a wrong shape', async () => {
    await shape({}, ['amount', 'contact_id', 'date', 'flow'])
    await shape(ours.receiptBody({ flow: 'SIDEWAYS', mode: 'BARTER', payment_type: 'GIFT' }), ['flow', 'mode', 'payment_type'])
    await shape(ours.receiptBody({ amount: 0, tds_amount: -1, bank_charges: -1 }), ['amount', 'bank_charges', 'tds_amount'])
    await shape(ours.receiptBody({ allocations: [{ amount: 1 }, { invoice_id: 'a', bill_id: 'b', amount: 0 }, 7] }),
      ['allocations.0.invoice_id', 'allocations.1.amount', 'allocations.1.bill_id', 'allocations.2'])
    await shape(ours.receiptBody({ currency_code: 'USD' }), ['exchange_rate'])
  })

  test.each<[Json, Json]>([
    [{ amount: 0.001 }, { ...BAD, field: 'amount' }],
    [{ tds_amount: 100.01 }, { ...BAD, field: 'tds_amount', details: { limit: 100 } }],
    [{ tds_amount: 60, bank_charges: 40.01 }, { ...BAD, field: 'bank_charges', details: { limit: 40 } }],
    [{ currency_code: 'KWD', exchange_rate: 270, amount: 1e13 }, { ...BAD, field: 'amount', details: { limit: 1e12 } }],
    [{ currency_code: 'ZZZ', exchange_rate: 2 }, { ...BAD, field: 'currency_code' }],
    [{ exchange_rate: 2 }, { ...BAD, field: 'exchange_rate' }],
  ])('of %j', async (changes, answer) => {
    expect(await ours.refusedPayment(ours.receiptBody(changes))).toEqual(answer)
  })

  test('of the wrong party', async () => {
    expect(await ours.refusedPayment(ours.receiptBody({ contact_id: ours.vendorId }))).toEqual({ ...BAD, field: 'contact_id' })
    expect(await ours.refusedPayment(ours.vendorPaymentBody({ contact_id: ours.customerId }))).toEqual({ ...BAD, field: 'contact_id' })
    expect(await ours.refusedPayment(ours.receiptBody({ payment_type: 'REFUND' }))).toEqual({ ...BAD, field: 'contact_id' })
  })

  test('of what is not ours', async () => {
    const missing = { status: 404, code: 'not_found.resource' }
    const their = (await theirs.invoice({ auto_approve: true })).invoice_id
    for (const id of [theirs.customerId, randomUUID(), 'nobody']) expect(await ours.refusedPayment(ours.receiptBody({ contact_id: id }))).toEqual({ ...missing, field: 'contact_id' })
    for (const id of [their, randomUUID(), 'A-1']) {
      expect(await ours.refusedPayment(ours.receiptBody({ allocations: [{ invoice_id: id, amount: 1 }] }))).toEqual({ ...missing, field: 'allocations.0.invoice_id' })
      expect(await ours.refusedPayment(ours.vendorPaymentBody({ allocations: [{ bill_id: id, amount: 1 }] }))).toEqual({ ...missing, field: 'allocations.0.bill_id' })
    }
    for (const id of [ours.accounts['Sales']!, theirs.accounts['Cash in Hand']!, randomUUID(), 'bank']) {
      expect(await ours.refusedPayment(ours.receiptBody({ bank_account_id: id }))).toEqual({ ...missing, field: 'bank_account_id' })
    }
  })

  test('of allocations', async () => {
    const { invoice_id } = await ours.sentInvoice()
    const { bill_id } = await ours.openBill()
    const otherKey = (await ours.sentInvoice({ customer_id: await addContact(ours) })).invoice_id
    const dollars = (await ours.sentInvoice({ currency_code: 'USD', exchange_rate: 80 })).invoice_id
    const to = (...allocations: Json[]) => ours.refusedPayment(ours.receiptBody({ allocations }))
    expect(await to({ bill_id, amount: 1 })).toEqual({ ...BAD, field: 'allocations.0.bill_id' })
    expect(await ours.refusedPayment(ours.vendorPaymentBody({ allocations: [{ invoice_id, amount: 1 }] }))).toEqual({ ...BAD, field: 'allocations.0.invoice_id' })
    expect(await to({ invoice_id, amount: 60 }, { invoice_id, amount: 40.01 })).toEqual({ ...BAD, field: 'allocations', details: { limit: 100 } })
    expect(await ours.refusedPayment(ours.receiptBody({ amount: 500, allocations: [{ invoice_id, amount: 100.01 }] })))
      .toEqual({ ...BAD, field: 'allocations.0.amount', details: { limit: 100 } })
    expect(await ours.refusedPayment(ours.receiptBody({ amount: 500, allocations: [{ invoice_id, amount: 60 }, { invoice_id, amount: 60 }] })))
      .toEqual({ ...BAD, field: 'allocations.1.amount', details: { limit: 40 } })
    expect(await to({ invoice_id: otherKey, amount: 1 })).toEqual({ ...BAD, field: 'allocations.0.invoice_id' })
    expect(await to({ invoice_id, amount: 1 }, { invoice_id: dollars, amount: 1 })).toEqual({ ...BAD, field: 'allocations.1.invoice_id' })
    expect(await ours.refusedPayment({ ...ours.vendorPaymentBody({ payment_type: 'REFUND' }), contact_id: ours.customerId, allocations: [{ bill_id, amount: 1 }] }))
      .toEqual({ ...BAD, field: 'allocations.0.bill_id' })
    expect(paymentState(await ours.getInvoice(invoice_id))).toEqual(['SENT', 0, 100])
  })

  test('of documents that take no money', async () => {
    const allowed = ['SENT', 'PARTIALLY_PAID', 'OVERDUE']
    const draft = await ours.invoice()
    const cancelled = await ours.sentInvoice()
    await ours.send('POST', `/invoices/${cancelled.invoice_id}/void`, {})
    for (const [{ invoice_id }, status] of [[draft, 'DRAFT'], [cancelled, 'CANCELLED']]) {
      expect(await ours.refusedPayment(ours.receiptBody({ allocations: [{ invoice_id, amount: 1 }] })))
        .toEqual({ status: 409, code: 'conflict.invalid_state', details: { status, allowed } })
    }
    const settled = (await ours.sentInvoice()).invoice_id
    await ours.payment(ours.receiptBody({ allocations: [{ invoice_id: settled, amount: 100 }] }))
    expect(await ours.refusedPayment(ours.receiptBody({ allocations: [{ invoice_id: settled, amount: 1 }] })))
      .toEqual({ ...BAD, field: 'allocations.0.amount', details: { limit: 0 } })
  })
})

test('events announce money that came and went, and what it settled', async () => {
  const since = await service.sql<{ id: string }>('SELECT id FROM webhook_events WHERE org_id = $1', ours.orgId)
  const { invoice_id, invoice_number } = await ours.sentInvoice()
  const { payment_id, payment_number } = await ours.payment(ours.receiptBody({ amount: 130, reference_number: 'events', allocations: [{ invoice_id, amount: 100 }] }))
  await ours.payment(ours.vendorPaymentBody({ amount: 7, reference_number: 'events' }))
  const rows = await service.sql<{ event_type: string; data: Json }>(
    'SELECT event_type, data FROM webhook_events WHERE org_id = $1 AND NOT id = ANY ($2) ORDER BY occurred_at, id', ours.orgId, since.map(({ id }) => id))
  expect(rows.map(({ event_type }) => event_type)).toEqual(['INVOICE_CREATED', 'INVOICE_PAID', 'PAYMENT_RECEIVED', 'PAYMENT_MADE'])
  expect(rows[1]!.data).toMatchObject({ id: invoice_id, number: invoice_number, status: 'PAID', sequence: 2 })
  expect(rows[2]!.data).toEqual({
    id: payment_id, number: payment_number, contact_id: ours.customerId, total: 130, amount: 130, status: null, flow: 'INCOMING', sequence: 1,
  })
})

test('lists are filtered', async () => {
  const [customerId, vendorId] = [await addContact(theirs), await addContact(theirs, { contact_type: 'VENDOR' })]
  const pay = async (body: Json) => (await theirs.send('POST', '/payments', body)).payment.payment_id
  const early = await pay({ flow: 'INCOMING', contact_id: customerId, date: '2026-04-01', amount: 5 })
  const late = await pay({ flow: 'INCOMING', contact_id: customerId, date: '2026-05-01', amount: 5 })
  const made = await pay({ flow: 'OUTGOING', contact_id: vendorId, date: '2026-05-01', amount: 5 })
  const found = async (query: string) => (await theirs.get(`/payments?${query}`)).payments.map(({ payment_id }: Json) => payment_id)
  expect(await found('')).toEqual([made, late, early])
  expect(await found('sort=created_time')).toEqual([early, late, made])
  expect(await found('flow=INCOMING')).toEqual([late, early])
  expect(await found(`contact_id=${vendorId}`)).toEqual([made])
  expect(await found('date_to=2026-04-30')).toEqual([early])
  expect(await found('date_from=2026-04-02&flow=OUTGOING')).toEqual([made])
  expect(await found('modified_since=2999-01-01')).toEqual([])
  expect(await theirs.refusal('GET', '/payments?flow=UP')).toEqual({ ...BAD, field: 'flow', details: { valid: ['INCOMING', 'OUTGOING'] } })
  expect((await theirs.listAll('/payments', 'payments', 1)).map(({ payment_id }) => payment_id)).toEqual([made, late, early])
  expect(await theirs.refusal('DELETE', `/contacts/${customerId}`))
    .toMatchObject({ status: 409, code: 'conflict.in_use', details: { payments: 2, journal_lines: 2 } })
})
