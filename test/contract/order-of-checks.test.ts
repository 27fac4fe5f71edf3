// What does not exist is reported before what is not allowed (decisions §1): 404 for records in a path or body, whatever else is wrong.
import { describe, expect, test } from '@jest/globals'
import {
  billBody, creditNoteBody, debitNoteBody, estimateBody, expenseBody, invoiceBody, journalBody, purchaseOrderBody, receiptBody, salesOrderBody,
} from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { useService } from '../fixtures/use-service.ts'
import { someOf } from './cases.ts'
import { NO_SUCH_ID } from './routes.ts'
import { openContractOrganization, type ContractOrganization } from './samples.ts'

const service = await useService()
const org = await openContractOrganization(service)

// Values that are well-formed and not acceptable.
const PLACE = { place_of_supply: 'Atlantis' }
const CURRENCY = { currency_code: 'XXX', exchange_rate: 2 }
const DUE = { due_date: '2000-01-01' }
const NAMED = { name: 'Slates', quantity: 1, rate: 5 }
const TOO_MUCH = { line_items: [{ ...NAMED, rate: 1e13, quantity: 1e6 }] }
const DISCOUNT = { line_items: [{ ...NAMED, discount: 50 }] }

/** A body that is refused with 400 or 422 for its values, and the ids of which each alone makes it a 404. */
type Case = [path: string, wrong: (org: ContractOrganization) => Json, ids: Record<string, (id: string) => Json>]

const documentIds = {
  branch_id: (branch_id: string) => ({ branch_id }),
  tags: (id: string) => ({ tags: [id] }),
  'line_items.0.item_id': (item_id: string) => ({ line_items: [{ item_id, quantity: 1, discount: 5e9 }] }),
  'line_items.0.tax_id': (tax_id: string) => ({ line_items: [{ ...NAMED, tax_id, discount: 50 }] }),
}
const customer_id = (id: string) => ({ customer_id: id })
const vendor_id = (id: string) => ({ vendor_id: id })
const DOCUMENTS: [path: string, body: (org: ContractOrganization, changes: Json) => Json, ids: Case[2], more: Json[]][] = [
  ['/invoices', invoiceBody, { customer_id }, [DUE]],
  ['/bills', billBody, { vendor_id }, [DUE]],
  ['/estimates', estimateBody, { customer_id }, [{ expiry_date: '2000-01-01' }]],
  ['/sales_orders', salesOrderBody, { customer_id }, [{ shipment_date: '2000-01-01' }]],
  ['/purchase_orders', purchaseOrderBody, { vendor_id }, [{ expected_date: '2000-01-01' }]],
  ['/credit_notes', creditNoteBody, { customer_id, invoice_id: (invoice_id) => ({ invoice_id }) }, []],
  ['/debit_notes', debitNoteBody, { vendor_id, bill_id: (bill_id) => ({ bill_id }) }, []],
]
const CASES: Case[] = [
  ...DOCUMENTS.flatMap(([path, body, ids, more]) => [PLACE, CURRENCY, TOO_MUCH, DISCOUNT, ...more]
    .map((wrong): Case => [path, (at) => ({ ...body(at, {}), ...wrong }), { ...ids, ...documentIds }])),
  ...[CURRENCY, { tds_amount: 1e9 }, { bank_charges: 1e9 }, { amount: 0.001 }].map((wrong): Case => [
    '/payments', (at) => ({ ...receiptBody(at, {}), ...wrong }),
    {
      contact_id: (contact_id) => ({ contact_id }), bank_account_id: (bank_account_id) => ({ bank_account_id }),
      'allocations.0.invoice_id': (invoice_id) => ({ allocations: [{ invoice_id, amount: 1e9 }] }),
    },
  ]),
  ['/payments', (at) => ({ ...receiptBody(at, {}), allocations: [{ bill_id: at.openBillId, amount: 1 }] }), {
    contact_id: (contact_id) => ({ contact_id }), bank_account_id: (bank_account_id) => ({ bank_account_id }),
    'allocations.0.bill_id': (bill_id) => ({ allocations: [{ bill_id, amount: 1 }] }),
    'allocations.1.bill_id': (bill_id) => ({ allocations: [{ invoice_id: org.sentInvoiceId, amount: 0.001 }, { bill_id, amount: 1 }] }),
  }],
  ['/credit_notes', (at) => ({ ...creditNoteBody(at, {}), invoice_id: at.sentInvoiceId, bill_id: at.openBillId }), {
    customer_id, invoice_id: (invoice_id) => ({ invoice_id }), bill_id: (bill_id) => ({ bill_id }), ...documentIds,
  }],
  ['/expenses', (at) => ({ ...expenseBody(at, {}), amount: 0.001 }), {
    vendor_id, tags: (id) => ({ tags: [id] }), account_id: (account_id) => ({ account_id }), paid_through_account_id: (id) => ({ paid_through_account_id: id }), tax_id: (tax_id) => ({ tax_id }),
  }],
  ['/journals', (at) => unbalanced(journalBody(at, {})), {
    contact_id: (contact_id) => ({ contact_id }),
    'lines.1.account_id': (account_id) => ({ lines: [{ account_id: '$receivable', debit: 5 }, { account_id, credit: 9 }] }),
  }],
  ['/expenses', (at) => ({ ...expenseBody(at, {}), account_id: '$receivable' }), { paid_through_account_id: (id) => ({ paid_through_account_id: id }) }],
  ['/items', () => ({ item_name: 'Slate', account_id: '$receivable' }), { tax_id: (tax_id) => ({ tax_id }), purchase_account_id: (id) => ({ purchase_account_id: id }) }],
  ['/invoices/series', () => ({ series_name: 'x', prefix: '{"', transaction_date: '1999-01-01' }), { branch_id: (branch_id) => ({ branch_id }) }],
]

