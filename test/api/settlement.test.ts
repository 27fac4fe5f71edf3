// What payments settle, over HTTP: states of invoices and bills, later applies, voids, and many calls at once.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, paymentState, TODAY } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)

const BAD = { status: 400, code: 'validation.invalid_value' }
const MISSING = { status: 404, code: 'not_found.resource' }

test.each([
  ['/invoices', 'invoice', 'INCOMING', 'SENT'], ['/bills', 'bill', 'OUTGOING', 'OPEN'],
] as const)('%s are paid in parts, and owe again what a deleted payment had settled', async (path, noun, flow, open) => {
  const id = `${noun}_id`
  const document = await (noun === 'invoice' ? ours.sentInvoice() : ours.openBill())
  const pay = (amount: number) => ours.payment((flow === 'INCOMING' ? ours.receiptBody : ours.vendorPaymentBody)({ amount, allocations: [{ [id]: document[id], amount }] }))
  const now = async () => paymentState((await ours.get(`${path}/${document[id]}`))[noun])
  const first = await pay(30)
  expect(await now()).toEqual(['PARTIALLY_PAID', 30, 70])
  const second = await pay(70)
  expect(await now()).toEqual(['PAID', 100, 0])
  expect((await ours.refusal('POST', `${path}/${document[id]}/void`, {})).code).toBe(`conflict.${noun}_paid`)
  await ours.send('DELETE', `/payments/${first.payment_id}`)
  expect(await now()).toEqual(['PARTIALLY_PAID', 70, 30])
  await service.sql(`UPDATE ${path.slice(1)} SET status = 'OVERDUE' WHERE id = $1`, document[id])
  const third = await pay(30)
  expect(await now()).toEqual(['PAID', 100, 0])
  await ours.send('DELETE', `/payments/${third.payment_id}`)
  await service.sql(`UPDATE ${path.slice(1)} SET status = 'OVERDUE' WHERE id = $1`, document[id])
  await ours.send('DELETE', `/payments/${second.payment_id}`)
  expect(await now()).toEqual(['OVERDUE', 0, 100])
  await service.sql(`UPDATE ${path.slice(1)} SET status = $2 WHERE id = $1`, document[id], open)
  const last = await pay(100)
  await ours.send('DELETE', `/payments/${last.payment_id}`)
  expect(await now()).toEqual([open, 0, 100])
  expect(await ours.refusal('GET', `/payments/${last.payment_id}`)).toEqual({ status: 404, code: 'not_found.resource' })
  const [entry, reversal] = await ours.ledger(last.payment_id)
  expect(entry!.split('\n').length).toBe(reversal!.split('\n').length)
  const { activity } = await ours.get(`${path}/${document[id]}/activity`)
  const kind = noun.toUpperCase()
  expect(activity.slice(0, 2).map(({ action, metadata }: Json) => [action, metadata.payment_id]))
    .toEqual([[`${kind}_UPDATED`, last.payment_id], [`${kind}_PAID`, last.payment_id]])
  expect(activity.map(({ action }: Json) => action)).toContain(`${kind}_PARTIALLY_PAID`)
})

describe('applying', () => {
  const apply = (id: string, body: Json) => ours.refusal('POST', `/payments/${id}/apply`, body)

  test('one allocation a call, until nothing is left', async () => {
    const [one, two] = [await ours.sentInvoice(), await ours.sentInvoice()]
    const { payment_id } = await ours.payment(ours.receiptBody({ amount: 120, payment_type: 'ADVANCE' }))
    const { payment, message } = await ours.send('POST', `/payments/${payment_id}/apply`, { invoice_id: one.invoice_id, amount: 100 })
    expect([message, payment.unapplied_amount, payment.allocations]).toEqual(
      ['Payment applied.', 20, [{ allocation_id: expect.any(String), invoice_id: one.invoice_id, bill_id: null, amount: 100 }]])
    expect(await apply(payment_id, { invoice_id: two.invoice_id, amount: 20.01 })).toEqual({ ...BAD, field: 'amount', details: { limit: 20 } })
    expect(await apply(payment_id, { invoice_id: one.invoice_id, amount: 1 })).toEqual({ ...BAD, field: 'amount', details: { limit: 0 } })
    const { bill_id } = await ours.openBill()
    expect(await apply(payment_id, { bill_id, amount: 1 })).toEqual({ ...BAD, field: 'bill_id' })
    expect(await apply(payment_id, { bill_id: two.invoice_id, amount: 1 })).toEqual({ ...MISSING, field: 'bill_id' })
    expect(await apply(payment_id, { invoice_id: randomUUID(), amount: 1 })).toEqual({ ...MISSING, field: 'invoice_id' })
    expect((await apply(payment_id, { amount: 1 })).status).toBe(422)
    await ours.send('POST', `/payments/${payment_id}/apply`, { invoice_id: two.invoice_id, amount: 20 })
    expect([paymentState(await ours.getInvoice(one.invoice_id)), paymentState(await ours.getInvoice(two.invoice_id))])
      .toEqual([['PAID', 100, 0], ['PARTIALLY_PAID', 20, 80]])
    expect(await ours.ledger(payment_id)).toHaveLength(1)
    const { status } = await ours.client.call('POST', `/payments/${payment_id}/apply`, { body: { invoice_id: two.invoice_id, amount: 1 } })
    expect(status).toBe(400)
  })

  test('posts the exchange difference on the day', async () => {
    const { invoice_id } = await ours.sentInvoice({ currency_code: 'USD', exchange_rate: 80 })
    const { payment_id } = await ours.payment(ours.receiptBody({ currency_code: 'USD', exchange_rate: 83, date: '2026-10-05' }))
    await ours.send('POST', `/payments/${payment_id}/apply`, { invoice_id, amount: 60 })
    expect((await ours.ledger(payment_id))[1]).toBe('Dr Accounts Receivable (customer) 180.00\n   Cr Exchange Gain or Loss 180.00')
    expect((await ours.get('/journals?per_page=1')).journals[0].date).toBe(`${TODAY}T00:00:00.000Z`)
    // The entry of the payment stays on its date, the difference on its day, when both are posted again.
    await ours.send('PUT', `/payments/${payment_id}`, { exchange_rate: 84 })
    expect((await ours.ledger(payment_id)).slice(-2)).toEqual([
      'Dr Bank Account 8,400.00\n   Cr Accounts Receivable (customer) 8,400.00',
      'Dr Accounts Receivable (customer) 240.00\n   Cr Exchange Gain or Loss 240.00',
    ])
    await ours.send('POST', `/invoices/${invoice_id}/void`, {})
    expect((await ours.ledger(payment_id)).at(-1)).toBe('   Cr Accounts Receivable (customer) 240.00\nDr Exchange Gain or Loss 240.00')
    expect(await ours.getPayment(payment_id)).toMatchObject({ unapplied_amount: 100, allocations: [] })
    expect(await service.audit()).toEqual([])
    await ours.send('DELETE', `/payments/${payment_id}`)
  })
})

