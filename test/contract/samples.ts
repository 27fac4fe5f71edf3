// What the contract tests send: a good body for every POST and PUT, and a record for every id in a path.
import { randomUUID } from 'node:crypto'
import type { Route } from '../../api/http/route.ts'
import {
  AHEAD, billBody, creditNoteBody, debitNoteBody, estimateBody, expenseBody, invoiceBody, journalBody, purchaseOrderBody, receiptBody, salesOrderBody, scheduleBody,
} from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { acceptedItemEstimate } from '../fixtures/orders.ts'
import { created, openOrganizationWithItem, type OrganizationWithItem } from '../fixtures/organization.ts'
import type { Service } from '../fixtures/service.ts'
import { upload, uploadForm } from '../fixtures/uploads.ts'
import { nameOf } from './routes.ts'

/** The organisation of the contract tests, and the partner's key that created it. */
export interface ContractOrganization extends OrganizationWithItem {
  partnerKey: string
  /** Of 1,180.00, approved: money can be put onto it. */
  sentInvoiceId: string
  /** An approved bill: credit can be put onto it. */
  openBillId: string
  /** For what no call brings about. */
  sql: Service['sql']
}

export async function openContractOrganization(service: Service): Promise<ContractOrganization> {
  const organization = await openOrganizationWithItem(service)
  const sent = await created(organization.client.post('/invoices', invoiceBody(organization, { auto_approve: true })))
  const open = await created(organization.client.post('/bills', billBody(organization, { auto_approve: true })))
  return { ...organization, partnerKey: service.partnerKey, sentInvoiceId: sent.invoice.invoice_id, openBillId: open.bill.bill_id, sql: service.sql }
}

