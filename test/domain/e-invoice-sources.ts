// Documents that e-invoices are made from, for tests.
import type { EInvoiceBuyer, EInvoiceLine, EInvoiceSource, EInvoiceSupplier } from '../../domain/e-invoice/source.ts'
import { gstinCheckCharacter } from '../../domain/gstin.ts'

export const gstin = (first14: string): string => first14 + gstinCheckCharacter(first14)
export const SELLER_GSTIN = gstin('29AABCA1234C1Z')
export const BUYER_GSTIN = gstin('29AADCM5678D1Z')
export const OTHER_STATE_GSTIN = gstin('33AADCM5678D1Z')

const address = (changes: object = {}) => ({ address: '12 MG Road', city: 'Bengaluru', state_code: 'IN-KA', zip: '560001', country: null, ...changes })

export const GST_18 = { shape: 'INTRA_STATE', cgst: '9', sgst: '9', igst: '0', cess: '0' } as const
export const RCM_18 = { shape: 'RCM', cgst: '9', sgst: '9', igst: '18', cess: '0' } as const

export const buyer = (changes: Partial<EInvoiceBuyer> = {}): EInvoiceBuyer => ({
  contact_name: 'Meena Sarees', legal_name: null, gst_no: BUYER_GSTIN, gst_treatment: 'REGISTERED', country: null, billing_address: address(), shipping_address: null,
  email: null, phone: null, ...changes,
})

export const supplier = (changes: Partial<EInvoiceSupplier> = {}): EInvoiceSupplier => ({
  gstin: SELLER_GSTIN, name: 'Asha Traders', legal_name: 'Asha Traders Private Limited', address: address({ address: '4 Residency Road' }), state: 'IN-KA',
  city: 'Bengaluru', dispatch_address: null, email: 'books@asha.test', phone: '080 4123 4567', ...changes,
})

/** 2 x 500.00 with GST 18 % within the state. */
export const line = (changes: Partial<EInvoiceLine> = {}): EInvoiceLine => ({
  name: 'Silk thread', hsn_or_sac: '5004', quantity: '2', unit: 'Kg', rate: '500', tax_percentage: '18', item_total: 100_000n, cgst: 9_000n, sgst: 9_000n,
  igst: 0n, cess: 0n, tax: GST_18, ...changes,
})

export const source = (changes: Partial<EInvoiceSource> = {}): EInvoiceSource => ({
  type: 'INV', number: 'INV-2026-27-001', date: '2026-11-10', due_date: '2026-12-10', place_of_supply: 'IN-KA', currency_code: 'INR', exchange_rate: '1',
  round_off: 0n, total: 118_000n, tax_total: 18_000n, lines: [line()], supplier: supplier(), buyer: buyer(), preceding: null, bank: null, ...changes,
})
