// Invoices over HTTP: what the body of a new one may say, and what is answered.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { addContact, addItem, openOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)
const theirs = await openOrganization(service)

const midnight = (date: string) => `${date}T00:00:00.000Z`
const fieldsOf = ({ errors }: Json) => errors.map(({ field }: Json) => field)

test('an invoice answers all that is known of it, in lists as alone', async () => {
  const branch = (await ours.get('/branches')).branches[0].branch_id
  const { body, status } = await ours.client.post('/invoices', {
    customer_id: ours.customerId, date: '2026-11-10', place_of_supply: '29', reference_number: 'PO 7', notes: 'With thanks',
    salesperson_id: 'asha', invoice_number: 'A/1', shipping_charge: 50,
    line_items: [line({ quantity: 2.5, rate: 10.4, discount: 1, tax_id: ours.taxes['GST 18%'], unit: 'NOS', hsn_or_sac: '9609', description: 'Small' })],
  })
  expect([status, body.code, body.message]).toEqual([201, 0, 'Invoice created.'])
  expect(body.invoice).toEqual({
    invoice_id: expect.any(String), invoice_number: 'A/1', series_name: null, branch_id: branch, customer_id: ours.customerId,
    customer_name: 'Meena Sarees', date: midnight('2026-11-10'), due_date: midnight('2026-11-10'), reference_number: 'PO 7',
    salesperson_id: 'asha', place_of_supply: 'IN-KA', currency_code: 'INR', exchange_rate: 1,
    line_items: [{
      line_item_id: expect.any(String), item_id: null, account_id: expect.any(String), name: 'Slates', description: 'Small', hsn_or_sac: '9609', quantity: 2.5,
      unit: 'NOS', rate: 10.4, discount: 1, tax_id: ours.taxes['GST 18%'], tax_percentage: 18, item_total: 25,
      cgst: 2.25, sgst: 2.25, igst: 0, cess: 0, tax_amount: 4.5,
    }],
    sub_total: 25, tax_total: 4.5, round_off: 0, total: 29.5, payment_made: 0, credits_applied: 0, balance: 29.5,
    status: 'DRAFT', sales_order_id: null, estimate_id: null, payment_link_url: null, e_invoice: null, dispute: null, is_overdue: expect.any(Boolean), days_overdue: expect.any(Number),
    notes: 'With thanks', tags: [],
    created_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/), last_modified_time: body.invoice.created_time,
  })
  expect((await ours.get(`/invoices/${body.invoice.invoice_id}`)).invoice).toEqual(body.invoice)
  expect((await ours.get('/invoices?invoice_number=A/1')).invoices).toEqual([body.invoice])
  expect(await theirs.refusal('GET', `/invoices/${body.invoice.invoice_id}`)).toEqual({ status: 404, code: 'not_found.resource' })
  expect(await ours.refusal('GET', '/invoices/A-1')).toEqual({ status: 404, code: 'not_found.resource' })
})

test('auto_approve sends it at once, and says so', async () => {
  const body = await ours.send('POST', '/invoices', { customer_id: ours.customerId, date: '2026-11-10', place_of_supply: 'IN-KA', line_items: [line()], auto_approve: true })
  expect([body.message, body.invoice.status]).toEqual(['Invoice created and approved.', 'SENT'])
  for (const auto_approve of [false, null, undefined]) expect((await ours.invoice({ auto_approve })).status).toBe('DRAFT')
})

