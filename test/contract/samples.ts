// What the contract tests send: a good body for every POST and PUT, and a record for every id in a path.
import { randomUUID } from 'node:crypto'
import type { Route } from '../../api/http/route.ts'
import type { Json } from '../api/client.ts'
import { acceptedEstimate } from '../api/orders.ts'
import type { Service } from '../api/service.ts'
import {
  billBody, creditNoteBody, debitNoteBody, estimateBody, expenseBody, invoiceBody, journalBody, made, openShop, paymentBody,
  purchaseOrderBody, salesOrderBody, type Shop,
} from '../api/wares.ts'
import { nameOf } from './routes.ts'

/** A shop, and the partner's key that made it. */
export interface Stand extends Shop {
  partnerKey: string
  /** Of 1,180.00, approved: money can be put onto it. */
  sentInvoiceId: string
  /** An approved bill: credit can be put onto it. */
  openBillId: string
}

export async function openStand(service: Service): Promise<Stand> {
  const shop = await openShop(await service.organization())
  const sent = await made(shop.client.post('/invoices', invoiceBody(shop, { auto_approve: true })))
  const open = await made(shop.client.post('/bills', billBody(shop, { auto_approve: true })))
  return { ...shop, partnerKey: service.partnerKey, sentInvoiceId: sent.invoice.invoice_id, openBillId: open.bill.bill_id }
}