// One row a route that takes a body. The lists that come with new resources grow here.
const BODIES: Record<string, (org: ContractOrganization) => Record<string, unknown>> = {
  'POST /echo': () => ({ greeting: 'नमस्ते', list: [1, { two: 2 }] }),
  'POST /partner/organizations': () => ({ name: 'Johari Bazaar Gems', gstin: '29AAACB1234C1ZB', user: { email: 'asha@johari.test' } }),
  'POST /provision/organization': () => ({ name: 'Zaveri Bazaar Gems', external_ref: randomUUID(), scopes: ['Svc.invoices.READ'] }),
  'PUT /partner/organizations/{org_id}': () => ({ name: 'Johari Bazaar Jewels', legal_name: null, phone: '0141 2560 001' }),
  'POST /partner/organizations/{org_id}/token': () => ({ grace_seconds: 86_400 }),
  'POST /contacts': () => ({
    contact_name: 'Ravi Textiles', contact_type: 'BOTH', email: 'ravi@textiles.test', credit_limit: 25000.5,
    billing_address: { city: 'Surat', state_code: 'IN-GJ' }, contact_persons: [{ first_name: 'Ravi', is_primary: true }],
  }),
  'PUT /contacts/{contact_id}': () => ({ company_name: 'Ravi & Sons', shipping_address: { zip: '395003' } }),
  'POST /items': ({ taxId }) => ({ item_name: 'Cotton bale', rate: 1250.75, purchase_rate: 900, tax_id: taxId, sku: 'BALE-1' }),
  'PUT /items/{item_id}': () => ({ description: 'Long staple', rate: 1300 }),
  'POST /invoices': (org) => invoiceBody(org, { auto_approve: true, notes: 'With thanks', reference_number: 'PO-77' }),
  'PUT /invoices/{invoice_id}': () => ({ reference_number: 'PO-78', notes: null, due_date: '2026-12-31' }),
  'POST /invoices/{invoice_id}/void': () => ({ reason: 'Sent twice' }),
  'POST /invoices/{invoice_id}/dispute': () => ({ reason: 'Ten of them were torn' }),
  'POST /invoices/{invoice_id}/email': () => ({ to: ['meena@example.com'], cc: [], bcc: ['asha@example.com'], subject: 'Yours', attach_pdf: false }),
  'POST /invoices/{invoice_id}/remind': () => ({ to: ['meena@example.com'], subject: '{{number}} is open', attach_pdf: false }),
  'POST /credit_notes/{credit_note_id}/email': () => ({ to: ['meena@example.com'], attach_pdf: false }),
  'POST /estimates/{estimate_id}/email': () => ({ to: ['meena@example.com'], body_html: '<p>Dear Meena</p>', attach_pdf: false }),
  'POST /invoices/series': () => ({ series_name: `export ${randomUUID().slice(0, 8)}`, prefix: 'EX-', label: 'Export', padding: 4 }),
  'POST /bills': (org) => billBody(org, { auto_approve: true, notes: 'In two parcels', bill_number: 'TM/26/1', round_off: -0.5 }),
  'PUT /bills/{bill_id}': () => ({ bill_number: 'TM/26/2', notes: null, due_date: '2026-12-31' }),
  'POST /bills/{bill_id}/void': () => ({ reason: 'Sent back' }),
  'POST /payments': (org) => receiptBody(org, { reference_number: 'UTR 7', mode: 'UPI', tds_amount: 10, bank_charges: 1.5 }),
  'PUT /payments/{payment_id}': () => ({ date: '2026-11-11', description: 'On account', reference_number: null }),
  'POST /payments/{payment_id}/apply': ({ sentInvoiceId }) => ({ invoice_id: sentInvoiceId, amount: 0.01 }),
  'POST /credit_notes': (org) => creditNoteBody(org, { invoice_id: org.sentInvoiceId, reference_number: 'RET-7', notes: 'Torn' }),
  'PUT /credit_notes/{credit_note_id}': () => ({ date: '2026-11-12', reference_number: 'RET-8', notes: null }),
  'POST /credit_notes/{credit_note_id}/void': () => ({ reason: 'Not returned after all' }),
  'POST /credit_notes/{credit_note_id}/apply-to-invoice': ({ sentInvoiceId }) => ({ invoice_id: sentInvoiceId, amount: 0.01 }),
  'POST /credit_notes/{credit_note_id}/apply-to-bill': ({ openBillId }) => ({ bill_id: openBillId, amount: 0.01 }),
  'POST /debit_notes': (org) => debitNoteBody(org, { bill_id: org.openBillId, reason: 'Wrong colour', reference_number: 'RET-9' }),
  'PUT /debit_notes/{debit_note_id}': () => ({ date: '2026-11-12', reason: null, notes: 'By road' }),
  'POST /debit_notes/{debit_note_id}/void': () => ({ reason: 'Kept after all' }),
  'POST /estimates': (org) => estimateBody(org, { date: '2026-11-10', expiry_date: '2026-12-10', place_of_supply: 'Karnataka', notes: 'With thanks' }),
  'PUT /estimates/{estimate_id}': () => ({ status: 'SENT', notes: null, expiry_date: `${AHEAD}-12-31` }),
  'POST /estimates/{estimate_id}/convert': () => ({ through: 'invoice', auto_approve: true }),
  'POST /sales_orders': (org) => salesOrderBody(org, { date: '2026-11-10', shipment_date: '2026-11-20', place_of_supply: 'Karnataka', notes: 'By rail' }),
  'PUT /sales_orders/{sales_order_id}': ({ itemId }) => ({ reference_number: 'PO-79', line_items: [{ item_id: itemId, quantity: 3 }] }),
  'POST /sales_orders/{sales_order_id}/convert': () => ({ auto_approve: true }),
  'POST /purchase_orders': (org) => purchaseOrderBody(org, { date: '2026-11-10', expected_date: '2026-11-20', reference_number: 'RFQ-7' }),
  'PUT /purchase_orders/{purchase_order_id}': () => ({ expected_date: null, place_of_supply: 'IN-MH', notes: 'To the mill' }),
  'POST /purchase_orders/{purchase_order_id}/convert': () => ({ auto_approve: false }),
  'POST /expenses': (org) => expenseBody(org, { vendor_id: null, mode: 'BANK', reference_number: 'R-7', is_inclusive_tax: true, tax_id: org.taxId }),
  'PUT /expenses/{expense_id}': () => ({ amount: 750.25, notes: 'Paid in cash', date: '2026-11-12' }),
  'POST /journals': (org) => journalBody(org, { memo: 'Bank charges of the month' }),
  'POST /recurring': (org) => scheduleBody(org, { month_anchor: 'LAST_DAY', end_date: `${AHEAD}-12-31`, max_runs: 12, auto_charge: true }),
  'PUT /recurring/{schedule_id}': () => ({ name: 'Rent, from now on', interval: 2, next_run_at: `${AHEAD}-01-15` }),
  'POST /bulk/invoices': (org) => ({ invoices: [invoiceBody(org, { notes: 'The first' }), invoiceBody(org, { auto_approve: true })] }),
  'POST /bulk/bills': (org) => ({ bills: [billBody(org), billBody(org, { auto_approve: true })] }),
  'POST /comments': (org) => ({ entity_type: 'INVOICE', entity_id: org.sentInvoiceId, body: 'Paid next week, says Asha.' }),
  'PUT /comments/{comment_id}': () => ({ body: 'Paid tomorrow, says Asha.' }),
  'POST /webhooks/endpoints': () => ({ url: 'http://127.0.0.1:9/hook', events: ['INVOICE_CREATED'], description: 'Ours' }),
  'PUT /webhooks/endpoints/{endpoint_id}': () => ({ events: ['INVOICE_PAID', 'INVOICE_VOIDED'] }),
  'POST /webhooks/endpoints/{endpoint_id}/rotate_secret': () => ({ overlap_seconds: 60 }),
  'POST /webhooks/endpoints/{endpoint_id}/recover': () => ({ since: '2026-11-20T00:00:00Z', until: null }),
}