describe('place of supply', () => {
  test.each([
    ['IN-KA', 'IN-KA'], ['29', 'IN-KA'], ['Karnataka', 'IN-KA'], ['29-Karnataka', 'IN-KA'], [' in-ka ', 'IN-KA'], ['KARNATAKA', 'IN-KA'],
    ['IN-UT', 'IN-UK'], ['05', 'IN-UK'], ['Uttaranchal', 'IN-UK'], ['IN-CT', 'IN-CG'], ['IN-OR', 'IN-OD'], ['Orissa', 'IN-OD'],
    ['IN-TG', 'IN-TS'], ['IN-DN', 'IN-DH'], ['IN-DD', 'IN-DH'], ['25', 'IN-DH'], ['28', 'IN-AP'], ['Pondicherry', 'IN-PY'],
    ['Jammu & Kashmir', 'IN-JK'], ['01-Jammu and Kashmir', 'IN-JK'], ['tamil nadu', 'IN-TN'], ['97', 'IN-OT'], ['Other Territory', 'IN-OT'],
  ])('%j is %s', async (sent, canonical) => {
    const { invoice_id, place_of_supply } = await ours.invoice({ place_of_supply: sent })
    expect(place_of_supply).toBe(canonical)
    expect((await ours.get(`/invoices/${invoice_id}`)).invoice.place_of_supply).toBe(canonical)
  })

  test.each(['IN-IN', 'India', 'Karnatak', 'KA', '96', '99', '00', '27-Karnataka', 'IN-XX', ' ', 'United States'])('%j is no place', async (sent) => {
    expect(await ours.refusedInvoice({ place_of_supply: sent })).toEqual({ status: 422, code: 'validation.invalid_value', field: 'place_of_supply' })
  })
})

describe('dates', () => {
  test.each([
    ['2026-11-01', '2026-11-01'], ['2028-02-29', '2028-02-29'], ['0001-01-01', '0001-01-01'], ['9999-12-31', '9999-12-31'],
    ['2026-11-01T18:30:00Z', '2026-11-02'], ['2026-11-01T18:29:59.999Z', '2026-11-01'], ['2026-11-01T23:59:59+05:30', '2026-11-01'],
    ['2026-11-01T23:00:00-08:00', '2026-11-02'], ['2026-11-01T00:00:00.000Z', '2026-11-01'], ['2026-11-01T23:30:00', '2026-11-01'],
  ])('%s is the day %s', async (date, day) => {
    const invoice = await ours.invoice({ date, due_date: date })
    expect([invoice.date, invoice.due_date]).toEqual([midnight(day), midnight(day)])
    expect((await ours.get(`/invoices/${invoice.invoice_id}`)).invoice.date).toBe(midnight(day))
  })

  test.each(['2026-02-30', '2026-13-01', '01/11/2026', 'today', '', '2026-11-01T25:00:00Z', 20261101, true])('%j is no date', async (date) => {
    const refused = await ours.refusedInvoice({ date, due_date: date })
    expect([refused.status, refused.code, fieldsOf(refused)]).toEqual([422, 'validation.failed', ['date', 'due_date']])
  })

  test.each([
    [0, undefined, '2026-11-10'], [30, undefined, '2026-12-10'], [30, null, '2026-12-10'], [30, '2026-11-15', '2026-11-15'],
    [30, '2026-11-10', '2026-11-10'], [365, undefined, '2027-11-10'],
  ])('with terms of %i days and due_date %j it is due on %s', async (payment_terms, due_date, day) => {
    const invoice = await ours.invoice({ customer_id: await addContact(ours, { payment_terms }), due_date })
    expect(invoice.due_date).toBe(midnight(day))
  })

  test('nothing is due before its date', async () => {
    expect(await ours.refusedInvoice({ due_date: '2026-11-09' })).toEqual({ status: 400, code: 'validation.invalid_value', field: 'due_date' })
  })
})

