// The resources that a PUT changes, each in the states that a caller can bring it to, and what may change there.
import { ofPurchases, ofSales, openConversionDesk, parts, type ConversionDesk } from '../api/conversion-desk.ts'
import { item, line } from '../api/fixtures.ts'
import type { Json } from '../api/organization.ts'
import { openReturnsDesk, type ReturnsDesk } from '../api/returns-desk.ts'
import type { Service } from '../api/service.ts'

export interface Desks {
  returns: ReturnsDesk
  orders: ConversionDesk
}

export const openDesks = async (service: Service): Promise<Desks> => (
  { returns: await openReturnsDesk(service), orders: await openConversionDesk(service) }
)

export interface State {
  /** Makes the resource; answers it is answered. */
  make(desks: Desks): Promise<Json>
  /** The fields that may change, where it is not all of the body. */
  only?: string[]
  /** The status that no PUT changes. */
  closed?: string
}

const REMARKS = ['date', 'reference_number', 'notes']

// A line of an item, taxed, one with a discount and text of its own.
const lines = async (context: ReturnsDesk | ConversionDesk): Promise<Json[]> => [
  { item_id: await item(context, { tax_id: context.taxes['GST 18%'], hsn_or_sac: '5004', unit: 'NOS', description: 'Red' }), quantity: 2.5, rate: 99.99 },
  line({ description: 'Blue', discount: 0.5, tax_id: context.taxes['GST 5%'] }), line(),
]
const rich = async (context: ReturnsDesk | ConversionDesk): Promise<Json> => ({ notes: 'With thanks', reference_number: 'PO-7', line_items: await lines(context) })

let references = 0

