// The lines of a PUT: kept by their ids with what they were created with, added without one, removed when not sent.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { addItem, openOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)

interface Kind {
  path: string
  key: string
  contact: () => Record<string, string>
  body?: Record<string, unknown>
}

const KINDS: Kind[] = [
  { path: '/sales_orders', key: 'sales_order', contact: () => ({ customer_id: ours.customerId }) },
  { path: '/purchase_orders', key: 'purchase_order', contact: () => ({ vendor_id: ours.vendorId }) },
  { path: '/credit_notes', key: 'credit_note', contact: () => ({ customer_id: ours.customerId }), body: { date: '2026-11-10', is_draft: true } },
  { path: '/debit_notes', key: 'debit_note', contact: () => ({ vendor_id: ours.vendorId }), body: { date: '2026-11-10', is_draft: true } },
]

const idsOf = ({ line_items }: Json): string[] => line_items.map(({ line_item_id }: Json) => line_item_id)

describe.each(KINDS.map((kind) => [kind.path, kind] as const))('%s', (_path, kind) => {
  const draft = async (line_items: Json[]): Promise<Json> => (await ours.send('POST', kind.path, { ...kind.contact(), ...kind.body, line_items }))[kind.key]
  const at = (made: Json) => `${kind.path}/${made[`${kind.key}_id`]}`
  const put = async (made: Json, body: Json): Promise<Json> => (await ours.send('PUT', at(made), body))[kind.key]
  const log = async (made: Json): Promise<Json[]> => (await ours.get(`${at(made)}/activity`)).activity.toReversed()

  test.each([['JPY', 200, 36], ['KWD', 200, 36]])('lines whose amounts are answered alike in %s are stored in its minor units', async (currency_code, item_total, tax_amount) => {
    const before = await draft([{ name: 'Silk', quantity: 2, rate: 100, tax_id: ours.taxes['GST 18%'] }])
    const after = await put(before, { currency_code, exchange_rate: 2 })
    expect(after).toMatchObject({ currency_code, sub_total: item_total, tax_total: tax_amount, line_items: [{ item_total, tax_amount }] })
    expect((await ours.get(at(before)))[kind.key]).toEqual(after)
    // The lines are answered as before, and so are the amounts of the document.
    expect((await log(before)).at(-1)?.changes).toEqual({
      currency_code: { old: 'INR', new: currency_code }, exchange_rate: { old: '1', new: '2' },
    })
  })

  test('the activity log has the amounts of each state in its own currency', async () => {
    const before = await draft([{ name: 'Silk', quantity: 1, rate: 100.25 }])
    await put(before, { currency_code: 'JPY', exchange_rate: 2 })
    expect((await log(before)).at(-1)?.changes).toMatchObject({
      total: { old: 100.25, new: 100 }, line_items: { old: [{ item_total: 100.25 }], new: [{ item_total: 100 }] },
    })
  })

  test('an item that has changed since changes no line, whatever else of the draft does', async () => {
    const item_id = await addItem(ours, { tax_id: ours.taxes['GST 18%'], hsn_or_sac: '5004', unit: 'NOS', description: 'Red', rate: 100, purchase_rate: 100 })
    const before = await draft([{ item_id, quantity: 3 }, { item_id, quantity: 1, name: 'Own', rate: 10 }])
    await ours.send('PUT', `/items/${item_id}`, {
      item_name: 'Renamed', tax_id: ours.taxes['GST 5%'], hsn_or_sac: '9999', unit: 'KG', description: null, rate: 1, purchase_rate: 1,
    })
    const moved = await put(before, { place_of_supply: 'IN-MH', tags: [] })
    expect(moved.line_items).toEqual(before.line_items.map((each: Json) => (
      { ...each, cgst: 0, sgst: 0, igst: each.cgst + each.sgst }
    )))
    const [first, second] = moved.line_items
    const after = await put(before, { line_items: [{ line_item_id: second.line_item_id }, { line_item_id: first.line_item_id.toUpperCase(), quantity: 4 }] })
    expect(after.line_items).toEqual([second, { ...first, quantity: 4, item_total: 400, igst: 72, tax_amount: 72 }])
    expect(after).toMatchObject({ sub_total: 410, tax_total: 73.8, total: 483.8 })
    expect((await ours.get(at(before)))[kind.key]).toEqual(after)
  })

  test('one without its id is new, and those that are not sent are removed', async () => {
    const before = await draft([line({ name: 'One' }), line({ name: 'Two' }), line({ name: 'Three' })])
    const after = await put(before, { line_items: [before.line_items[2], line({ name: 'Four', quantity: 2 }), before.line_items[0]] })
    expect(after.line_items.map(({ name }: Json) => name)).toEqual(['Three', 'Four', 'One'])
    expect([idsOf(after)[0], idsOf(after)[2]]).toEqual([idsOf(before)[2], idsOf(before)[0]])
    expect(idsOf(before)).not.toContain(idsOf(after)[1])
    const [, { changes }] = await log(before)
    expect(changes.line_items.new).toMatchObject([{ name: 'Three' }, { name: 'Four', line_item_id: idsOf(after)[1] }, { name: 'One' }])
    // The same words without ids are other lines.
    const anew = await put(before, { line_items: after.line_items.map(({ line_item_id: _id, ...each }: Json) => each) })
    expect(idsOf(anew).filter((id) => idsOf(after).includes(id))).toEqual([])
    expect(await log(before)).toHaveLength(3)
    expect((await ours.get(at(before)))[kind.key]).toEqual(anew)
  })

  test('null clears what a line says, and gives it the name and price of its item again', async () => {
    const item_id = await addItem(ours, { item_name: 'Chalk', rate: 7, purchase_rate: 7, tax_id: ours.taxes['GST 18%'] })
    const before = await draft([{ item_id, quantity: 1, name: 'Own', rate: 50, discount: 5, description: 'Red', unit: 'NOS', hsn_or_sac: '5004' }])
    const [line_item_id] = idsOf(before)
    const cleared = { name: null, rate: null, discount: null, description: null, unit: null, hsn_or_sac: null, tax_id: null }
    expect((await put(before, { line_items: [{ line_item_id, ...cleared }] })).line_items).toMatchObject([
      { line_item_id, name: 'Chalk', rate: 7, discount: 0, description: null, unit: null, hsn_or_sac: null, tax_id: null, tax_percentage: 0, item_total: 7, tax_amount: 0 },
    ])
    expect((await put(before, { line_items: [{ line_item_id, item_id: null, quantity: 2 }] })).line_items).toMatchObject([
      { line_item_id, item_id: null, name: 'Chalk', rate: 7, quantity: 2 },
    ])
    expect(await ours.refusal('PUT', at(before), { line_items: [{ line_item_id, name: null }] })).toMatchObject({
      status: 422, code: 'validation.failed', errors: [{ field: 'line_items.0.name', code: 'required' }],
    })
  })

  test('a line that is not of this draft, or comes twice, is refused; a new one must be whole', async () => {
    const [before, other] = [await draft([line(), line()]), await draft([line()])]
    const refusal = (line_items: Json[]) => ours.refusal('PUT', at(before), { line_items })
    for (const line_item_id of [idsOf(other)[0], randomUUID(), 'ABC']) {
      expect(await refusal([before.line_items[0], { line_item_id }])).toEqual({ status: 404, code: 'not_found.resource', field: 'line_items.1.line_item_id' })
    }
    const [line_item_id] = idsOf(before)
    expect(await refusal([{ line_item_id }, line(), { line_item_id }])).toEqual({ status: 400, code: 'validation.invalid_value', field: 'line_items.2.line_item_id' })
    expect(await refusal([{ line_item_id }, { line_item_id: null, rate: 1 }])).toMatchObject({
      status: 422, errors: [{ field: 'line_items.1.name' }, { field: 'line_items.1.quantity' }],
    })
    expect(await refusal([{ line_item_id, existing: { account_id: ours.accounts['Bank Account'] }, item_total: 1 }])).toMatchObject({ field: 'line_items.0.item_total' })
    expect((await ours.get(at(before)))[kind.key]).toEqual(before)
  })

  test('one field of the whole is changed, and nothing else', async () => {
    const before = await draft([line({ tax_id: ours.taxes['GST 18%'] }), line()])
    const noted = await put(before, { ...before, notes: 'By road' })
    expect(noted).toEqual({ ...before, notes: 'By road', last_modified_time: noted.last_modified_time })
    const dearer = await put(before, { ...noted, line_items: [{ ...noted.line_items[0], rate: 200 }, noted.line_items[1]] })
    expect(dearer).toMatchObject({ total: 336, line_items: [{ line_item_id: idsOf(before)[0], item_total: 200, tax_amount: 36 }, noted.line_items[1]] })
    expect((await log(before)).slice(1).map(({ changes }) => Object.keys(changes).toSorted())).toEqual([
      ['notes'], ['cgst', 'line_items', 'sgst', 'sub_total', 'tax_total', 'total'],
    ])
  })
})

