// Payments over HTTP: what is answered, what they do to the books, which allocations are allowed, changes and deletion.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openBooks } from '../../commands/books.ts'
import type { Caller } from '../../commands/caller.ts'
import { recordPayment, type NewPayment } from '../../commands/payments.ts'
import type { OrganizationRow } from '../../models/organization.ts'
import { customer, line, TODAY } from './fixtures.ts'
import { openMill, type Mill } from './mill.ts'
import type { Json } from './organization.ts'
import { startService, type Service } from './service.ts'

let service: Service
let ours: Mill
let theirs: Mill

beforeAll(async () => {
  service = await startService()
  ours = await openMill(service)
  theirs = await openMill(service)
})
afterAll(() => service.close())

const BAD = { status: 400, code: 'validation.invalid_value' }
const incoming = (changes: Json = {}) => ({ flow: 'INCOMING', contact_id: ours.customerId, date: '2026-11-10', amount: 100, ...changes })
const outgoing = (changes: Json = {}) => ({ flow: 'OUTGOING', contact_id: ours.vendorId, date: '2026-11-10', amount: 100, ...changes })
const paid = async (body: Json): Promise<Json> => (await ours.send('POST', '/payments', body)).payment
const refused = (body: Json) => ours.refusal('POST', '/payments', body)
const sent = (changes: Json = {}) => ours.invoice({ auto_approve: true, ...changes })
const opened = (changes: Json = {}) => ours.bill({ auto_approve: true, ...changes })
const invoiceNow = async (id: string) => (await ours.get(`/invoices/${id}`)).invoice
const paymentNow = async (id: string) => (await ours.get(`/payments/${id}`)).payment
const standing = ({ status, payment_made, balance }: Json) => [status, payment_made, balance]

test('a payment answers all that is known of it, in lists as alone', async () => {
  const { invoice_id } = await sent()
  const { status, body } = await ours.client.post('/payments', incoming({
    amount: 250.5, reference_number: 'UTR 9', description: 'On account', mode: 'UPI', tds_amount: 10, bank_charges: 1.25,
    allocations: [{ invoice_id: invoice_id.toUpperCase(), bill_id: null, amount: 40 }],
  }))
  expect([status, body.code, body.message, body.warnings]).toEqual([201, 0, 'Payment recorded.', undefined])
  expect(body.payment).toEqual({
    payment_id: expect.any(String), payment_number: 'PAY-00001', flow: 'INCOMING', payment_type: 'REGULAR', contact_id: ours.customerId,
    contact_name: 'Meena Sarees', date: '2026-11-10T00:00:00.000Z', amount: 250.5, unapplied_amount: 210.5, mode: 'UPI',
    reference_number: 'UTR 9', description: 'On account', bank_account_id: ours.accounts['Bank'] ?? expect.any(String),
    currency_code: 'INR', exchange_rate: 1, bank_charges: 1.25, tds_amount: 10,
    allocations: [{ allocation_id: expect.any(String), invoice_id, bill_id: null, amount: 40 }],
    created_time: expect.any(String), last_modified_time: body.payment.created_time,
  })
  expect(await paymentNow(body.payment.payment_id)).toEqual(body.payment)
  expect((await ours.get('/payments?per_page=1')).payments).toEqual([body.payment])
  expect(standing(await invoiceNow(invoice_id))).toEqual(['PARTIALLY_PAID', 40, 60])
  expect(await theirs.refusal('GET', `/payments/${body.payment.payment_id}`)).toEqual({ status: 404, code: 'not_found.resource' })
})