const invoice = async ({ returns }: Desks, more: Json = {}) => returns.invoice({ ...await rich(returns), salesperson_id: 'Asha', ...more })
const bill = async ({ returns }: Desks, more: Json = {}) => returns.bill({ ...await rich(returns), round_off: -0.25, reference_number: `B-${references += 1}`, ...more })
const credit = async ({ returns }: Desks, more: Json = {}) => returns.credit({ ...await rich(returns), ...more })
const debit = async ({ returns }: Desks, more: Json = {}) => returns.debit({ ...await rich(returns), reason: 'Torn', ...more })
const estimate = async ({ returns }: Desks): Promise<Json> => (
  (await returns.send('POST', '/estimates', { customer_id: returns.customerId, expiry_date: '2027-12-31', ...await rich(returns) })).estimate
)
const told = async ({ returns }: Desks, status: string, made: Json) => (
  (await returns.send('PUT', `/estimates/${made.estimate_id}`, { status })).estimate
)
const salesOrder = async ({ orders }: Desks) => orders.salesOrder({ ...await rich(orders), shipment_date: '2027-12-31' })
const purchaseOrder = async ({ orders }: Desks) => orders.purchaseOrder({ ...await rich(orders), expected_date: '2027-12-31', currency_code: 'USD', exchange_rate: 83.25 })
const expense = async ({ returns }: Desks, more: Json) => (await returns.send('POST', '/expenses', {
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
  'PUT /invoices/{invoice_id}': {
    DRAFT: { make: (desks) => invoice(desks) },
    SENT: { make: (desks) => invoice(desks, { auto_approve: true }), closed: 'SENT' },
  },
  'PUT /bills/{bill_id}': {
    DRAFT: { make: (desks) => bill(desks) },
    'DRAFT with a number of the vendor': { make: (desks) => bill(desks, { bill_number: 'TM/7' }) },
    OPEN: { make: (desks) => bill(desks, { auto_approve: true }), closed: 'OPEN' },
  },
  'PUT /payments/{payment_id}': {
    unapplied: { make: ({ returns }) => returns.paid(returns.outgoing({ mode: 'UPI', bank_charges: 1.5, reference_number: 'UTR', description: 'On account' })) },
    allocated: {
      make: async (desks) => {
        const { invoice_id } = await invoice(desks, { auto_approve: true, currency_code: 'USD', exchange_rate: 80 })
        const { returns } = desks
        return returns.paid(returns.incoming({ currency_code: 'USD', exchange_rate: 83.125, tds_amount: 2, allocations: [{ invoice_id, amount: 50.25 }] }))
      },
    },
    refund: { make: ({ returns }) => returns.paid(returns.incoming({ contact_id: returns.vendorId, payment_type: 'REFUND' })) },
  },
  'PUT /credit_notes/{credit_note_id}': {
    DRAFT: { make: (desks) => credit(desks, { is_draft: true }) },
    'DRAFT against an invoice': {
      make: async (desks) => credit(desks, { is_draft: true, invoice_id: (await invoice(desks, { auto_approve: true, place_of_supply: 'IN-MH' })).invoice_id }),
    },
    'DRAFT of a vendor': { make: (desks) => credit(desks, { is_draft: true, customer_id: desks.returns.vendorId }) },
    ISSUED: { make: (desks) => credit(desks), only: REMARKS },
    APPLIED: {
      make: async (desks) => {
        const [note, { invoice_id }] = [await credit(desks), await invoice(desks, { auto_approve: true })]
        await desks.returns.apply(note.credit_note_id, { invoice_id }, note.total)
        return desks.returns.creditNow(note.credit_note_id)
      },
      closed: 'APPLIED',
    },
  },
  'PUT /debit_notes/{debit_note_id}': {
    DRAFT: { make: (desks) => debit(desks, { is_draft: true }) },
    'DRAFT against a bill': { make: async (desks) => debit(desks, { is_draft: true, bill_id: (await bill(desks, { auto_approve: true })).bill_id }) },
    ISSUED: { make: (desks) => debit(desks), only: [...REMARKS, 'reason'] },
  },
  'PUT /estimates/{estimate_id}': {
    DRAFT: { make: estimate },
    SENT: { make: async (desks) => told(desks, 'SENT', await estimate(desks)) },
    DECLINED: { make: async (desks) => told(desks, 'DECLINED', await estimate(desks)) },
    CANCELLED: { make: async (desks) => told(desks, 'CANCELLED', await estimate(desks)) },
    ACCEPTED: { make: async (desks) => (await desks.returns.send('POST', `/estimates/${(await estimate(desks)).estimate_id}/accept`)).estimate },
  },
  'PUT /sales_orders/{sales_order_id}': {
    DRAFT: { make: salesOrder },
    OPEN: {
      make: async (desks) => (await desks.orders.send('POST', `/sales_orders/${(await salesOrder(desks)).sales_order_id}/open`)).sales_order,
      only: [...REMARKS, 'shipment_date'],
    },
    'OPEN again after a void': {
      make: async (desks) => {
        const order = await salesOrder(desks)
        await desks.orders.convert(ofSales(order))
        const { sales_order: { invoices: [invoiceId] } } = await desks.orders.get(`/sales_orders/${order.sales_order_id}`)
        await desks.orders.send('POST', `/invoices/${invoiceId}/void`, {})
        return (await desks.orders.get(`/sales_orders/${order.sales_order_id}`)).sales_order
      },
      only: [...REMARKS, 'shipment_date'],
    },
  },
  'PUT /purchase_orders/{purchase_order_id}': {
    DRAFT: { make: purchaseOrder },
    'OPEN, billed in part': {
      make: async (desks) => {
        const order = await purchaseOrder(desks)
        await desks.orders.convert({ ...ofPurchases(order), line_items: parts(order, 1) })
        return (await desks.orders.get(`/purchase_orders/${order.purchase_order_id}`)).purchase_order
      },
      only: [...REMARKS, 'expected_date'],
    },
  },
  'PUT /expenses/{expense_id}': {
    'of its header': {
      make: (desks) => expense(desks, { account_id: desks.returns.accounts.Rent, amount: 1180, is_inclusive_tax: true, tax_id: desks.returns.taxes['GST 18%'] }),
    },
    'of lines': {
      make: (desks) => expense(desks, {
        account_id: desks.returns.accounts.Rent, itc_blocked_reason: '17(5)',
        line_items: [{ amount: 100.5, tax_id: desks.returns.taxes['GST 18%'] }, { account_id: desks.returns.accounts['Bank Charges'], amount: 9, note: 'Fee' }],
      }),
    },
    'under reverse charge': {
      make: (desks) => expense(desks, { account_id: desks.returns.accounts.Rent, amount: 500, is_rcm: true, rcm_rate: 12.5 }),
    },
  },
  'PUT /webhooks/endpoints/{endpoint_id}': {
    ENABLED: {
      make: async ({ returns }) => (await returns.send('POST', '/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook', events: ['INVOICE_CREATED'] })).endpoint,
    },
  },
}