function unbalanced(body: Json): Json {
  const [first, ...rest] = body.lines
  return { ...body, lines: [{ ...first, debit: (first.debit ?? 0) + 5 }, ...rest] }
}

const tried = CASES.flatMap(([path, wrong, ids]) => Object.entries(ids).map(([field, change]) => [`POST ${path} ${field}`, path, wrong, change, field] as const))

describe('ids in a body', () => {
  test.each(tried)('%s', async (_name, path, wrong, change, field) => {
    const filled = async (made: Json) => JSON.parse(JSON.stringify(made).replace('$receivable', await receivable()))
    const body = await filled(wrong(org))
    const refused = await org.client.post(path, body)
    expect([400, 422]).toContain(refused.status)
    expect(refused.body.code).toBe('validation.invalid_value')
    for (const id of someOf([NO_SUCH_ID, 'no-id'])) {
      const { status, body: answered } = await org.client.post(path, await filled({ ...body, ...change(id) }))
      expect([status, answered.code, answered.field]).toEqual([404, 'not_found.resource', field])
    }
  })
})

/** What to make and change, the ids of which each alone makes the change a 404, and what of a line may not change. */
type PutCase = [path: string, body: (org: ContractOrganization) => Json, ids: Record<string, (id: string) => Json>]

const ofLines = {
  'line_items.0.line_item_id': (line_item_id: string) => ({ line_items: [{ line_item_id }] }),
  'line_items.0.tax_id': (tax_id: string) => ({ line_items: [{ ...NAMED, tax_id }] }),
  tags: (id: string) => ({ tags: [id] }),
}
const account_id = (id: string) => ({ account_id: id })
const PUTS: PutCase[] = [
  ['/contacts', () => ({ contact_name: 'Ravi' }), {
    'contact_persons.0.contact_person_id': (contact_person_id) => ({ contact_persons: [{ contact_person_id }], place_of_contact: 'Atlantis' }),
  }],
  ['/items', () => ({ item_name: 'Slate', rate: 5 }), { account_id, tax_id: (tax_id) => ({ tax_id }) }],
  ['/sales_orders', (at) => salesOrderBody(at, {}), { customer_id, branch_id: (branch_id) => ({ branch_id }), ...ofLines }],
  ['/purchase_orders', (at) => purchaseOrderBody(at, {}), { vendor_id, 'line_items.0.account_id': (id) => ({ line_items: [{ ...NAMED, account_id: id }] }), ...ofLines }],
  ['/credit_notes', (at) => creditNoteBody(at, { is_draft: true }), { customer_id, invoice_id: (invoice_id) => ({ invoice_id }), bill_id: (bill_id) => ({ bill_id }), ...ofLines }],
  ['/debit_notes', (at) => debitNoteBody(at, { is_draft: true }), { vendor_id, bill_id: (bill_id) => ({ bill_id }), ...ofLines }],
  ['/expenses', (at) => expenseBody(at, {}), {
    vendor_id, account_id, tags: ofLines.tags, 'line_items.0.line_item_id': ofLines['line_items.0.line_item_id'],
    'line_items.0.account_id': (id) => ({ line_items: [{ amount: 5, account_id: id }] }),
  }],
  ['/payments', (at) => receiptBody(at, {}), { contact_id: (contact_id) => ({ contact_id }), bank_account_id: (bank_account_id) => ({ bank_account_id }), tags: ofLines.tags }],
]

