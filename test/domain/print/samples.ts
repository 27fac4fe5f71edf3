// The samples in templates/samples, which templates are designed and tested with; run as a program, it writes them.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NamedTax } from '../../../domain/gst.ts'
import { printPayment } from '../../../domain/print/print-payment.ts'
import { printTrade } from '../../../domain/print/print-trade.ts'
import type { PrintedDocument } from '../../../domain/print/printed-document.ts'
import type { EInvoiceOnPaper, PrintedTrade, ReferredDocument, Surroundings } from '../../../domain/print/printed-source.ts'
import { ROOT } from '../../fixtures/root.ts'
import { AROUND, paymentOf, taxNamed, tradeOf, type LineOf } from './trades.ts'

const ASHA: Surroundings = {
  ...AROUND,
  organization: { ...AROUND.organization, phone: '+91 80 4123 4567' },
  contact: {
    ...AROUND.contact, phone: '+91 44 2852 1234', email: 'purchase@kaveri.example', shipping_address: null,
    billing_address: { address: '7, Mount Road', city: 'Chennai', zip: '600002', state_code: 'IN-TN', country: 'India' },
  },
  pdf: {
    bank_details: { account_name: 'Asha Traders Private Limited', account_number: '50100123456789', bank_name: 'Example Bank', ifsc: 'EXAM0001234', branch: 'Residency Road' },
    upi_id: 'asha@example',
    terms: 'Payment within 15 days of the invoice date.\nInterest of 18 % a year is charged on late payments.\nSubject to the jurisdiction of the courts of Bengaluru.',
    footer: 'Registered office: 14, Residency Road, Bengaluru 560025',
    signatory: { name: 'S. Rao', designation: 'Authorised signatory' },
  },
}
const LOCAL: Surroundings['contact'] = {
  ...ASHA.contact, gst_no: '29AAPFU0939F1ZR', place_of_contact: 'IN-KA', billing_address: { address: '22, Brigade Road', city: 'Bengaluru', zip: '560001', state_code: 'IN-KA' },
}

const GOODS: [name: string, hsn: string, quantity: string, unit: string, rate: string, tax: string, discount?: string][] = [
  ['Basmati rice, 25 kg bag', '10063020', '40', 'BAG', '2150', 'GST 5%'],
  ['Refined sunflower oil, 15 l tin', '15121910', '12', 'TIN', '1895.5', 'GST 5%', '250'],
  ['Pressure cooker 5 l', '73239390', '6', 'PCS', '1840', 'GST 12%'],
  ['LED tube 20 W', '94051090', '150', 'PCS', '189', 'GST 18%'],
  ['Copper cable 2.5 sq mm, 90 m coil', '85444999', '8', 'COIL', '2310.75', 'GST 18%'],
  ['Ceiling fan 1200 mm', '84145120', '20', 'PCS', '1650', 'GST 18%', '1000'],
  ['Aerated drink, crate of 24', '22021010', '10', 'CRATE', '480', 'CESS'],
  ['Notebook, 200 pages', '48201010', '250', 'PCS', '42.5', 'GST 12%'],
  ['Steel almirah', '94031010', '2', 'PCS', '11500', 'GST 18%'],
  ['Delivery and installation', '996511', '1', 'JOB', '3500', 'GST 18%'],
]
const CESS: NamedTax = { ...taxNamed('GST 28%'), cess: '12' }
const goods = (from = 0, to = 10): LineOf[] => GOODS.slice(from, to)
  .map(([name, hsn, quantity, unit, rate, tax, discount = '0']) => ({ name, hsn, quantity, unit, rate, discount, tax: tax === 'CESS' ? CESS : taxNamed(tax) }))
const one = (name: string, hsn: string | null, quantity: string, unit: string | null, rate: string, tax: string | null, changes: LineOf = {}): LineOf =>
  ({ name, hsn, quantity, unit, rate, tax: tax === null ? null : taxNamed(tax), ...changes })

interface Sample {
  lines: LineOf[]
  changes?: Partial<PrintedTrade>
  around?: Partial<Surroundings>
  intra?: boolean
  eInvoice?: Partial<EInvoiceOnPaper>
}
const REGISTERED: EInvoiceOnPaper = {
  status: 'GENERATED', irn: '35054cc24d97033afc24f49ec4444dbab81f542c555f9d30359dc75794e06bbe', ack_no: '112010036563310', ack_date: '2026-11-01 14:05:00', cancelled_at: null,
}
function trade({ lines, changes = {}, around = {}, intra = false, eInvoice }: Sample): PrintedDocument {
  const named = { number: 'INV-00042', party_name: 'Kaveri Stores', date: '2026-11-01', due_date: '2026-11-16', ...changes }
  return printTrade(tradeOf(lines, named, intra), { ...ASHA, ...around }, eInvoice ? { ...REGISTERED, ...eInvoice } : null)
}
const referred = (kind: ReferredDocument['kind'], number: string, date: string, total: string | null = null, amount: string | null = null): ReferredDocument => ({ kind, number, date, total, amount })
const vendor = { party_name: 'Lakshmi Mills' }