describe('the journal', () => {
  test.each<[string, () => Json, string]>([
    ['of a receipt', () => incoming(), 'Dr Bank Account 100.00\n   Cr Accounts Receivable (customer) 100.00'],
    ['of a receipt with TDS and charges', () => incoming({ amount: 1180, tds_amount: 100, bank_charges: 5.9 }), [
      'Dr Bank Account 1,074.10', 'Dr TDS Receivable 100.00', 'Dr Bank Charges 5.90', '   Cr Accounts Receivable (customer) 1,180.00',
    ].join('\n')],
    ['of a payment', () => outgoing(), 'Dr Accounts Payable (customer) 100.00\n   Cr Bank Account 100.00'],
    ['of a payment with TDS and charges', () => outgoing({ amount: 1180, tds_amount: 100, bank_charges: 5.9 }), [
      'Dr Accounts Payable (customer) 1,180.00', 'Dr Bank Charges 5.90', '   Cr TDS Payable 100.00', '   Cr Bank Account 1,085.90',
    ].join('\n')],
    ["of a customer's refund", () => ({ ...outgoing(), payment_type: 'REFUND', contact_id: ours.customerId }),
      'Dr Accounts Receivable (customer) 100.00\n   Cr Bank Account 100.00'],
    ["of a vendor's refund", () => ({ ...incoming(), payment_type: 'REFUND', contact_id: ours.vendorId }),
      'Dr Bank Account 100.00\n   Cr Accounts Payable (customer) 100.00'],
    ['in cash', () => incoming({ bank_account_id: ours.accounts['Cash in Hand'] }), 'Dr Cash in Hand 100.00\n   Cr Accounts Receivable (customer) 100.00'],
    ['in dollars', () => incoming({ currency_code: 'USD', exchange_rate: 83.25 }), 'Dr Bank Account 8,325.00\n   Cr Accounts Receivable (customer) 8,325.00'],
    ['in yen', () => outgoing({ currency_code: 'JPY', exchange_rate: 0.55, amount: 1001 }), 'Dr Accounts Payable (customer) 550.55\n   Cr Bank Account 550.55'],
  ])('%s', async (_what, body, written) => {
    const { payment_id, unapplied_amount, payment_type, amount } = await paid(body())
    expect(await ours.ledger(payment_id)).toEqual([written])
    expect(unapplied_amount).toBe(payment_type === 'REFUND' ? 0 : amount)
  })

  test.each([
    // rate of the invoice, of the payment, gain
    [80, 83, 300], [83, 80, -300], [80, 80, 0],
  ])('of an invoice at %d paid at %d', async (before, then, gain) => {
    const { invoice_id } = await sent({ currency_code: 'USD', exchange_rate: before })
    const { payment_id } = await paid(incoming({
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
    const { bill_id } = await opened({ currency_code: 'USD', exchange_rate: 80 })
    const { payment_id } = await paid(outgoing({ currency_code: 'USD', exchange_rate: 83, allocations: [{ bill_id, amount: 100 }] }))
    expect(await ours.ledger(payment_id)).toEqual([
      'Dr Accounts Payable (customer) 8,000.00\nDr Exchange Gain or Loss 300.00\n   Cr Bank Account 8,300.00',
    ])
  })

  test('is told by the description, dated as the payment, and of the contact', async () => {
    const { payment_id, payment_number } = await paid(incoming({ date: '2026-10-01', amount: 3 }))
    const named = await paid(incoming({ date: '2026-10-01', amount: 4, description: 'Diwali' }))
    const { journals } = await ours.get('/journals?source=PAYMENT&per_page=2')
    expect(journals).toMatchObject([
      { source_id: named.payment_id, memo: 'Diwali', contact_id: ours.customerId, date: '2026-10-01T00:00:00.000Z' },
      { source_id: payment_id, memo: `Payment ${payment_number}` },
    ])
  })
})

describe('refusals', () => {
  const shape = async (body: Json, fields: string[]) => {
    const { status, code, errors } = await refused(body)
    expect([status, code, [...new Set(errors.map(({ field }: Json) => field))].toSorted()]).toEqual([422, 'validation.failed', fields])
  }
  test('of a wrong shape', async () => {
    await shape({}, ['amount', 'contact_id', 'date', 'flow'])
    await shape(incoming({ flow: 'SIDEWAYS', mode: 'BARTER', payment_type: 'GIFT' }), ['flow', 'mode', 'payment_type'])
    await shape(incoming({ amount: 0, tds_amount: -1, bank_charges: -1 }), ['amount', 'bank_charges', 'tds_amount'])
    await shape(incoming({ allocations: [{ amount: 1 }, { invoice_id: 'a', bill_id: 'b', amount: 0 }, 7] }),
      ['allocations.0.invoice_id', 'allocations.1.amount', 'allocations.1.bill_id', 'allocations.2'])
    await shape(incoming({ currency_code: 'USD' }), ['exchange_rate'])
  })

  test.each<[Json, Json]>([
    [{ amount: 0.001 }, { ...BAD, field: 'amount' }],
    [{ tds_amount: 100.01 }, { ...BAD, field: 'tds_amount', details: { limit: 100 } }],
    [{ tds_amount: 60, bank_charges: 40.01 }, { ...BAD, field: 'bank_charges', details: { limit: 40 } }],
    [{ currency_code: 'KWD', exchange_rate: 270, amount: 1e13 }, { ...BAD, field: 'amount', details: { limit: 1e12 } }],
    [{ currency_code: 'ZZZ', exchange_rate: 2 }, { ...BAD, field: 'currency_code' }],
    [{ exchange_rate: 2 }, { ...BAD, field: 'exchange_rate' }],
  ])('of %j', async (changes, answer) => {
    expect(await refused(incoming(changes))).toEqual(answer)
  })

  test('of the wrong party', async () => {
    expect(await refused(incoming({ contact_id: ours.vendorId }))).toEqual({ ...BAD, field: 'contact_id' })
    expect(await refused(outgoing({ contact_id: ours.customerId }))).toEqual({ ...BAD, field: 'contact_id' })
    expect(await refused(incoming({ payment_type: 'REFUND' }))).toEqual({ ...BAD, field: 'contact_id' })
  })

  test('of what is not ours', async () => {
    const missing = { status: 404, code: 'not_found.resource' }
    const their = (await theirs.invoice({ auto_approve: true })).invoice_id
    for (const id of [theirs.customerId, randomUUID(), 'nobody']) expect(await refused(incoming({ contact_id: id }))).toEqual({ ...missing, field: 'contact_id' })
    for (const id of [their, randomUUID(), 'A-1']) {
      expect(await refused(incoming({ allocations: [{ invoice_id: id, amount: 1 }] }))).toEqual({ ...missing, field: 'allocations.0.invoice_id' })
      expect(await refused(outgoing({ allocations: [{ bill_id: id, amount: 1 }] }))).toEqual({ ...missing, field: 'allocations.0.bill_id' })
    }
    for (const id of [ours.accounts['Sales']!, theirs.accounts['Cash in Hand']!, randomUUID(), 'bank']) {
      expect(await refused(incoming({ bank_account_id: id }))).toEqual({ ...missing, field: 'bank_account_id' })
    }
  })

  test('of allocations', async () => {
    const { invoice_id } = await sent()
    const { bill_id } = await opened()
    const stranger = (await sent({ customer_id: await customer(ours) })).invoice_id
    const dollars = (await sent({ currency_code: 'USD', exchange_rate: 80 })).invoice_id
    const to = (...allocations: Json[]) => refused(incoming({ allocations }))
    expect(await to({ bill_id, amount: 1 })).toEqual({ ...BAD, field: 'allocations.0.bill_id' })
    expect(await refused(outgoing({ allocations: [{ invoice_id, amount: 1 }] }))).toEqual({ ...BAD, field: 'allocations.0.invoice_id' })
    expect(await to({ invoice_id, amount: 60 }, { invoice_id, amount: 40.01 })).toEqual({ ...BAD, field: 'allocations', details: { limit: 100 } })
    expect(await refused(incoming({ amount: 500, allocations: [{ invoice_id, amount: 100.01 }] })))
      .toEqual({ ...BAD, field: 'allocations.0.amount', details: { limit: 100 } })
    expect(await refused(incoming({ amount: 500, allocations: [{ invoice_id, amount: 60 }, { invoice_id, amount: 60 }] })))
      .toEqual({ ...BAD, field: 'allocations.1.amount', details: { limit: 40 } })
    expect(await to({ invoice_id: stranger, amount: 1 })).toEqual({ ...BAD, field: 'allocations.0.invoice_id' })
    expect(await to({ invoice_id, amount: 1 }, { invoice_id: dollars, amount: 1 })).toEqual({ ...BAD, field: 'allocations.1.invoice_id' })
    expect(await refused({ ...outgoing({ payment_type: 'REFUND' }), contact_id: ours.customerId, allocations: [{ bill_id, amount: 1 }] }))
      .toEqual({ ...BAD, field: 'allocations.0.bill_id' })
    expect(standing(await invoiceNow(invoice_id))).toEqual(['SENT', 0, 100])
  })

  test('of documents that take no money', async () => {
    const allowed = ['SENT', 'PARTIALLY_PAID', 'OVERDUE']
    const draft = await ours.invoice()
    const cancelled = await sent()
    await ours.send('POST', `/invoices/${cancelled.invoice_id}/void`, {})
    for (const [{ invoice_id }, status] of [[draft, 'DRAFT'], [cancelled, 'CANCELLED']]) {
      expect(await refused(incoming({ allocations: [{ invoice_id, amount: 1 }] })))
        .toEqual({ status: 409, code: 'conflict.invalid_state', details: { status, allowed } })
    }
    const settled = (await sent()).invoice_id
    await paid(incoming({ allocations: [{ invoice_id: settled, amount: 100 }] }))
    expect(await refused(incoming({ allocations: [{ invoice_id: settled, amount: 1 }] })))
      .toEqual({ ...BAD, field: 'allocations.0.amount', details: { limit: 0 } })
  })
})

test.each([
  ['/invoices', 'invoice', 'INCOMING', 'SENT'], ['/bills', 'bill', 'OUTGOING', 'OPEN'],
] as const)('%s are paid in parts, and owe again what a deleted payment had settled', async (path, noun, flow, open) => {
  const id = `${noun}_id`
  const document = await (noun === 'invoice' ? sent() : opened())
  const pay = (amount: number) => paid((flow === 'INCOMING' ? incoming : outgoing)({ amount, allocations: [{ [id]: document[id], amount }] }))
  const now = async () => standing((await ours.get(`${path}/${document[id]}`))[noun])
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
    const [one, two] = [await sent(), await sent()]
    const { payment_id } = await paid(incoming({ amount: 120, payment_type: 'ADVANCE' }))
    const { payment, message } = await ours.send('POST', `/payments/${payment_id}/apply`, { invoice_id: one.invoice_id, amount: 100 })
    expect([message, payment.unapplied_amount, payment.allocations]).toEqual(
      ['Payment applied.', 20, [{ allocation_id: expect.any(String), invoice_id: one.invoice_id, bill_id: null, amount: 100 }]])
    expect(await apply(payment_id, { invoice_id: two.invoice_id, amount: 20.01 })).toEqual({ ...BAD, field: 'amount', details: { limit: 20 } })
    expect(await apply(payment_id, { invoice_id: one.invoice_id, amount: 1 })).toEqual({ ...BAD, field: 'amount', details: { limit: 0 } })
    expect(await apply(payment_id, { bill_id: two.invoice_id, amount: 1 })).toEqual({ ...BAD, field: 'bill_id' })
    expect(await apply(payment_id, { invoice_id: randomUUID(), amount: 1 })).toEqual({ status: 404, code: 'not_found.resource', field: 'invoice_id' })
    expect((await apply(payment_id, { amount: 1 })).status).toBe(422)
    await ours.send('POST', `/payments/${payment_id}/apply`, { invoice_id: two.invoice_id, amount: 20 })
    expect([standing(await invoiceNow(one.invoice_id)), standing(await invoiceNow(two.invoice_id))])
      .toEqual([['PAID', 100, 0], ['PARTIALLY_PAID', 20, 80]])
    expect(await ours.ledger(payment_id)).toHaveLength(1)
    const { status } = await ours.client.call('POST', `/payments/${payment_id}/apply`, { body: { invoice_id: two.invoice_id, amount: 1 } })
    expect(status).toBe(400)
  })

  test('posts the exchange difference on the day', async () => {
    const { invoice_id } = await sent({ currency_code: 'USD', exchange_rate: 80 })
    const { payment_id } = await paid(incoming({ currency_code: 'USD', exchange_rate: 83, date: '2026-10-05' }))
    await ours.send('POST', `/payments/${payment_id}/apply`, { invoice_id, amount: 60 })
    expect((await ours.ledger(payment_id))[1]).toBe('Dr Accounts Receivable (customer) 180.00\n   Cr Exchange Gain or Loss 180.00')
    expect((await ours.get('/journals?per_page=1')).journals[0].date).toBe(`${TODAY}T00:00:00.000Z`)
    // The entry of the payment stays on its date, the difference on its day, when both are posted anew.
    await ours.send('PUT', `/payments/${payment_id}`, { exchange_rate: 84 })
    expect((await ours.ledger(payment_id)).slice(-2)).toEqual([
      'Dr Bank Account 8,400.00\n   Cr Accounts Receivable (customer) 8,400.00',
      'Dr Accounts Receivable (customer) 240.00\n   Cr Exchange Gain or Loss 240.00',
    ])
    await ours.send('POST', `/invoices/${invoice_id}/void`, {})
    expect((await ours.ledger(payment_id)).at(-1)).toBe('   Cr Accounts Receivable (customer) 240.00\nDr Exchange Gain or Loss 240.00')
    expect(await paymentNow(payment_id)).toMatchObject({ unapplied_amount: 100, allocations: [] })
    expect(await service.audit()).toEqual([])
    await ours.send('DELETE', `/payments/${payment_id}`)
  })
})

test.each([['/invoices', 'invoice_id'], ['/bills', 'bill_id']] as const)('a void of %s in part paid gives the money back', async (path, id) => {
  const document = path === '/invoices' ? await sent() : await opened()
  const body = path === '/invoices' ? incoming : outgoing
  const payments = [await paid(body({ amount: 30, allocations: [{ [id]: document[id], amount: 30 }] })),
    await paid(body({ amount: 50, allocations: [{ [id]: document[id], amount: 20 }] }))]
  const voided = await ours.send('POST', `${path}/${document[id]}/void`, { reason: 'Wrong goods' })
  expect(standing(voided.invoice ?? voided.bill)).toEqual(['CANCELLED', 0, 0])
  for (const { payment_id, amount } of payments) {
    expect(await paymentNow(payment_id)).toMatchObject({ unapplied_amount: amount, allocations: [] })
  }
})

describe('duplicates', () => {
  let contact_id: string
  beforeAll(async () => {
    contact_id = await customer(ours)
  })
  const warnings = async (changes: Json) => (await ours.send('POST', '/payments', incoming({ contact_id, amount: 777, ...changes }))).warnings

  test.each<[Json, boolean]>([
    [{ reference_number: 'UTR 1' }, true], [{}, true], [{ reference_number: '' }, true], [{ reference_number: 'UTR 2' }, false],
    [{ amount: 778 }, false], [{ date: '2026-11-17' }, true], [{ date: '2026-11-18' }, false], [{ date: '2026-11-02' }, false],
    [{ currency_code: 'USD', exchange_rate: 80 }, false],
  ])('%j', async (changes, alike) => {
    contact_id = await customer(ours)
    await paid(incoming({ contact_id, amount: 777, reference_number: 'UTR 1' }))
    const told = await warnings(changes)
    expect(told?.map(({ code }: Json) => code)).toEqual(alike ? ['validation.duplicate_resource'] : undefined)
  })

  test('name the earlier payment', async () => {
    const own = await customer(ours)
    const earlier = await paid(incoming({ contact_id: own, amount: 12.5, reference_number: 'C 1', date: '2026-11-03' }))
    expect(await warnings({ contact_id: own, amount: 12.5 })).toEqual([{
      code: 'validation.duplicate_resource', message: `This payment looks like ${earlier.payment_number}, recorded already.`,
      details: {
        existing_payment_id: earlier.payment_id, existing_date: '2026-11-03T00:00:00.000Z', existing_amount: 12.5, existing_reference: 'C 1',
      },
    }])
  })

  test('are not looked for where the organisation does not want it', async () => {
    await ours.preferences({ strictPaymentDedupe: false })
    expect([await warnings({}), await warnings({})]).toEqual([undefined, undefined])
    await ours.preferences({ strictPaymentDedupe: true })
  })
})

test('without a key a duplicate is refused', async () => {
  const twice = incoming({ amount: 31.5, date: '2026-06-01' }) as NewPayment
  await paid(twice)
  const [organization] = await service.sql<OrganizationRow>('SELECT * FROM organizations WHERE id = $1', ours.orgId)
  const caller: Caller = {
    subject: '', kind: 'SYSTEM', tier: 'DEFAULT', scopes: [], userId: null, partnerId: null, organization: organization!,
    origin: { request_id: null, ip: null, user_agent: null, source: 'PUBLIC_API' },
  }
  const desk = { database: service.database, wakeRelay: () => undefined, clock: () => new Date() }
  await expect(openBooks(desk, caller, (books) => recordPayment(books, twice, { keyed: false })))
    .rejects.toMatchObject({ code: 'validation.duplicate_resource', status: 409, details: { existing_amount: 31.5 } })
})

describe('changes', () => {
  const put = async (id: string, body: Json) => (await ours.send('PUT', `/payments/${id}`, body)).payment
  const refusedPut = (id: string, body: Json) => ours.refusal('PUT', `/payments/${id}`, body)

  test('of every field are answered, posted anew and told to the log', async () => {
    const before = await paid(incoming({ amount: 90, tds_amount: 9, description: 'First' }))
    const changed = {
      date: '2026-11-12', amount: 80, mode: 'CASH', reference_number: 'R 1', description: 'Second', bank_account_id: ours.accounts['Cash in Hand'],
      bank_charges: 1,
    }
    const after = await put(before.payment_id, changed)
    expect(after).toEqual({
      ...before, ...changed, date: '2026-11-12T00:00:00.000Z', unapplied_amount: 80, last_modified_time: expect.any(String),
    })
    expect(await paymentNow(before.payment_id)).toEqual(after)
    expect(await ours.ledger(before.payment_id)).toEqual([
      'Dr Bank Account 81.00\nDr TDS Receivable 9.00\n   Cr Accounts Receivable (customer) 90.00',
      '   Cr Bank Account 81.00\n   Cr TDS Receivable 9.00\nDr Accounts Receivable (customer) 90.00',
      'Dr Cash in Hand 70.00\nDr TDS Receivable 9.00\nDr Bank Charges 1.00\n   Cr Accounts Receivable (customer) 80.00',
    ])
    const { activity } = await ours.get(`/payments/${before.payment_id}/activity`)
    expect(activity.map(({ action, entity_ref }: Json) => [action, entity_ref]))
      .toEqual([['PAYMENT_UPDATED', before.payment_number], ['PAYMENT_CREATED', before.payment_number]])
    expect(activity[0].changes).toMatchObject({ mode: { old: 'BANK_TRANSFER', new: 'CASH' }, description: { old: 'First', new: 'Second' } })
  })

  test('of nothing, or of what the journal does not tell, post nothing', async () => {
    const { payment_id, last_modified_time } = await paid(incoming({ amount: 91 }))
    expect((await put(payment_id, {})).last_modified_time).toBe(last_modified_time)
    expect((await put(payment_id, { contact_id: ours.customerId, amount: 91, date: '2026-11-10', exchange_rate: 1 })).last_modified_time).toBe(last_modified_time)
    expect(await put(payment_id, { reference_number: 'R 2', mode: 'CHEQUE' })).toMatchObject({ reference_number: 'R 2', mode: 'CHEQUE' })
    expect(await ours.ledger(payment_id)).toHaveLength(1)
  })

  test('to null are what a payment has without the field', async () => {
    const { payment_id, bank_account_id } = await paid(incoming({ amount: 92 }))
    await put(payment_id, { mode: 'CARD', reference_number: 'x', description: 'y', bank_charges: 2, bank_account_id: ours.accounts['Cash in Hand'] })
    expect(await put(payment_id, {
      mode: null, reference_number: null, description: null, bank_charges: null, bank_account_id: null, currency_code: null, exchange_rate: null, flow: null,
    })).toMatchObject({ mode: 'BANK_TRANSFER', reference_number: null, description: null, bank_charges: 0, bank_account_id, flow: 'INCOMING' })
    for (const field of ['contact_id', 'date', 'amount']) expect((await refusedPut(payment_id, { [field]: null })).status).toBe(422)
  })

  test('of an allocated payment leave what its documents know', async () => {
    const { invoice_id } = await sent()
    const { payment_id } = await paid(incoming({ amount: 93, allocations: [{ invoice_id, amount: 50 }] }))
    expect(await refusedPut(payment_id, { amount: 94 })).toEqual({ status: 409, code: 'conflict.allocated', field: 'amount' })
    expect(await refusedPut(payment_id, { flow: 'OUTGOING' })).toEqual({ ...BAD, field: 'flow' })
    expect(await refusedPut(payment_id, { contact_id: await customer(ours) })).toEqual({ ...BAD, field: 'contact_id' })
    expect(await refusedPut(payment_id, { currency_code: 'USD', exchange_rate: 80 })).toEqual({ ...BAD, field: 'currency_code' })
    expect(await put(payment_id, { amount: 93, date: '2026-11-15', bank_charges: 3 })).toMatchObject({ amount: 93, unapplied_amount: 43, bank_charges: 3 })
    expect(standing(await invoiceNow(invoice_id))).toEqual(['PARTIALLY_PAID', 50, 50])
  })

  test('of the direction, and of the contact with its currency', async () => {
    const both = await customer(ours, { contact_type: 'BOTH' })
    const { payment_id } = await paid(incoming({ contact_id: both, amount: 94 }))
    expect((await put(payment_id, { flow: 'OUTGOING' })).flow).toBe('OUTGOING')
    expect((await ours.ledger(payment_id)).at(-1)).toBe('Dr Accounts Payable (customer) 94.00\n   Cr Bank Account 94.00')
    expect(await refusedPut(payment_id, { contact_id: ours.customerId })).toEqual({ ...BAD, field: 'contact_id' })
    const abroad = await customer(ours, { contact_type: 'VENDOR', contact_name: 'Osaka Looms', currency_code: 'JPY' })
    expect((await refusedPut(payment_id, { contact_id: abroad })).errors).toMatchObject([{ field: 'exchange_rate', code: 'required' }])
    expect(await put(payment_id, { contact_id: abroad, exchange_rate: 0.6 }))
      .toMatchObject({ contact_id: abroad, contact_name: 'Osaka Looms', currency_code: 'JPY', exchange_rate: 0.6, amount: 94, unapplied_amount: 94 })
    expect((await ours.ledger(payment_id)).at(-1)).toBe('Dr Accounts Payable (customer) 56.40\n   Cr Bank Account 56.40')
    expect(await put(payment_id, { contact_id: ours.vendorId })).toMatchObject({ currency_code: 'INR', exchange_rate: 1 })
  })

  test('that cannot be are refused', async () => {
    const { payment_id } = await paid(incoming({ amount: 95 }))
    const missing = { status: 404, code: 'not_found.resource' }
    expect(await refusedPut(payment_id, { bank_account_id: ours.accounts['Sales'] })).toEqual({ ...missing, field: 'bank_account_id' })
    expect(await refusedPut(payment_id, { contact_id: theirs.customerId })).toEqual({ ...missing, field: 'contact_id' })
    expect(await refusedPut(payment_id, { bank_charges: 95.01 })).toEqual({ ...BAD, field: 'bank_charges', details: { limit: 95 } })
    for (const field of ['tds_amount', 'payment_type', 'allocations']) {
      expect(await refusedPut(payment_id, { [field]: null })).toEqual({ ...BAD, field })
    }
    expect(await theirs.refusal('PUT', `/payments/${payment_id}`, {})).toEqual(missing)
    expect(await ours.refusal('DELETE', `/payments/${randomUUID()}`)).toEqual(missing)
  })
})

test('allocations of a foreign invoice come to what it was booked at, whichever is deleted', async () => {
  const USD = { currency_code: 'USD', exchange_rate: 0.3333333333 }
  const { invoice_id } = await sent({ ...USD, line_items: [line({ rate: 0.1 })] })
  const body = (amount: number) => incoming({ ...USD, exchange_rate: 0.77, amount, reference_number: randomUUID(), allocations: [{ invoice_id, amount }] })
  const made = [await paid(body(0.01)), await paid(body(0.04)), await paid(body(0.05))]
  expect(standing(await invoiceNow(invoice_id))).toEqual(['PAID', 0.1, 0])
  expect(await service.audit()).toEqual([])
  await ours.send('DELETE', `/payments/${made[0].payment_id}`)
  expect(await service.audit()).toEqual([])
  const again = await paid(body(0.01))
  expect(await service.audit()).toEqual([])
  for (const { payment_id } of [made[2], again, made[1]]) await ours.send('DELETE', `/payments/${payment_id}`)
  expect(standing(await invoiceNow(invoice_id))).toEqual(['SENT', 0, 0.1])
})

test('events tell of money that came and went, and of what it settled', async () => {
  const since = await service.sql<{ id: string }>('SELECT id FROM webhook_events WHERE org_id = $1', ours.orgId)
  const { invoice_id, invoice_number } = await sent()
  const { payment_id, payment_number } = await paid(incoming({ amount: 130, reference_number: 'events', allocations: [{ invoice_id, amount: 100 }] }))
  await paid(outgoing({ amount: 7, reference_number: 'events' }))
  const rows = await service.sql<{ event_type: string; data: Json }>(
    'SELECT event_type, data FROM webhook_events WHERE org_id = $1 AND NOT id = ANY ($2) ORDER BY occurred_at, id', ours.orgId, since.map(({ id }) => id))
  expect(rows.map(({ event_type }) => event_type)).toEqual(['INVOICE_CREATED', 'INVOICE_PAID', 'PAYMENT_RECEIVED', 'PAYMENT_MADE'])
  expect(rows[1]!.data).toMatchObject({ id: invoice_id, number: invoice_number, status: 'PAID', sequence: 2 })
  expect(rows[2]!.data).toEqual({
    id: payment_id, number: payment_number, contact_id: ours.customerId, total: 130, amount: 130, status: null, flow: 'INCOMING', sequence: 1,
  })
})

test('lists are filtered', async () => {
  const [customerId, vendorId] = [await customer(theirs), await customer(theirs, { contact_type: 'VENDOR' })]
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
  expect((await theirs.walk('/payments', 'payments', 1)).map(({ payment_id }) => payment_id)).toEqual([made, late, early])
  expect(await theirs.refusal('DELETE', `/contacts/${customerId}`))
    .toMatchObject({ status: 409, code: 'conflict.in_use', details: { payments: 2, journal_lines: 2 } })
})

test('fifty payments at once never settle more than is owed', async () => {
  const { invoice_id } = await sent({ line_items: [line({ rate: 1000 })] })
  const answers = await Promise.all(Array.from({ length: 50 }, (_, place) => (
    ours.client.post('/payments', incoming({ reference_number: `P ${place}`, amount: 70, allocations: [{ invoice_id, amount: 70 }] }))
  )))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(14)
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(36)
  expect(standing(await invoiceNow(invoice_id))).toEqual(['PARTIALLY_PAID', 980, 20])
})

test('one payment applied to many invoices at once never gives more than it has', async () => {
  const { payment_id } = await paid(incoming({ amount: 250, reference_number: 'one for all' }))
  const invoices = await Promise.all(Array.from({ length: 8 }, () => sent()))
  const answers = await Promise.all(invoices.map(({ invoice_id }) => ours.client.post(`/payments/${payment_id}/apply`, { invoice_id, amount: 100 })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
  expect((await paymentNow(payment_id)).unapplied_amount).toBe(50)
})

test('pay, void and delete at once end in a legal state', async () => {
  for (let round = 0; round < 4; round += 1) {
    const { invoice_id } = await sent()
    const { payment_id } = await paid(incoming({ amount: 60, reference_number: `r ${round}`, allocations: [{ invoice_id, amount: 60 }] }))
    const answers = await Promise.all([
      ours.client.post(`/invoices/${invoice_id}/void`, {}),
      ours.client.delete(`/payments/${payment_id}`),
      ours.client.post('/payments', incoming({ amount: 40, reference_number: `s ${round}`, allocations: [{ invoice_id, amount: 40 }] })),
      ours.client.put(`/payments/${payment_id}`, { description: 'Meanwhile' }),
    ])
    for (const { status } of answers) expect(status).toBeLessThan(500)
    expect(await service.audit()).toEqual([])
  }
})