describe('lines', () => {
  test('an item fills what the line leaves open, and the line wins', async () => {
    const item_id = await addItem(ours, { tax_id: ours.taxes['GST 5%'], hsn_or_sac: '5004', unit: 'KGS', description: 'Red' })
    const told = { name: 'Gold thread', rate: 0, tax_id: ours.taxes['GST 18%'], hsn_or_sac: '5605', unit: 'MTR', description: 'Gold' }
    const { line_items: [filled, overridden, named] } = await ours.invoice({
      line_items: [{ item_id, quantity: 1 }, { item_id, quantity: 1, ...told }, { item_id: item_id.toUpperCase(), quantity: 1, rate: null, name: null, tax_id: null }],
    })
    const master = { name: 'Silk thread', rate: 500, tax_id: ours.taxes['GST 5%'], tax_percentage: 5, hsn_or_sac: '5004', unit: 'KGS', description: 'Red' }
    expect(filled).toMatchObject({ item_id, ...master })
    expect(overridden).toMatchObject({ item_id, ...told, tax_percentage: 18 })
    expect(named).toMatchObject({ item_id, ...master })
  })

  test('what an item was when the invoice was created stays on it', async () => {
    const item_id = await addItem(ours)
    const { invoice_id, line_items } = await ours.invoice({ line_items: [{ item_id, quantity: 1 }] })
    await ours.send('PUT', `/items/${item_id}`, { item_name: 'Nylon thread', rate: 3 })
    expect((await ours.get(`/invoices/${invoice_id}`)).invoice.line_items).toEqual(line_items)
  })

  test.each<[string, Json, string[]]>([
    ['nothing', {}, ['line_items.0.quantity', 'line_items.0.name', 'line_items.0.rate']],
    ['no name', { quantity: 1, rate: 1 }, ['line_items.0.name']],
    ['no rate', { quantity: 1, name: 'Chalk' }, ['line_items.0.rate']],
    ['a null rate', line({ rate: null }), ['line_items.0.rate']],
    ['an empty name', line({ name: '' }), ['line_items.0.name', 'line_items.0.name']],
    ['a blank name', line({ name: '  ' }), ['line_items.0.name']],
    ['quantity 0', line({ quantity: 0 }), ['line_items.0.quantity']],
    ['a negative quantity', line({ quantity: -1 }), ['line_items.0.quantity']],
    ['quantity as text', line({ quantity: '1' }), ['line_items.0.quantity']],
    ['seven decimals of quantity', line({ quantity: 1.0000001 }), ['line_items.0.quantity']],
    ['a negative rate', line({ rate: -0.01 }), ['line_items.0.rate']],
    ['seven decimals of rate', line({ rate: 0.0000001 }), ['line_items.0.rate']],
    ['a negative discount', line({ discount: -1 }), ['line_items.0.discount']],
    ['seven decimals of discount', line({ discount: 1.0000001 }), ['line_items.0.discount']],
    ['no object', 'Chalk', ['line_items.0']],
  ])('%s is no line', async (_what, wrong, fields) => {
    const refused = await ours.refusedInvoice({ line_items: [wrong] })
    expect([refused.status, refused.code, fieldsOf(refused).toSorted()]).toEqual([422, 'validation.failed', fields.toSorted()])
  })

  test('there is 1 line at least and 500 at most, in the order they came', async () => {
    const lines = Array.from({ length: 501 }, (_, place) => line({ name: `No. ${place}`, rate: place }))
    const { line_items, sub_total } = await ours.invoice({ line_items: lines.slice(0, 500), auto_approve: true })
    expect(line_items.map(({ name }: Json) => name)).toEqual(lines.slice(0, 500).map(({ name }) => name))
    expect(sub_total).toBe((499 * 500) / 2)
    for (const line_items of [lines, [], null, {}]) expect(fieldsOf(await ours.refusedInvoice({ line_items }))).toEqual(['line_items'])
  })
})