test('a place of supply that is carried back stays with another customer', async () => {
  const { sales_order: before } = await ours.send('POST', '/sales_orders', { customer_id: ours.customerId, place_of_supply: 'IN-MH', line_items: [line()] })
  const { contact } = await ours.send('POST', '/contacts', { contact_name: 'Karol Bagh', place_of_contact: 'IN-DL' })
  const path = `/sales_orders/${before.sales_order_id}`
  expect((await ours.send('PUT', path, { ...before, customer_id: contact.contact_id })).sales_order)
    .toMatchObject({ customer_name: 'Karol Bagh', place_of_supply: 'IN-MH' })
})

describe('expenses', () => {
  const spend = async (changes: Json): Promise<Json> => (await ours.send('POST', '/expenses', {
    date: '2026-11-10', paid_through_account_id: ours.accounts['Bank Account'], account_id: ours.accounts.Rent, ...changes,
  })).expense
  const put = async (made: Json, body: Json): Promise<Json> => (await ours.send('PUT', `/expenses/${made.expense_id}`, body)).expense

  test('lines are kept by their ids, with their accounts and taxes, whatever the header says by now', async () => {
    const before = await spend({ line_items: [{ amount: 100 }, { amount: 50, note: 'Fee', account_id: ours.accounts['Bank Charges'] }] })
    const [first, second] = before.line_items
    const taxed = await put(before, { tax_id: ours.taxes['GST 18%'], account_id: ours.accounts['Bank Charges'] })
    expect(taxed).toMatchObject({ tax_id: ours.taxes['GST 18%'], tax_total: 0, line_items: [first, second] })
    const after = await put(before, { line_items: [{ line_item_id: second.line_item_id, amount: 60 }, { amount: 10 }] })
    expect(after).toMatchObject({
      total: 71.8, line_items: [{ ...second, amount: 60, item_total: 60 }, { account_id: ours.accounts['Bank Charges'], tax_amount: 1.8 }],
    })
    expect(idsOf(after)).toEqual([second.line_item_id, expect.not.stringContaining(first.line_item_id)])
  })

  test('an expense of its header stays one when it is carried back with another amount', async () => {
    const before = await spend({ amount: 100 })
    const after = await put(before, { ...before, amount: 120 })
    expect(after).toMatchObject({ amount: 120, total: 120, line_items: [{ ...before.line_items[0], amount: 120, item_total: 120 }] })
    expect(await put(before, { tax_id: ours.taxes['GST 18%'] })).toMatchObject({ total: 141.6, line_items: [{ tax_amount: 21.6 }] })
  })

  test('its own lines alone', async () => {
    const [before, other] = [await spend({ line_items: [{ amount: 100 }] }), await spend({ amount: 1 })]
    const refusal = (line_items: Json[]) => ours.refusal('PUT', `/expenses/${before.expense_id}`, { line_items })
    expect(await refusal([{ line_item_id: idsOf(other)[0] }])).toMatchObject({ status: 404, field: 'line_items.0.line_item_id' })
    expect(await refusal([before.line_items[0], before.line_items[0]])).toMatchObject({ status: 400, field: 'line_items.1.line_item_id' })
    expect(await refusal([{ note: 'Fee' }])).toMatchObject({ status: 422, errors: [{ field: 'line_items.0.amount' }] })
  })
})

test('a draft invoice is rounded again by a change, and by nothing else', async () => {
  const { invoice_id, ...before } = await ours.invoice({ line_items: [line({ rate: 99.6 })] })
  await ours.setPreferences({ roundInvoiceTotals: true })
  const put = async (body: Json) => (await ours.send('PUT', `/invoices/${invoice_id}`, body)).invoice
  expect(await put({ ...before, notes: null })).toMatchObject({ round_off: 0, total: 99.6, last_modified_time: before.last_modified_time })
  expect(await put({ ...before, notes: 'Now' })).toMatchObject({ round_off: 0.4, total: 100, balance: 100 })
  await ours.setPreferences({ roundInvoiceTotals: false })
})