// One row for each id of a path, or for a route that needs such a record in another state: creates it, and returns its id.
const RECORDS: Record<string, (org: ContractOrganization) => Promise<string>> = {
  org_id: async ({ client }) => client.orgId,
  contact_id: async ({ client }) => (await created(client.post('/contacts', { contact_name: 'Lakshmi Stores' }))).contact.contact_id,
  item_id: async ({ client }) => (await created(client.post('/items', { item_name: 'Jute sack' }))).item.item_id,
  tax_id: async ({ taxId }) => taxId,
  account_id: async ({ client }) => (await client.get('/accounts')).body.accounts[0].account_id,
  branch_id: async ({ client }) => (await client.get('/branches')).body.branches[0].branch_id,
  invoice_id: async (org) => (await created(org.client.post('/invoices', invoiceBody(org)))).invoice.invoice_id,
  'POST /invoices/{invoice_id}/dispute': (org) => sentInvoiceOf(org),
  'POST /invoices/{invoice_id}/remind': (org) => sentInvoiceOf(org),
  'POST /invoices/{invoice_id}/resolve_dispute': async (org) => {
    const id = await sentInvoiceOf(org)
    await org.client.post(`/invoices/${id}/dispute`, { reason: 'Torn' })
    return id
  },
  'GET /invoices/{invoice_id}/emails': async (org) => mailed(org, 'INVOICE', await RECORDS.invoice_id!(org)),
  'GET /credit_notes/{credit_note_id}/emails': async (org) => mailed(org, 'CREDIT_NOTE', await creditNoteOf(org)),
  'GET /estimates/{estimate_id}/emails': async (org) => mailed(org, 'ESTIMATE', await RECORDS.estimate_id!(org)),
  bill_id: async (org) => (await created(org.client.post('/bills', billBody(org)))).bill.bill_id,
  payment_id: async (org) => (await created(org.client.post('/payments', receiptBody(org)))).payment.payment_id,
  'POST /invoices/{invoice_id}/e_invoice/retry': async (org) => unregistered(org, 'INVOICE', await RECORDS.invoice_id!(org)),
  'POST /credit_notes/{credit_note_id}/e_invoice/retry': async (org) => unregistered(org, 'CREDIT_NOTE', await creditNoteOf(org)),
  credit_note_id: (org) => creditNoteOf(org),
  'POST /credit_notes/{credit_note_id}/issue': (org) => creditNoteOf(org, { is_draft: true }),
  'POST /credit_notes/{credit_note_id}/apply-to-bill': (org) => (
    creditNoteOf(org, { customer_id: org.vendorId, line_items: [{ name: 'Torn thread', quantity: 1, rate: 400 }] })
  ),
  debit_note_id: (org) => debitNoteOf(org),
  'POST /debit_notes/{debit_note_id}/issue': (org) => debitNoteOf(org, { is_draft: true }),
  estimate_id: async (org) => (await created(org.client.post('/estimates', estimateBody(org)))).estimate.estimate_id,
  'POST /estimates/{estimate_id}/convert': async (org) => (await acceptedItemEstimate(org)).estimate_id,
  sales_order_id: async (org) => (await created(org.client.post('/sales_orders', salesOrderBody(org)))).sales_order.sales_order_id,
  async 'POST /sales_orders/{sales_order_id}/close'(org) {
    const id = await RECORDS.sales_order_id!(org)
    await org.client.post(`/sales_orders/${id}/open`)
    return id
  },
  purchase_order_id: async (org) => (await created(org.client.post('/purchase_orders', purchaseOrderBody(org)))).purchase_order.purchase_order_id,
  expense_id: async (org) => (await created(org.client.post('/expenses', expenseBody(org)))).expense.expense_id,
  // A manual one: only those can be deleted.
  journal_id: async (org) => (await created(org.client.post('/journals', journalBody(org)))).journal.journal_id,
  schedule_id: (org) => scheduleOf(org),
  'POST /recurring/{schedule_id}/resume': (org) => scheduleOf(org, { is_active: false }),
  comment_id: async (org) => (
    (await created(org.client.post('/comments', { entity_type: 'INVOICE', entity_id: org.sentInvoiceId, body: 'Paid next week.' }))).comment.comment_id
  ),
  attachment_id: async ({ client }) => (await created(upload(client))).attachment.attachment_id,
  bulk_id: async ({ client }) => (await client.post('/bulk/invoices?async=true', { invoices: [{}] })).body.bulk_id,
  endpoint_id: async ({ client }) =>
    (await created(client.post('/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook', events: ['INVOICE_CREATED'] }))).endpoint.endpoint_id,
  async delivery_id(org) {
    await RECORDS.endpoint_id!(org)
    await created(org.client.post('/invoices', invoiceBody(org)))
    return (await org.client.get('/webhooks/deliveries')).body.deliveries[0].delivery_id
  },
  async 'POST /webhooks/deliveries/{delivery_id}/retry'(org) {
    const id = await RECORDS.delivery_id!(org)
    await org.sql(`UPDATE webhook_deliveries SET status = 'FAILED', held_by = NULL WHERE id = $1`, id)
    return id
  },
}