// One row a route that takes a body. The lists that come with new resources grow here.
const BODIES: Record<string, (stand: Stand) => Record<string, unknown>> = {
  'POST /echo': () => ({ greeting: 'नमस्ते', list: [1, { two: 2 }] }),
  'POST /partner/organizations': () => ({ name: 'Johari Bazaar Gems', gstin: '29AAACB1234C1ZB', user: { email: 'asha@johari.test' } }),
  'POST /provision/organization': () => ({ name: 'Zaveri Bazaar Gems', external_ref: randomUUID(), scopes: ['Svc.invoices.READ'] }),
  'PUT /partner/organizations/{org_id}': () => ({ name: 'Johari Bazaar Jewels', legal_name: null, phone: '0141 2560 001' }),
  'POST /partner/organizations/{org_id}/token': () => ({ grace_seconds: 60 }),
  'POST /contacts': () => ({
    contact_name: 'Ravi Textiles', contact_type: 'BOTH', email: 'ravi@textiles.test', credit_limit: 25000.5,
    billing_address: { city: 'Surat', state_code: 'IN-GJ' }, contact_persons: [{ first_name: 'Ravi', is_primary: true }],
  }),
  'PUT /contacts/{contact_id}': () => ({ company_name: 'Ravi & Sons', shipping_address: { zip: '395003' } }),
  'POST /items': ({ taxId }) => ({ item_name: 'Cotton bale', rate: 1250.75, purchase_rate: 900, tax_id: taxId, sku: 'BALE-1' }),
  'PUT /items/{item_id}': () => ({ description: 'Long staple', rate: 1300 }),
  'POST /invoices': (stand) => invoiceBody(stand, { auto_approve: true, notes: 'With thanks', reference_number: 'PO-77' }),
  'PUT /invoices/{invoice_id}': () => ({ reference_number: 'PO-78', notes: null, due_date: '2026-12-31' }),
  'POST /invoices/{invoice_id}/void': () => ({ reason: 'Sent twice' }),
  'POST /invoices/series': () => ({ series_name: `export ${randomUUID().slice(0, 8)}`, prefix: 'EX-', label: 'Export', padding: 4 }),
  'POST /bills': (stand) => billBody(stand, { auto_approve: true, notes: 'In two parcels', bill_number: 'TM/26/1', round_off: -0.5 }),
  'PUT /bills/{bill_id}': () => ({ bill_number: 'TM/26/2', notes: null, due_date: '2026-12-31' }),
  'POST /bills/{bill_id}/void': () => ({ reason: 'Sent back' }),
  'POST /payments': (stand) => paymentBody(stand, { reference_number: 'UTR 7', mode: 'UPI', tds_amount: 10, bank_charges: 1.5 }),
  'PUT /payments/{payment_id}': () => ({ date: '2026-11-11', description: 'On account', reference_number: null }),
  'POST /payments/{payment_id}/apply': ({ sentInvoiceId }) => ({ invoice_id: sentInvoiceId, amount: 0.01 }),
  'POST /credit_notes': (stand) => creditNoteBody(stand, { invoice_id: stand.sentInvoiceId, reference_number: 'RET-7', notes: 'Torn' }),
  'PUT /credit_notes/{credit_note_id}': () => ({ date: '2026-11-12', reference_number: 'RET-8', notes: null }),
  'POST /credit_notes/{credit_note_id}/void': () => ({ reason: 'Not returned after all' }),
  'POST /credit_notes/{credit_note_id}/apply-to-invoice': ({ sentInvoiceId }) => ({ invoice_id: sentInvoiceId, amount: 0.01 }),
  'POST /credit_notes/{credit_note_id}/apply-to-bill': ({ openBillId }) => ({ bill_id: openBillId, amount: 0.01 }),
  'POST /debit_notes': (stand) => debitNoteBody(stand, { bill_id: stand.openBillId, reason: 'Wrong colour', reference_number: 'RET-9' }),
  'PUT /debit_notes/{debit_note_id}': () => ({ date: '2026-11-12', reason: null, notes: 'By road' }),
  'POST /debit_notes/{debit_note_id}/void': () => ({ reason: 'Kept after all' }),
  'POST /estimates': (stand) => estimateBody(stand, { expiry_date: '2026-12-10', place_of_supply: 'Karnataka', notes: 'With thanks' }),
  'PUT /estimates/{estimate_id}': () => ({ status: 'SENT', notes: null, expiry_date: '2026-12-31' }),
  'POST /estimates/{estimate_id}/convert': () => ({ through: 'invoice', auto_approve: true }),
  'POST /sales_orders': (stand) => salesOrderBody(stand, { shipment_date: '2026-11-20', place_of_supply: 'Karnataka', notes: 'By rail' }),
  'PUT /sales_orders/{sales_order_id}': ({ itemId }) => ({ reference_number: 'PO-79', line_items: [{ item_id: itemId, quantity: 3 }] }),
  'POST /sales_orders/{sales_order_id}/convert': () => ({ auto_approve: true }),
  'POST /purchase_orders': (stand) => purchaseOrderBody(stand, { expected_date: '2026-11-20', reference_number: 'RFQ-7' }),
  'PUT /purchase_orders/{purchase_order_id}': () => ({ expected_date: null, place_of_supply: 'IN-MH', notes: 'To the mill' }),
  'POST /purchase_orders/{purchase_order_id}/convert': () => ({ auto_approve: false }),
  'POST /expenses': (stand) => expenseBody(stand, { vendor_id: null, mode: 'BANK', reference_number: 'R-7', is_inclusive_tax: true, tax_id: stand.taxId }),
  'PUT /expenses/{expense_id}': () => ({ amount: 750.25, notes: 'Paid in cash', date: '2026-11-12' }),
  'POST /journals': (stand) => journalBody(stand, { memo: 'Bank charges of the month' }),
  'POST /webhooks/endpoints': () => ({ url: 'http://127.0.0.1:9/hook', events: ['INVOICE_CREATED'], description: 'Ours' }),
  'PUT /webhooks/endpoints/{endpoint_id}': () => ({ events: ['INVOICE_PAID', 'INVOICE_VOIDED'] }),
}