describe('refusals', () => {
  test('every missing field is reported at once', async () => {
    const refused = await ours.refusal('POST', '/invoices', {})
    expect([refused.status, refused.code, fieldsOf(refused).toSorted()])
      .toEqual([422, 'validation.failed', ['customer_id', 'date', 'line_items', 'place_of_supply']])
  })

  test.each([
    ['customer_id', 7], ['place_of_supply', 29], ['place_of_supply', ''], ['invoice_number', ''], ['invoice_number', ' '],
    ['invoice_number', 'x'.repeat(51)], ['series_name', 1], ['currency_code', 'rupees'], ['exchange_rate', 0], ['exchange_rate', -1],
    ['exchange_rate', '83'], ['exchange_rate', 1e10], ['reference_number', 'x'.repeat(101)], ['notes', 5], ['round_off', '1'],
    ['auto_approve', 'yes'], ['tags', 'all'],
  ])('%s of %j has the wrong shape', async (field, value) => {
    const refused = await ours.refusedInvoice({ [field]: value })
    expect([refused.status, refused.code]).toEqual([422, 'validation.failed'])
    expect(new Set(fieldsOf(refused))).toEqual(new Set([field]))
  })

  test('ids of another organisation, and what is no id, do not exist', async () => {
    const [theirItem, theirBranch] = [await addItem(theirs), (await theirs.get('/branches')).branches[0].branch_id]
    const theirTag = randomUUID()
    await service.sql(`INSERT INTO cost_centers (org_id, id, code, name, is_active) VALUES ($1, $2, 'A', 'A', true)`, theirs.orgId, theirTag)
    const bodies: [string, (id: string) => Json, string][] = [
      ['customer_id', (id) => ({ customer_id: id }), theirs.customerId],
      ['branch_id', (id) => ({ branch_id: id }), theirBranch],
      ['tags', (id) => ({ tags: [id] }), theirTag],
      ['line_items.1.item_id', (id) => ({ line_items: [line(), { item_id: id, quantity: 1 }] }), theirItem],
      ['line_items.0.tax_id', (id) => ({ line_items: [line({ tax_id: id })] }), theirs.taxes['GST 18%']!],
    ]
    for (const [field, body, id] of bodies) {
      for (const unknown of [id, randomUUID(), 'nobody', "1' OR '1'='1"]) {
        expect(await ours.refusedInvoice(body(unknown))).toEqual({ status: 404, code: 'not_found.resource', field })
      }
    }
  })

  test('a vendor is no customer, and who is both is one', async () => {
    expect(await ours.refusedInvoice({ customer_id: await addContact(ours, { contact_type: 'VENDOR' }) }))
      .toEqual({ status: 400, code: 'validation.invalid_value', field: 'customer_id' })
    expect((await ours.invoice({ customer_id: await addContact(ours, { contact_type: 'BOTH' }) })).status).toBe('DRAFT')
  })

  test('what does not exist is reported before what is not allowed', async () => {
    const customer_id = await addContact(ours, { contact_type: 'VENDOR' })
    const wrong = { customer_id, place_of_supply: 'Atlantis', due_date: '2020-01-01', currency_code: 'ZZZ' }
    expect(await ours.refusedInvoice({ ...wrong, line_items: [{ item_id: 'none', quantity: 1 }] })).toEqual({ status: 404, code: 'not_found.resource', field: 'line_items.0.item_id' })
    expect(await ours.refusedInvoice({ ...wrong, line_items: [line({ tax_id: 'none' })] })).toEqual({ status: 404, code: 'not_found.resource', field: 'line_items.0.tax_id' })
  })

  test('without an Idempotency-Key nothing is created', async () => {
    const { status, body } = await ours.client.call('POST', '/invoices', { body: {} })
    expect([status, body.code]).toEqual([400, 'idempotency.key_required'])
  })
})

test('the customer keeps the name that the invoice was made out to', async () => {
  const customer_id = await addContact(ours, { contact_name: 'Anand & Sons' })
  const { invoice_id } = await ours.invoice({ customer_id: customer_id.toUpperCase() })
  await ours.send('PUT', `/contacts/${customer_id}`, { contact_name: 'Anand Brothers' })
  expect((await ours.get(`/invoices/${invoice_id}`)).invoice).toMatchObject({ customer_id, customer_name: 'Anand & Sons' })
})

test('cost centers are kept as tags, each once', async () => {
  const tag = randomUUID()
  await service.sql(`INSERT INTO cost_centers (org_id, id, code, name, is_active) VALUES ($1, $2, 'SOUTH', 'South', true)`, ours.orgId, tag)
  expect((await ours.invoice({ tags: [tag, tag.toUpperCase()] })).tags).toEqual([tag])
})
