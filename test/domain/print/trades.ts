// Sales and purchases for the tests of what is printed: priced as the commands price them.
import { GST_TAX_LIST, type NamedTax } from '../../../domain/gst.ts'
import { gstOnPurchase, taxPercentage } from '../../../domain/gst.ts'
import type { PrintedPayment, PrintedTrade, Surroundings } from '../../../domain/print/printed-source.ts'
import { priceSale } from '../../../domain/totals.ts'

export const taxNamed = (name: string): NamedTax => GST_TAX_LIST.find((tax) => tax.name === name)!

export interface LineOf {
  tax?: NamedTax | null
  quantity?: string
  rate?: string
  discount?: string
  hsn?: string | null
  name?: string
  description?: string | null
  unit?: string | null
}

/** An approved invoice of these lines, within Karnataka unless `changes` say otherwise. */
export function tradeOf(lines: LineOf[], changes: Partial<PrintedTrade> = {}, intraState = true): PrintedTrade {
  const full = lines.map(({ tax = taxNamed('GST 18%'), quantity = '2', rate = '500', discount = '0', ...line }) => ({ tax, quantity, rate, discount, ...line }))
  const currency = changes.currency_code ?? 'INR'
  const priced = priceSale({ currency, lines: full, intraState, roundOff: null, rounding: { on: true, method: 'nearest' } })
  return {
    kind: 'INVOICE', number: 'INV-1', party_name: 'Meena Sarees', status: 'SENT', date: '2026-04-01', due_date: '2026-04-16',
    reference_number: null, reason: null, place_of_supply: intraState ? 'IN-KA' : 'IN-TN', currency_code: currency, exchange_rate: '1',
    sub_total: priced.subTotal, tax_total: priced.taxTotal, round_off: priced.roundOff, total: priced.total,
    cgst: priced.cgst, sgst: priced.sgst, igst: priced.igst, cess: priced.cess, notes: null, paid: 0n, credited: 0n, from_vendor: false,
    payment_link_url: null,
    lines: full.map(({ tax, quantity, rate, discount, hsn = '5004', name = 'Silk', description = null, unit = 'NOS' }, place) => {
      const { taxable, cgst, sgst, igst, cess } = priced.lines[place]!
      const { selfAssessed: rcm } = gstOnPurchase(taxable, tax, intraState)
      const ofBooks = changes.kind === 'BILL' ? { rcm_cgst: rcm.cgst, rcm_sgst: rcm.sgst, rcm_igst: rcm.igst, rcm_cess: rcm.cess } : {}
      return { ...ofBooks, name, description, hsn_or_sac: hsn, quantity, unit, rate, discount, tax_percentage: taxPercentage(tax), item_total: taxable, cgst, sgst, igst, cess, tax }
    }),
    ...changes,
  }
}

/** A registered organisation in Karnataka, and a customer in Tamil Nadu. */
export const AROUND: Surroundings = {
  organization: {
    name: 'Asha Traders', legal_name: 'Asha Traders Private Limited', gstin: '29AABCT1332L1ZU', pan: null, email: 'accounts@asha.example', phone: '1',
    address: { address: '14, Residency Road', city: 'Bengaluru', zip: '560025', state_code: 'IN-KA', country: 'India' }, state_code: 'IN-KA', currency_code: 'INR', sandbox: false,
  },
  branch: { name: 'Main', gstin: null, state: 'IN-KA', city: 'Bengaluru', address: null, dispatch_address: null, is_default: true },
  contact: {
    legal_name: null, company_name: null, gst_no: '33AAPFU0939F1ZV', gst_treatment: 'REGISTERED', pan: 'AAPFU0939F', place_of_contact: 'IN-TN', email: null, phone: null,
    billing_address: { address: '7, Mount Road\nFirst floor', city: 'Chennai', state_code: '33', zip: '600002', country: null }, shipping_address: null,
  },
  pdf: {
    bank_details: { account_name: 'Asha Traders', account_number: '501', bank_name: 'Example Bank', ifsc: 'EXAM0001234', branch: null },
    upi_id: 'asha@example', terms: 'One\n\nTwo', footer: 'Footer', signatory: { name: 'S. Rao', designation: null },
  },
  sources: [],
  account: null,
}

/** The same with changes of one part. */
export const around = <Part extends 'organization' | 'branch' | 'contact' | 'pdf'>(part: Part, changes: Partial<NonNullable<Surroundings[Part]>>): Surroundings =>
  ({ ...AROUND, [part]: { ...AROUND[part], ...changes } })

/** A contact in another country. */
export const ABROAD = around('contact', {
  gst_no: null, gst_treatment: null, place_of_contact: null, pan: null,
  billing_address: { address: '450 Pine Street', city: 'Portland', zip: '97204', country: 'United States of America' },
})

export const paymentOf = (changes: Partial<PrintedPayment> = {}): PrintedPayment => ({
  kind: 'PAYMENT', number: 'PAY-1', party_name: 'Meena Sarees', flow: 'INCOMING', payment_type: 'REGULAR', date: '2026-04-01', amount: 10_000_000n, mode: 'BANK_TRANSFER',
  reference_number: 'UTR 1', description: 'With thanks', currency_code: 'INR', exchange_rate: '1', bank_charges: 0n, tds_amount: 0n, allocated: 0n, ...changes,
})
