// What tests trade in: a customer, a vendor, an item, and the bodies of documents.
import { randomUUID } from 'node:crypto'
import type { Client, Json } from './client.ts'

export interface Shop {
  client: Client
  customerId: string
  vendorId: string
  itemId: string
  /** Of 18 per cent, within the state or across. */
  taxId: string
  /** Ids of the seeded accounts by name. */
  accounts: Record<string, string>
}

/** An organisation in Karnataka gets a customer and a vendor there, and an item at 500.00 with 18 per cent GST. */
export async function openShop(client: Client): Promise<Shop> {
  const taxes = (await client.get('/taxes?per_page=200')).body.taxes as Json[]
  const taxId = taxes.find(({ shape, igst }) => shape === 'INTER_STATE' && igst === 18).tax_id
  const customer = await made(client.post('/contacts', { contact_name: 'Meena Sarees', place_of_contact: 'IN-KA' }))
  const vendor = await made(client.post('/contacts', { contact_name: 'Tiruppur Mills', contact_type: 'VENDOR', place_of_contact: 'IN-KA' }))
  const item = await made(client.post('/items', { item_name: 'Silk thread', rate: 500, unit: 'NOS', hsn_or_sac: '5004', tax_id: taxId }))
  const accounts = (await client.get('/accounts?per_page=500')).body.accounts as Json[]
  return {
    client, customerId: customer.contact.contact_id, vendorId: vendor.contact.contact_id, itemId: item.item.item_id, taxId,
    accounts: Object.fromEntries(accounts.map(({ name, account_id }) => [name, account_id])),
  }
}

/** Two threads to a customer in the state: 1,000.00, CGST and SGST 90.00 each, 1,180.00 in all. */
export function invoiceBody(shop: Pick<Shop, 'customerId' | 'itemId'>, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    customer_id: shop.customerId, date: '2026-11-10', place_of_supply: 'IN-KA',
    line_items: [{ item_id: shop.itemId, quantity: 2 }], ...changes,
  }
}

/** Two threads of a vendor in the state, at 400.00 each; a reference of its own tells it from any other such bill. */
export function billBody(shop: Pick<Shop, 'vendorId' | 'itemId'>, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    vendor_id: shop.vendorId, date: '2026-11-10', place_of_supply: 'IN-KA', reference_number: randomUUID(),
    line_items: [{ item_id: shop.itemId, quantity: 2, rate: 400 }], ...changes,
  }
}

/** Two threads offered to a customer in the state: 1,180.00 in all. */
export function estimateBody(shop: Pick<Shop, 'customerId' | 'itemId'>, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { customer_id: shop.customerId, date: '2026-11-10', line_items: [{ item_id: shop.itemId, quantity: 2 }], ...changes }
}

/** One thread that a customer sends back: 590.00 in all. */
export function creditNoteBody(shop: Pick<Shop, 'customerId' | 'itemId'>, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { customer_id: shop.customerId, date: '2026-11-11', line_items: [{ item_id: shop.itemId, quantity: 1, restock: true }], ...changes }
}

/** One thread that goes back to a vendor in the state, at 400.00. */
export function debitNoteBody(shop: Pick<Shop, 'vendorId' | 'itemId'>, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { vendor_id: shop.vendorId, date: '2026-11-11', line_items: [{ item_id: shop.itemId, quantity: 1, rate: 400, restock: true }], ...changes }
}

/** Two threads ordered by a customer in the state: 1,180.00 in all. */
export function salesOrderBody(shop: Pick<Shop, 'customerId' | 'itemId'>, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { customer_id: shop.customerId, date: '2026-11-10', line_items: [{ item_id: shop.itemId, quantity: 2 }], ...changes }
}

/** Two threads ordered of a vendor in the state, at 400.00 each. */
export function purchaseOrderBody(shop: Pick<Shop, 'vendorId' | 'itemId'>, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { vendor_id: shop.vendorId, date: '2026-11-10', line_items: [{ item_id: shop.itemId, quantity: 2, rate: 400 }], ...changes }
}

/** 500.00 of the bank account spent on rent. */
export function expenseBody(shop: Pick<Shop, 'accounts'>, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { date: '2026-11-10', account_id: shop.accounts.Rent, paid_through_account_id: shop.accounts['Bank Account'], amount: 500, ...changes }
}

/** 25.00 of bank charges, by hand. */
export function journalBody(shop: Pick<Shop, 'accounts'>, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    date: '2026-11-10',
    lines: [{ account_id: shop.accounts['Bank Charges'], debit: 25 }, { account_id: shop.accounts['Bank Account'], credit: 25 }],
    ...changes,
  }
}

/** 500.00 that the customer paid, for no invoice yet. */
export function paymentBody(shop: Pick<Shop, 'customerId'>, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { flow: 'INCOMING', contact_id: shop.customerId, date: '2026-11-10', amount: 500, reference_number: randomUUID(), ...changes }
}

/** The body of a creation that must succeed. */
export async function made(answered: ReturnType<Client['post']>): Promise<Json> {
  const { status, body, text } = await answered
  if (status !== 201) throw new Error(`not created: ${text}`)
  return body
}