const sentInvoiceOf = async (org: ContractOrganization): Promise<string> =>
  (await created(org.client.post('/invoices', invoiceBody(org, { auto_approve: true })))).invoice.invoice_id

// A mail that was refused, as the worker writes it down.
async function mailed(org: ContractOrganization, kind: string, id: string): Promise<string> {
  await org.sql(
    `WITH mail AS (
       INSERT INTO emails (org_id, id, purpose, entity_type, entity_id, state, sender, sender_name, subject, body_html, attach_pdf, tries, refusal,
         reason, origin, created_time, last_modified_time)
       VALUES ($1, $2, 'DOCUMENT', $3, $4, 'REJECTED', 'books@bahi.test', 'Ours', 'Yours', '<p>Dear Meena</p>', false, 1, 'PROVIDER', 'No.', '{}', now(), now()))
     INSERT INTO email_recipients (org_id, email_id, place, kind, address) VALUES ($1, $2, 0, 'TO', 'meena@example.com')`,
    org.client.orgId, randomUUID(), kind, id,
  )
  return id
}

// An approved document whose e-invoice has failed, as the worker writes it down.
async function unregistered(org: ContractOrganization, kind: 'INVOICE' | 'CREDIT_NOTE', id: string): Promise<string> {
  if (kind === 'INVOICE') await org.client.post(`/invoices/${id}/approve`)
  const table = kind === 'INVOICE' ? 'invoices' : 'credit_notes'
  await org.sql(
    `WITH failed AS (
       INSERT INTO e_invoices (org_id, id, kind, branch_id, status, errors, attempts, version, created_time, last_modified_time)
       SELECT org_id, id, $3, branch_id, 'FAILED', '[]', 0, 2, now(), now() FROM ${table} WHERE org_id = $1 AND id = $2)
     UPDATE ${table} SET e_invoice = '{"status": "FAILED", "irn": null, "ack_no": null, "ack_date": null, "signed_qr": null, "errors": []}'
     WHERE org_id = $1 AND id = $2`, org.client.orgId, id, kind,
  )
  return id
}

