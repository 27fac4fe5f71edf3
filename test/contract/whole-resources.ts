// The resources that a PUT changes, each in the states that a caller can bring it to, and what may change there.
import { AHEAD, line, scheduleBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { partQuantities, purchaseOrderSource, salesOrderSource } from '../fixtures/conversions.ts'
import { addItem, openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import type { Service } from '../fixtures/service.ts'

export interface Organizations {
  returns: TestOrganization
  orders: TestOrganization
}

export const openOrganizations = async (service: Service): Promise<Organizations> => (
  { returns: await openOrganization(service), orders: await openOrganization(service) }
)

export interface State {
  /** Makes the resource; answers it is answered. */
  make(orgs: Organizations): Promise<Json>
  /** The fields that may change, where it is not all of the body. */
  only?: string[]
  /** The status that no PUT changes. */
  closed?: string
}

const REMARKS = ['date', 'reference_number', 'notes']

// A line of an item, taxed, one with a discount and text of its own.
const lines = async (org: TestOrganization): Promise<Json[]> => [
  { item_id: await addItem(org, { tax_id: org.taxes['GST 18%'], hsn_or_sac: '5004', unit: 'NOS', description: 'Red' }), quantity: 2.5, rate: 99.99 },
  line({ description: 'Blue', discount: 0.5, tax_id: org.taxes['GST 5%'] }), line(),
]
const rich = async (org: TestOrganization): Promise<Json> => ({ notes: 'With thanks', reference_number: 'PO-7', line_items: await lines(org) })

let references = 0

const invoice = async ({ returns }: Organizations, more: Json = {}) => returns.invoice({ ...await rich(returns), salesperson_id: 'Asha', ...more })
const bill = async ({ returns }: Organizations, more: Json = {}) => returns.bill({ ...await rich(returns), round_off: -0.25, reference_number: `B-${references += 1}`, ...more })
const credit = async ({ returns }: Organizations, more: Json = {}) => returns.creditNote({ ...await rich(returns), ...more })
const debit = async ({ returns }: Organizations, more: Json = {}) => returns.debitNote({ ...await rich(returns), reason: 'Torn', ...more })
const estimate = async ({ returns }: Organizations): Promise<Json> => (
  (await returns.send('POST', '/estimates', { customer_id: returns.customerId, expiry_date: `${AHEAD}-12-31`, ...await rich(returns) })).estimate
)
const told = async ({ returns }: Organizations, status: string, made: Json) => (
  (await returns.send('PUT', `/estimates/${made.estimate_id}`, { status })).estimate
)
const salesOrder = async ({ orders }: Organizations) => orders.salesOrder({ ...await rich(orders), shipment_date: `${AHEAD}-12-31` })
const purchaseOrder = async ({ orders }: Organizations) => orders.purchaseOrder({ ...await rich(orders), expected_date: `${AHEAD}-12-31`, currency_code: 'USD', exchange_rate: 83.25 })
const expense = async ({ returns }: Organizations, more: Json) => (await returns.send('POST', '/expenses', {
  date: '2026-11-10', paid_through_account_id: returns.accounts['Bank Account'], vendor_id: returns.vendorId, reference_number: 'R-7', ...more,
})).expense

export const STATES: Record<string, Record<string, State>> = {
  'PUT /contacts/{contact_id}': {
    full: {
      make: async ({ returns }) => (await returns.send('POST', '/contacts', {
        contact_name: 'Ravi Textiles', contact_type: 'BOTH', gst_no: '27AAPFU0939F1ZV', email: 'ravi@textiles.test', credit_limit: 25000.5,
        opening_balance: -12.5, billing_address: { city: 'Surat' }, contact_persons: [{ first_name: 'Ravi', is_primary: true }, { email: 'a@b.test' }],
      })).contact,
    },
    archived: {
      make: async ({ returns }) => {
        const { contact } = await returns.send('POST', '/contacts', { contact_name: 'Bare' })
        return (await returns.send('POST', `/contacts/${contact.contact_id}/archive`)).contact
      },
    },
  },
  'PUT /items/{item_id}': {
    full: {
      make: async ({ returns }) => (await returns.send('POST', '/items', {
        name: 'Cotton bale', rate: 1250.75, purchase_rate: 900, tax_id: returns.taxes['GST 5%'], sku: 'BALE-1', account_id: returns.accounts.Sales,
      })).item,
    },
  },
  'PUT /comments/{comment_id}': {
    written: {
      make: async (orgs) => {
        const { invoice_id: entity_id } = await invoice(orgs)
        return (await orgs.returns.send('POST', '/comments', { entity_type: 'INVOICE', entity_id, body: 'Paid next week.' })).comment
      },
    },
  },
  'PUT /invoices/{invoice_id}': {
    DRAFT: { make: (orgs) => invoice(orgs) },
    SENT: { make: (orgs) => invoice(orgs, { auto_approve: true }), closed: 'SENT' },
  },
  'PUT /bills/{bill_id}': {
    DRAFT: { make: (orgs) => bill(orgs) },
    'DRAFT with a number of the vendor': { make: (orgs) => bill(orgs, { bill_number: 'TM/7' }) },
    OPEN: { make: (orgs) => bill(orgs, { auto_approve: true }), closed: 'OPEN' },
  },
  'PUT /payments/{payment_id}': {
    unapplied: { make: ({ returns }) => returns.payment(returns.vendorPaymentBody({ mode: 'UPI', bank_charges: 1.5, reference_number: 'UTR', description: 'On account' })) },
    allocated: {
      make: async (orgs) => {
        const { invoice_id } = await invoice(orgs, { auto_approve: true, currency_code: 'USD', exchange_rate: 80 })
        const { returns } = orgs
        return returns.payment(returns.receiptBody({ currency_code: 'USD', exchange_rate: 83.125, tds_amount: 2, allocations: [{ invoice_id, amount: 50.25 }] }))
      },
    },
    refund: { make: ({ returns }) => returns.payment(returns.receiptBody({ contact_id: returns.vendorId, payment_type: 'REFUND' })) },
  },
  'PUT /credit_notes/{credit_note_id}': {
    DRAFT: { make: (orgs) => credit(orgs, { is_draft: true }) },
    'DRAFT against an invoice': {
      make: async (orgs) => credit(orgs, { is_draft: true, invoice_id: (await invoice(orgs, { auto_approve: true, place_of_supply: 'IN-MH' })).invoice_id }),
    },
    'DRAFT of a vendor': { make: (orgs) => credit(orgs, { is_draft: true, customer_id: orgs.returns.vendorId }) },
    ISSUED: { make: (orgs) => credit(orgs), only: REMARKS },
    APPLIED: {
      make: async (orgs) => {
        const [note, { invoice_id }] = [await credit(orgs), await invoice(orgs, { auto_approve: true })]
        await orgs.returns.applyCredit(note.credit_note_id, { invoice_id }, note.total)
        return orgs.returns.getCreditNote(note.credit_note_id)
      },
      closed: 'APPLIED',
    },
  },
  'PUT /debit_notes/{debit_note_id}': {
    DRAFT: { make: (orgs) => debit(orgs, { is_draft: true }) },
    'DRAFT against a bill': { make: async (orgs) => debit(orgs, { is_draft: true, bill_id: (await bill(orgs, { auto_approve: true })).bill_id }) },
    ISSUED: { make: (orgs) => debit(orgs), only: [...REMARKS, 'reason'] },
  },
  'PUT /estimates/{estimate_id}': {
    DRAFT: { make: estimate },
    SENT: { make: async (orgs) => told(orgs, 'SENT', await estimate(orgs)) },
    DECLINED: { make: async (orgs) => told(orgs, 'DECLINED', await estimate(orgs)) },
    CANCELLED: { make: async (orgs) => told(orgs, 'CANCELLED', await estimate(orgs)) },
    ACCEPTED: { make: async (orgs) => (await orgs.returns.send('POST', `/estimates/${(await estimate(orgs)).estimate_id}/accept`)).estimate },
  },
  'PUT /sales_orders/{sales_order_id}': {
    DRAFT: { make: salesOrder },
    OPEN: {
      make: async (orgs) => (await orgs.orders.send('POST', `/sales_orders/${(await salesOrder(orgs)).sales_order_id}/open`)).sales_order,
      only: [...REMARKS, 'shipment_date'],
    },
    'OPEN again after a void': {
      make: async (orgs) => {
        const order = await salesOrder(orgs)
        await orgs.orders.convert(salesOrderSource(order))
        const { sales_order: { invoices: [invoiceId] } } = await orgs.orders.get(`/sales_orders/${order.sales_order_id}`)
        await orgs.orders.send('POST', `/invoices/${invoiceId}/void`, {})
        return (await orgs.orders.get(`/sales_orders/${order.sales_order_id}`)).sales_order
      },
      only: [...REMARKS, 'shipment_date'],
    },
  },
  'PUT /purchase_orders/{purchase_order_id}': {
    DRAFT: { make: purchaseOrder },
    'OPEN, billed in part': {
      make: async (orgs) => {
        const order = await purchaseOrder(orgs)
        await orgs.orders.convert({ ...purchaseOrderSource(order), line_items: partQuantities(order, 1) })
        return (await orgs.orders.get(`/purchase_orders/${order.purchase_order_id}`)).purchase_order
      },
      only: [...REMARKS, 'expected_date'],
    },
  },
  'PUT /expenses/{expense_id}': {
    'of its header': {
      make: (orgs) => expense(orgs, { account_id: orgs.returns.accounts.Rent, amount: 1180, is_inclusive_tax: true, tax_id: orgs.returns.taxes['GST 18%'] }),
    },
    'of lines': {
      make: (orgs) => expense(orgs, {
        account_id: orgs.returns.accounts.Rent, itc_blocked_reason: '17(5)',
        line_items: [{ amount: 100.5, tax_id: orgs.returns.taxes['GST 18%'] }, { account_id: orgs.returns.accounts['Bank Charges'], amount: 9, note: 'Fee' }],
      }),
    },
    'under reverse charge': {
      make: (orgs) => expense(orgs, { account_id: orgs.returns.accounts.Rent, amount: 500, is_rcm: true, rcm_rate: 12.5 }),
    },
  },
  'PUT /recurring/{schedule_id}': {
    ACTIVE: {
      make: async ({ returns }) => (await returns.send('POST', '/recurring', scheduleBody(returns, { end_date: `${AHEAD}-12-31`, max_runs: 12, interval: 2 }))).recurring,
    },
    PAUSED: {
      make: async ({ returns }) => (await returns.send('POST', '/recurring', scheduleBody(returns, {
        template_payload: null, template_entity_id: (await returns.invoice()).invoice_id, is_active: false, month_anchor: 'LAST_DAY',
      }))).recurring,
    },
  },
  'PUT /webhooks/endpoints/{endpoint_id}': {
    ENABLED: {
      make: async ({ returns }) => (await returns.send('POST', '/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook', events: ['INVOICE_CREATED'] })).endpoint,
    },
  },
}