// One row an id that stands in a path, or a route that needs such a record in another state: makes it, and answers its id.
const RECORDS: Record<string, (stand: Stand) => Promise<string>> = {
  org_id: async ({ client }) => client.orgId,
  contact_id: async ({ client }) => (await made(client.post('/contacts', { contact_name: 'Lakshmi Stores' }))).contact.contact_id,
  item_id: async ({ client }) => (await made(client.post('/items', { item_name: 'Jute sack' }))).item.item_id,
  tax_id: async ({ taxId }) => taxId,
  account_id: async ({ client }) => (await client.get('/accounts')).body.accounts[0].account_id,
  branch_id: async ({ client }) => (await client.get('/branches')).body.branches[0].branch_id,
  invoice_id: async (stand) => (await made(stand.client.post('/invoices', invoiceBody(stand)))).invoice.invoice_id,
  bill_id: async (stand) => (await made(stand.client.post('/bills', billBody(stand)))).bill.bill_id,
  payment_id: async (stand) => (await made(stand.client.post('/payments', paymentBody(stand)))).payment.payment_id,
  credit_note_id: (stand) => creditNoteOf(stand),
  'POST /credit_notes/{credit_note_id}/issue': (stand) => creditNoteOf(stand, { is_draft: true }),
  'POST /credit_notes/{credit_note_id}/apply-to-bill': (stand) => (
    creditNoteOf(stand, { customer_id: stand.vendorId, line_items: [{ name: 'Torn thread', quantity: 1, rate: 400 }] })
  ),
  debit_note_id: (stand) => debitNoteOf(stand),
  'POST /debit_notes/{debit_note_id}/issue': (stand) => debitNoteOf(stand, { is_draft: true }),
  estimate_id: async (stand) => (await made(stand.client.post('/estimates', estimateBody(stand)))).estimate.estimate_id,
  'POST /estimates/{estimate_id}/convert': async (stand) => (await acceptedEstimate(stand)).estimate_id,
  sales_order_id: async (stand) => (await made(stand.client.post('/sales_orders', salesOrderBody(stand)))).sales_order.sales_order_id,
  async 'POST /sales_orders/{sales_order_id}/close'(stand) {
    const id = await RECORDS.sales_order_id!(stand)
    await stand.client.post(`/sales_orders/${id}/open`)
    return id
  },
  purchase_order_id: async (stand) => (await made(stand.client.post('/purchase_orders', purchaseOrderBody(stand)))).purchase_order.purchase_order_id,
  expense_id: async (stand) => (await made(stand.client.post('/expenses', expenseBody(stand)))).expense.expense_id,
  // A manual one: only those can be deleted.
  journal_id: async (stand) => (await made(stand.client.post('/journals', journalBody(stand)))).journal.journal_id,
  endpoint_id: async ({ client }) =>
    (await made(client.post('/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook', events: ['INVOICE_CREATED'] }))).endpoint.endpoint_id,
  async delivery_id(stand) {
    await RECORDS.endpoint_id!(stand)
    await made(stand.client.post('/invoices', invoiceBody(stand)))
    return (await stand.client.get('/webhooks/deliveries')).body.deliveries[0].delivery_id
  },
}

async function creditNoteOf(stand: Stand, changes: Record<string, unknown> = {}): Promise<string> {
  return (await made(stand.client.post('/credit_notes', creditNoteBody(stand, changes)))).credit_note.credit_note_id
}

async function debitNoteOf(stand: Stand, changes: Record<string, unknown> = {}): Promise<string> {
  return (await made(stand.client.post('/debit_notes', debitNoteBody(stand, changes)))).debit_note.debit_note_id
}

/** A good body of the route; undefined where it takes none. */
export function bodyFor(route: Route, stand: Stand): Json {
  if (!route.body) return undefined
  const body = BODIES[nameOf(route)]
  if (!body) throw new Error(`${nameOf(route)} has no sample body: add one to BODIES in test/contract/samples.ts`)
  return body(stand)
}

/** The route's path with ids of fresh records of the stand's organisation. */
export async function pathFor(route: Route, stand: Stand): Promise<string> {
  let path = route.path
  for (const [whole, name] of route.path.matchAll(/\{(\w+)\}/g)) {
    const record = RECORDS[nameOf(route)] ?? RECORDS[name!]
    if (!record) throw new Error(`nothing makes a ${name}: add it to RECORDS in test/contract/samples.ts`)
    path = path.replace(whole, await record(stand))
  }
  return path
}

/** The parameters that the route's query must have, `&name=value` each; an id is that of a fresh record. */
export async function requiredQuery(route: Route, stand: Stand): Promise<string> {
  const sent = await Promise.all(((route.query?.required ?? []) as string[]).map(async (name) => `&${name}=${await RECORDS[name]?.(stand) ?? 'x'}`))
  return sent.join('')
}

/** Makes one of everything, so that no list is empty. */
export async function fillStand(stand: Stand): Promise<void> {
  for (const make of Object.values(RECORDS)) await make(stand)
}