async function creditNoteOf(org: ContractOrganization, changes: Record<string, unknown> = {}): Promise<string> {
  return (await created(org.client.post('/credit_notes', creditNoteBody(org, changes)))).credit_note.credit_note_id
}

async function scheduleOf(org: ContractOrganization, changes: Record<string, unknown> = {}): Promise<string> {
  return (await created(org.client.post('/recurring', scheduleBody(org, changes)))).recurring.recurring_id
}

// A run that has failed, as the worker writes it down.
async function failedRunOf(org: ContractOrganization): Promise<{ scheduleId: string; runId: string }> {
  const [scheduleId, runId] = [await scheduleOf(org), randomUUID()]
  await org.sql(
    `INSERT INTO recurring_runs (org_id, id, schedule_id, occurrence, period_start, period_end, status, manual, document_date, error_code, error, warnings, started_at)
     VALUES ($1, $2, $3, 1, '${AHEAD}-01-01', '${AHEAD}-01-31', 'FAILED', false, '${AHEAD}-01-01', 'validation.invalid_value', 'The template document was deleted.', '[]', now())`,
    org.client.orgId, runId, scheduleId,
  )
  return { scheduleId, runId }
}

async function debitNoteOf(org: ContractOrganization, changes: Record<string, unknown> = {}): Promise<string> {
  return (await created(org.client.post('/debit_notes', debitNoteBody(org, changes)))).debit_note.debit_note_id
}

/** A good body of the route; undefined where it takes none. */
export function bodyFor(route: Route, org: ContractOrganization): Json {
  if (route.form) return uploadForm()
  if (!route.body) return undefined
  const body = BODIES[nameOf(route)]
  if (!body) throw new Error(`${nameOf(route)} has no sample body: add one to BODIES in test/contract/samples.ts`)
  return body(org)
}

/** The route's path with ids of new records of the organisation. */
export async function pathFor(route: Route, org: ContractOrganization): Promise<string> {
  const withRun = route.path.includes('/runs') ? await failedRunOf(org) : null
  let path = withRun ? route.path.replace('{schedule_id}', withRun.scheduleId).replace('{run_id}', withRun.runId) : route.path
  if (!path.includes('{')) return path
  for (const [whole, name] of route.path.matchAll(/\{(\w+)\}/g)) {
    const record = RECORDS[nameOf(route)] ?? RECORDS[name!]
    if (!record) throw new Error(`nothing makes a ${name}: add it to RECORDS in test/contract/samples.ts`)
    path = path.replace(whole, await record(org))
  }
  return path
}

/** The parameters that the route's query must have, `&name=value` each; an id is that of a fresh record. */
export async function requiredQuery(route: Route, org: ContractOrganization): Promise<string> {
  const sent = await Promise.all(((route.query?.required ?? []) as string[]).map(async (name) => `&${name}=${await RECORDS[name]?.(org) ?? 'x'}`))
  return sent.join('')
}

/** Makes one of everything, so that no list is empty. */
export async function fillOrganization(org: ContractOrganization): Promise<void> {
  for (const make of Object.values(RECORDS)) await make(org)
}