// Rice, in bags of 25 kg.
const SCRIPTS = [
  'चावल, २५ किलो बोरी', 'চাল, ২৫ কেজি বস্তা', 'ચોખા, ૨૫ કિલો થેલી', 'ਚੌਲ, ੨੫ ਕਿਲੋ ਬੋਰੀ', 'ಅಕ್ಕಿ, ೨೫ ಕೆಜಿ ಚೀಲ', 'അരി, 25 കിലോ ചാക്ക്', 'ଚାଉଳ, ୨୫ କିଲୋ ବସ୍ତା', 'அரிசி, 25 கிலோ மூட்டை', 'బియ్యం, 25 కిలోల సంచి',
]

/** By the name of the file, without `.json`. */
export const SAMPLES: Record<string, () => PrintedDocument> = {
  'invoice-1-line': () => trade({
    lines: [one('Annual maintenance of computers', '998713', '1', 'YEAR', '50000', 'GST 18%', { description: 'April 2026 to March 2027' })],
    changes: { notes: 'Thank you for your business.', payment_link_url: 'https://pay.example/l/7f3a', reference_number: 'PO/2026/118' }, around: { contact: LOCAL }, intra: true,
  }),
  'invoice-10-lines': () => trade({
    lines: goods(), changes: { reference_number: 'PO/2026/118', paid: 10_000_000n, credited: 500_000n, status: 'PARTIALLY_PAID', notes: 'Thank you for your business.' },
    around: {
      sources: [referred('SALES_ORDER', 'SO-00017', '2026-10-20')],
      contact: { ...ASHA.contact, shipping_address: { address: 'Godown 3, Harbour Road', city: 'Chennai', zip: '600001', state_code: 'IN-TN' } },
    },
  }),
  'invoice-foreign-currency': () => trade({
    lines: [one('Cotton bed linen, king size', '63041910', '500', 'SET', '18.75', 'IGST 12%'), one('Hand-woven rug 6 x 9 ft', '57021000', '40', 'PCS', '145', 'IGST 12%')],
    changes: { party_name: 'Harbour Linens Inc.', currency_code: 'USD', exchange_rate: '83.25' },
    around: {
      contact: {
        ...ASHA.contact, gst_no: null, gst_treatment: 'OVERSEAS', pan: null, place_of_contact: null, phone: null, email: 'ap@harbour.example',
        billing_address: { address: '450 Pine Street', city: 'Portland, Oregon', zip: '97204', country: 'United States of America' },
      },
    },
  }),
  'invoice-reverse-charge': () => trade({ lines: [one('Transport of goods by road, Bengaluru to Chennai', '996511', '3', 'TRIP', '15000', 'RCM 5%')] }),
  'invoice-bill-of-supply': () => trade({
    lines: [one('Fresh milk', '0401', '1000', 'L', '50', 'Exempt'), one('Unbranded curd', '0403', '250', 'KG', '50', 'Nil Rated')], around: { contact: LOCAL }, intra: true,
  }),
  'invoice-e-invoice': () => trade({
    lines: [one('Diesel generator 5 kVA', '85021100', '1', 'PCS', '100000', 'GST 18%')], changes: { number: 'INV-00043' },
    eInvoice: {},
  }),
  'invoice-irn-awaited': () => trade({
    lines: [one('Diesel generator 5 kVA', '85021100', '1', 'PCS', '100000', 'GST 18%')], changes: { number: 'INV-00048' }, eInvoice: { status: 'PENDING', irn: null, ack_no: null, ack_date: null },
  }),
  'invoice-irn-cancelled': () => trade({
    lines: [one('Diesel generator 5 kVA', '85021100', '1', 'PCS', '100000', 'GST 18%')], changes: { number: 'INV-00049', status: 'CANCELLED' },
    eInvoice: { status: 'CANCELLED', cancelled_at: '2026-11-02 09:30:00' },
  }),
  'invoice-every-tax': () => trade({
    lines: [
      goods(0, 1)[0]!, { ...goods(3, 4)[0]!, discount: '350', description: 'Cool daylight, with holder and starter' },
      goods(6, 7)[0]!, one('Fresh milk, 500 ml pouch', '0401', '50', 'PCS', '24.8', 'Exempt'),
    ],
    intra: true, changes: { number: 'INV-00050', notes: 'Goods once sold are taken back within seven days.\nPlease name the invoice when you pay.', reference_number: 'PO/2026/131' },
    around: { contact: { ...LOCAL, shipping_address: { address: 'Shop 4, Gandhi Bazaar Main Road', city: 'Bengaluru', zip: '560004', state_code: 'IN-KA' } } },
  }),
  'invoice-long-names': longNames,
  'invoice-crores': () => trade({
    lines: [
      one('Turbine, 660 MW', '84068100', '1', 'NOS', '12345678901.23', 'GST 18%'),
      { name: 'Spare rotor', hsn: '84069000', quantity: '2.125001', unit: 'NOS', rate: '9876543210.987654', discount: '1000000000', tax: CESS },
      one('Uranium pellets', '28441000', '123456.123456', 'KGS', '99999.999999', 'GST 5%'),
    ],
    intra: true, changes: { number: 'INV-00052' }, around: { contact: LOCAL },
  }),
  'invoice-every-script': () => trade({
    lines: SCRIPTS.map((name) => one(name, '10063020', '40', 'BAG', '2150', 'GST 5%')), eInvoice: {}, changes: { number: 'INV-00051', notes: SCRIPTS.join(' · ') },
  }),
  'invoice-draft': () => trade({
    lines: [one('Repair', null, '1', null, '10000', 'GST 18%')], changes: { number: 'INV-00045', status: 'DRAFT', party_name: 'Walk-in customer' }, intra: true,
    around: {
      pdf: null, organization: { ...ASHA.organization, legal_name: null, gstin: null, email: null, phone: null, address: null },
      contact: { ...LOCAL, gst_no: null, gst_treatment: null, pan: null, email: null, phone: null, billing_address: null },
    },
  }),
  'invoice-cancelled': () => trade({ lines: goods(3, 5), changes: { number: 'INV-00046', status: 'CANCELLED' }, around: { contact: LOCAL }, intra: true }),
  'invoice-specimen': () => trade({ lines: goods(5, 7), changes: { number: 'INV-00047' }, around: { organization: { ...ASHA.organization, sandbox: true } } }),
  'credit-note': () => trade({
    lines: [one('LED tube 20 W', '94051090', '10', 'PCS', '189', 'GST 18%')], around: { sources: [referred('INVOICE', 'INV-00042', '2026-11-01')] },
    changes: { kind: 'CREDIT_NOTE', number: 'CN-00007', date: '2026-11-12', due_date: null, notes: 'Goods returned.', credited: 100_000n, status: 'ISSUED' },
  }),
  'debit-note': () => trade({
    lines: [one('Cotton yarn 40s', '52051210', '20', 'KG', '250', 'GST 5%')], around: { sources: [referred('BILL', 'LM/2026/771', '2026-10-12')] },
    changes: { ...vendor, kind: 'DEBIT_NOTE', number: 'DN-00003', date: '2026-11-12', due_date: null, reason: 'Short supply', status: 'ISSUED' },
  }),
  estimate: () => trade({ lines: goods(0, 5), changes: { kind: 'ESTIMATE', number: 'EST-00011', due_date: '2026-11-30', notes: 'Prices hold until the date above.' } }),
  'purchase-order': () => trade({
    lines: goods(2, 6), intra: true, changes: { ...vendor, kind: 'PURCHASE_ORDER', number: 'PO-00009', due_date: '2026-11-20', status: 'OPEN', notes: 'Deliver between 9 and 17 o’clock.' },
  }),
  bill: () => trade({
    lines: [one('Cotton yarn 40s', '52051210', '200', 'KG', '250', 'GST 5%'), one('Freight', '996511', '1', 'JOB', '12000', 'RCM 5%')],
    changes: { ...vendor, kind: 'BILL', number: 'LM/2026/771', date: '2026-10-12', paid: 2_000_000n, status: 'PARTIALLY_PAID', reference_number: 'DC 55' },
    around: { sources: [referred('PURCHASE_ORDER', 'PO-00009', '2026-10-01')] },
  }),
  'payment-receipt': () => printPayment(
    paymentOf({
      number: 'PAY-00021', party_name: 'Kaveri Stores', date: '2026-11-05', reference_number: 'UTR 4417 2026 1101', 
      tds_amount: 100_000n, bank_charges: 5_000n, allocated: 9_500_000n, description: 'Received with thanks.',
    }),
    { ...ASHA, account: 'HDFC current account', sources: [referred('INVOICE', 'INV-00042', '2026-11-01', '27273100', '7500000'), referred('INVOICE', 'INV-00039', '2026-10-12', '2000000', '2000000')] },
  ),
  'payment-receipt-voucher': () => printPayment(
    paymentOf({
      number: 'PAY-00022', party_name: 'Kaveri Stores', payment_type: 'ADVANCE', date: '2026-11-05', amount: 2_500_000n, mode: 'UPI',
      reference_number: '6310 0042 1177', description: 'Advance for 40 ceiling fans',
    }),
    { ...ASHA, account: 'HDFC current account' },
  ),
  'payment-voucher': () => printPayment(
    paymentOf({ ...vendor, number: 'PAY-00023', flow: 'OUTGOING', date: '2026-11-07', amount: 4_450_000n, mode: 'CHEQUE', reference_number: '000417', allocated: 4_450_000n, description: null }),
    { ...ASHA, account: 'HDFC current account', sources: [referred('BILL', 'LM/2026/771', '2026-10-12', '6450000', '4450000')] },
  ),
  'payment-voucher-reverse-charge': () => printPayment(
    paymentOf({
      party_name: 'Mysore Road Carriers', number: 'PAY-00025', flow: 'OUTGOING', date: '2026-11-09', amount: 1_200_000n,
      reference_number: 'UTR 4417 2026 1109', allocated: 1_200_000n, description: null,
    }),
    {
      ...ASHA, account: 'HDFC current account',
      sources: [{ ...referred('BILL', 'MRC/881', '2026-11-02', '1200000', '1200000'), owed: {
        place_of_supply: 'IN-KA', branch_state: 'IN-KA', names: ['Transport of goods by road, Chennai to Bengaluru'], taxes: [{ rate: '5', cess_rate: '0', cgst: '30000', sgst: '30000', igst: '0', cess: '0' }],
      } }],
    },
  ),
  'payment-refund-voucher': () => printPayment(
    paymentOf({
      number: 'PAY-00024', party_name: 'Kaveri Stores', flow: 'OUTGOING', payment_type: 'REFUND', date: '2026-11-08', amount: 500_050n, currency_code: 'USD',
      exchange_rate: '83.25', description: 'Advance returned', reference_number: 'PAY-00018',
    }),
    { ...ASHA, account: 'HDFC current account', sources: [referred('PAYMENT', 'PAY-00018', '2026-10-02')] },
  ),
}