describe('ids in the body of a PUT that alters a fixed field', () => {
  test.each(PUTS.flatMap(([path, body, ids]) => Object.entries(ids).map(([field, change]) => [`PUT ${path} ${field}`, path, body, change, field] as const)))('%s', async (_name, path, body, change, field) => {
    const { at } = await drawnUp(path, body(org))
    const fixed = { created_time: '2000-01-01T00:00:00.000Z' }
    expect((await org.client.put(at, fixed)).body).toMatchObject({ code: 'validation.invalid_value', field: 'created_time' })
    for (const id of someOf([NO_SUCH_ID, 'no-id'])) {
      const { status, body: answered } = await org.client.put(at, { ...fixed, ...change(id) })
      expect([status, answered.code, answered.field]).toEqual([404, 'not_found.resource', field])
    }
  })

  test.each(PUTS.filter(([, , ids]) => 'line_items.0.tax_id' in ids))('PUT %s: a fixed field of a line', async (path, body, ids) => {
    const { at, record: { line_items: [{ line_item_id }] } } = await drawnUp(path, body(org))
    const line_items = [{ line_item_id, item_total: 0.5 }]
    expect((await org.client.put(at, { line_items })).body).toMatchObject({ code: 'validation.invalid_value', field: 'line_items.0.item_total' })
    const [field, change] = Object.entries(ids)[0]!
    expect((await org.client.put(at, { ...change(NO_SUCH_ID), line_items })).body).toMatchObject({ code: 'not_found.resource', field })
    const unknown = { line_items: [...line_items, ...line_items, { line_item_id: NO_SUCH_ID }] }
    expect((await org.client.put(at, unknown)).body).toMatchObject({ code: 'not_found.resource', field: 'line_items.2.line_item_id' })
  })
})

async function drawnUp(path: string, body: Json): Promise<{ at: string; record: Json }> {
  const { status, body: answered } = await org.client.post(path, body)
  expect(status).toBe(201)
  const key = path.slice(1, -1)
  return { at: `${path}/${answered[key][`${key}_id`]}`, record: answered[key] }
}

let known: Promise<string> | undefined
function receivable(): Promise<string> {
  return (known ??= org.client.get('/accounts?per_page=500').then(({ body: { accounts } }) =>
    accounts.find((account: Json) => account.account_type === 'ACCOUNTS_RECEIVABLE').account_id))
}

describe('the record of the path', () => {
  test.each<[string, string, Json]>([
    ['PUT', '/contacts/{id}', { place_of_contact: 'Atlantis', gst_no: 'bad' }],
    ['PUT', '/items/{id}', { tax_id: NO_SUCH_ID }],
    ['PUT', '/invoices/{id}', { customer_id: 'x', due_date: '2000-01-01' }],
    ['POST', '/invoices/{id}/void', { date: '2000-01-01' }],
    ['PUT', '/bills/{id}', { due_date: '2000-01-01' }],
    ['PUT', '/payments/{id}', { contact_id: NO_SUCH_ID, tds_amount: 5 }],
    ['POST', '/payments/{id}/apply', { bill_id: NO_SUCH_ID, amount: 0.001 }],
    ['PUT', '/credit_notes/{id}', { invoice_id: NO_SUCH_ID, place_of_supply: 'Atlantis' }],
    ['POST', '/credit_notes/{id}/apply-to-invoice', { invoice_id: NO_SUCH_ID, amount: 0.001 }],
    ['POST', '/credit_notes/{id}/apply-to-bill', { bill_id: NO_SUCH_ID, amount: 0.001 }],
    ['PUT', '/debit_notes/{id}', { bill_id: NO_SUCH_ID }],
    ['PUT', '/estimates/{id}', { status: 'ACCEPTED', expiry_date: '2000-01-01' }],
    ['POST', '/estimates/{id}/convert', { through: 'invoice' }],
    ['PUT', '/sales_orders/{id}', { customer_id: NO_SUCH_ID, shipment_date: '2000-01-01' }],
    ['POST', '/sales_orders/{id}/convert', { line_items: [{ line_item_id: NO_SUCH_ID, quantity: 1 }] }],
    ['PUT', '/purchase_orders/{id}', { vendor_id: NO_SUCH_ID, expected_date: '2000-01-01' }],
    ['PUT', '/expenses/{id}', { vendor_id: NO_SUCH_ID, amount: 0.001 }],
    ['PUT', '/webhooks/endpoints/{id}', { url: 'http://10.0.0.1/', events: ['NONE'] }],
  ])('%s %s', async (method, path, body) => {
    for (const id of [NO_SUCH_ID, 'no-id']) {
      const { status, body: answered } = await org.client.call(method, path.replace('{id}', id), { body, ...(method === 'POST' ? { key: `${path.replaceAll(/\W/g, '')}${id}` } : {}) })
      expect([status, answered.code, answered.field]).toEqual([404, 'not_found.resource', undefined])
    }
  })
})