test.each([['/invoices', 'invoice_id'], ['/bills', 'bill_id']] as const)('a void of %s in part paid gives the money back', async (path, id) => {
  const document = path === '/invoices' ? await ours.sentInvoice() : await ours.openBill()
  const body = path === '/invoices' ? ours.receiptBody : ours.vendorPaymentBody
  const payments = [await ours.payment(body({ amount: 30, allocations: [{ [id]: document[id], amount: 30 }] })),
    await ours.payment(body({ amount: 50, allocations: [{ [id]: document[id], amount: 20 }] }))]
  const voided = await ours.send('POST', `${path}/${document[id]}/void`, { reason: 'Wrong goods' })
  expect(paymentState(voided.invoice ?? voided.bill)).toEqual(['CANCELLED', 0, 0])
  for (const { payment_id, amount } of payments) {
    expect(await ours.getPayment(payment_id)).toMatchObject({ unapplied_amount: amount, allocations: [] })
  }
})

test('allocations of a foreign invoice come to what it was booked at, whichever is deleted', async () => {
  const USD = { currency_code: 'USD', exchange_rate: 0.3333333333 }
  const { invoice_id } = await ours.sentInvoice({ ...USD, line_items: [line({ rate: 0.1 })] })
  const body = (amount: number) => ours.receiptBody({ ...USD, exchange_rate: 0.77, amount, reference_number: randomUUID(), allocations: [{ invoice_id, amount }] })
  const made = [await ours.payment(body(0.01)), await ours.payment(body(0.04)), await ours.payment(body(0.05))]
  expect(paymentState(await ours.getInvoice(invoice_id))).toEqual(['PAID', 0.1, 0])
  expect(await service.audit()).toEqual([])
  await ours.send('DELETE', `/payments/${made[0].payment_id}`)
  expect(await service.audit()).toEqual([])
  const again = await ours.payment(body(0.01))
  expect(await service.audit()).toEqual([])
  for (const { payment_id } of [made[2], again, made[1]]) await ours.send('DELETE', `/payments/${payment_id}`)
  expect(paymentState(await ours.getInvoice(invoice_id))).toEqual(['SENT', 0, 0.1])
})

test('fifty payments at once never settle more than is owed', async () => {
  const { invoice_id } = await ours.sentInvoice({ line_items: [line({ rate: 1000 })] })
  const answers = await Promise.all(Array.from({ length: 50 }, (_, place) => (
    ours.client.post('/payments', ours.receiptBody({ reference_number: `P ${place}`, amount: 70, allocations: [{ invoice_id, amount: 70 }] }))
  )))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(14)
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(36)
  expect(paymentState(await ours.getInvoice(invoice_id))).toEqual(['PARTIALLY_PAID', 980, 20])
})

test('one payment applied to many invoices at once never gives more than it has', async () => {
  const { payment_id } = await ours.payment(ours.receiptBody({ amount: 250, reference_number: 'one for all' }))
  const invoices = await Promise.all(Array.from({ length: 8 }, () => ours.sentInvoice()))
  const answers = await Promise.all(invoices.map(({ invoice_id }) => ours.client.post(`/payments/${payment_id}/apply`, { invoice_id, amount: 100 })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
  expect((await ours.getPayment(payment_id)).unapplied_amount).toBe(50)
})

test('pay, void and delete at once end in a legal state', async () => {
  for (let round = 0; round < 4; round += 1) {
    const { invoice_id } = await ours.sentInvoice()
    const { payment_id } = await ours.payment(ours.receiptBody({ amount: 60, reference_number: `r ${round}`, allocations: [{ invoice_id, amount: 60 }] }))
    const answers = await Promise.all([
      ours.client.post(`/invoices/${invoice_id}/void`, {}),
      ours.client.delete(`/payments/${payment_id}`),
      ours.client.post('/payments', ours.receiptBody({ amount: 40, reference_number: `s ${round}`, allocations: [{ invoice_id, amount: 40 }] })),
      ours.client.put(`/payments/${payment_id}`, { description: 'Meanwhile' }),
    ])
    for (const { status } of answers) expect(status).toBeLessThan(500)
    expect(await service.audit()).toEqual([])
  }
})