function longNames(): PrintedDocument {
  const literal = 'Text of users prints literally: {d.number} & <b>bold</b> "quotes" {d.lines[i].name}'
  const name = 'Shree Balaji Electronics and Household Appliances Wholesale Distributors Private Limited'
  return trade({
    lines: [
      one('ऊर्जा-बचत करने वाला पाँच सितारा इन्वर्टर वातानुकूलन यंत्र, १.५ टन, ताँबे का कंडेनसर, पाँच वर्ष की वारंटी सहित', '84151010', '123.456', 'PCS',
        '39999.99', 'GST 18%', { description: 'स्थापना और परिवहन शुल्क सहित\nदूसरी पंक्ति' }),
      one('குளிர்சாதனப் பெட்டி, 345 லிட்டர், இரட்டைக் கதவு, உறைபனி இல்லாதது, பத்து ஆண்டு அமுக்கி உத்தரவாதம்', '84181010', '98', 'PCS', '54321.5', 'GST 18%', { discount: '12345.67' }),
      one('Averyveryverylongnamewithoutanyspaceinitwhichhastobreaksomewhereoritrunsoutofitscolumnandintothenextone', '85169000', '1', 'PCS', '1', 'GST 18%'),
    ],
    changes: {
      number: 'INV/2026-27/ECOM/KA/00000000000000000044', notes: `माल बिकने के बाद वापस नहीं लिया जाएगा।\nவிற்ற பொருட்கள் திரும்பப் பெறப்படாது.\n${literal}`,
      party_name: 'ஸ்ரீ மீனாட்சி சுந்தரேஸ்வரர் மின்னணு சாதனங்கள் மற்றும் வீட்டு உபயோகப் பொருட்கள் விற்பனையகம்',
    },
    around: {
      organization: {
        ...ASHA.organization, name: 'श्री बालाजी इलेक्ट्रॉनिक्स एवं घरेलू उपकरण थोक विक्रेता', legal_name: name,
        address: { address: 'दुकान संख्या १४, दूसरी मंज़िल, राजाजी नगर औद्योगिक क्षेत्र, चौथा चरण, मुख्य मार्ग के सामने', city: 'Bengaluru', zip: '560010', state_code: 'IN-KA' },
      },
      contact: { ...ASHA.contact, billing_address: { address: 'எண் 221, கிழக்கு மாசி வீதி, மீனாட்சி அம்மன் கோவில் அருகில்', city: 'மதுரை', zip: '625001', state_code: 'IN-TN' } },
    },
  })
}

/** A sample as it is written to its file. */
export const sampleText = (name: string): string => `${JSON.stringify(SAMPLES[name]!(), null, 2)}\n`

if (import.meta.main) for (const name of Object.keys(SAMPLES)) writeFileSync(join(ROOT, 'templates', 'samples', `${name}.json`), sampleText(name))