/** What is applied or converted, what of a body is refused with 400 or 409, and what makes it a 404 all the same. */
type PartCase = [name: string, path: (org: ContractOrganization) => Promise<string>, refused: (org: ContractOrganization) => Json, field: string, missing: (id: string) => Json]

const paid = (changes: (at: ContractOrganization) => Json) => async (at: ContractOrganization) => `${(await drawnUp('/payments', receiptBody(at, changes(at)))).at}/apply`
const noted = (action: string, changes: (at: ContractOrganization) => Json) => async (at: ContractOrganization) => (
  `${(await drawnUp('/credit_notes', creditNoteBody(at, changes(at)))).at}/${action}`
)
const ofVendor = (at: ContractOrganization) => ({ customer_id: at.vendorId })
const cancelled = (path: string, body: (at: ContractOrganization, changes: Json) => Json) => async (at: ContractOrganization) => {
  const order = await drawnUp(path, body(at, {}))
  expect((await org.client.post(`${order.at}/cancel`)).status).toBe(200)
  return `${order.at}/convert`
}
const invoice_id = (id: string) => ({ invoice_id: id, amount: 1 })
const bill_id = (id: string) => ({ bill_id: id, amount: 1 })
const line = (line_item_id: string) => ({ line_items: [{ line_item_id, quantity: 1 }] })
const PARTS: PartCase[] = [
  ['money received, to a bill', paid(() => ({})), (at) => bill_id(at.openBillId), 'bill_id', bill_id],
  ['money received, nothing of it', paid(() => ({})), (at) => ({ invoice_id: at.sentInvoiceId, amount: 0.001 }), 'invoice_id', (id) => ({ invoice_id: id, amount: 0.001 })],
  ['money paid, to an invoice', paid((at) => ({ flow: 'OUTGOING', contact_id: at.vendorId })), (at) => invoice_id(at.sentInvoiceId), 'invoice_id', invoice_id],
  ['a refund, to a bill', paid(() => ({ flow: 'OUTGOING', payment_type: 'REFUND' })), (at) => bill_id(at.openBillId), 'bill_id', bill_id],
  ["a customer's credit, to a bill", noted('apply-to-bill', () => ({})), (at) => bill_id(at.openBillId), 'bill_id', bill_id],
  ["a vendor's credit, to an invoice", noted('apply-to-invoice', ofVendor), (at) => invoice_id(at.sentInvoiceId), 'invoice_id', invoice_id],
  ['a draft credit note', noted('apply-to-invoice', () => ({ is_draft: true })), (at) => invoice_id(at.sentInvoiceId), 'invoice_id', invoice_id],
  ['a cancelled sales order', cancelled('/sales_orders', salesOrderBody), () => ({}), 'line_items.0.line_item_id', line],
  ['a cancelled purchase order', cancelled('/purchase_orders', purchaseOrderBody), () => ({}), 'line_items.0.line_item_id', line],
]

describe('what is applied or converted', () => {
  test.each(PARTS)('%s', async (_name, pathOf, refusedBody, field, missing) => {
    const path = await pathOf(org)
    expect([400, 409]).toContain((await org.client.post(path, refusedBody(org))).status)
    for (const id of [NO_SUCH_ID, 'no-id']) {
      const { status, body: answered } = await org.client.post(path, missing(id))
      expect([status, answered.code, answered.field]).toEqual([404, 'not_found.resource', field])
    }
  })

  test('a part of an order that is too much, beside a line that is not there', async () => {
    const { at, record: { line_items: [{ line_item_id }] } } = await drawnUp('/sales_orders', salesOrderBody(org, {}))
    const line_items = [{ line_item_id, quantity: 1e6 }, { line_item_id: NO_SUCH_ID, quantity: 1 }]
    expect((await org.client.post(`${at}/convert`, { line_items })).body).toMatchObject({ code: 'not_found.resource', field: 'line_items.1.line_item_id' })
  })
})
