// E-invoices: which documents are registered, their IRN, and the payload in NIC's schema.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isCancellable } from '../../domain/e-invoice/irn.ts'
import { irnOf } from '../../gateways/einvoice/irn-hash.ts'
import { eInvoicePayload } from '../../domain/e-invoice/payload.ts'
import { payloadErrors } from '../../gateways/einvoice/payload-errors.ts'
import { EInvoicePayload } from '../../domain/e-invoice/payload-shape.ts'
import type { EInvoiceSource } from '../../domain/e-invoice/source.ts'
import { refuseRetry, type EInvoiceStatus } from '../../domain/e-invoice/state.ts'
import { supplyTypeOf, type SupplyType } from '../../domain/e-invoice/supply.ts'
import { gstOnSale } from '../../domain/gst.ts'
import { priceSale } from '../../domain/totals.ts'
import { buyer, BUYER_GSTIN, GST_18, gstin, line, OTHER_STATE_GSTIN, RCM_18, SELLER_GSTIN, source, supplier } from './e-invoice-sources.ts'

const payloadOf = (changes: Partial<EInvoiceSource> = {}, type: SupplyType = 'B2B') => eInvoicePayload(source(changes), type)
const codesOf = (changes: Partial<EInvoiceSource>, type: SupplyType = 'B2B') => payloadErrors(payloadOf(changes, type)).map(({ code, field }) => `${code} ${field}`)

describe('which documents are registered', () => {
  test.each([
    ['an invoice to a registered person', {}, 'B2B'],
    ['one without a treatment', { buyer: buyer({ gst_treatment: null }) }, 'B2B'],
    ['a consumer', { buyer: buyer({ gst_no: null, gst_treatment: null }) }, null],
    ['a consumer with an address in India', { buyer: buyer({ gst_no: null, gst_treatment: 'UNREGISTERED', country: 'India' }) }, null],
    ['an export with tax', { buyer: buyer({ gst_no: null, gst_treatment: null, country: 'Singapore' }) }, 'EXPWP'],
    ['an export under a letter of undertaking', { buyer: buyer({ gst_no: null, gst_treatment: 'OVERSEAS' }), isTaxed: false, chargesTax: false }, 'EXPWOP'],
    ['a special economic zone with tax', { buyer: buyer({ gst_treatment: 'SEZ' }) }, 'SEZWP'],
    ['a special economic zone in words', { buyer: buyer({ gst_treatment: 'Special Economic Zone' }) }, 'SEZWP'],
    ['a special economic zone without', { buyer: buyer({ gst_treatment: 'business_sez' }), isTaxed: false, chargesTax: false }, 'SEZWOP'],
    ['a deemed export', { buyer: buyer({ gst_treatment: 'DEEMED_EXPORT' }) }, 'DEXP'],
    ['a bill of supply', { isTaxed: false, chargesTax: false }, null],
    ['reverse charge', { isTaxed: true, chargesTax: false }, 'B2B'],
    ['a branch without a GSTIN', { supplierGstin: null }, null],
    ['a delivery to the same registration', { buyer: buyer({ gst_no: SELLER_GSTIN }) }, null],
  ])('%s', (_name, changes, type) => {
    expect(supplyTypeOf({ supplierGstin: SELLER_GSTIN, buyer: buyer(), isTaxed: true, chargesTax: true, ...changes })).toBe(type)
  })
})

describe('the IRN', () => {
  test('is the SHA-256 of GSTIN, year, type and number', () => {
    const irn = irnOf({ gstin: SELLER_GSTIN, type: 'INV', number: 'inv/1', date: '2026-11-10' })
    expect(irn).toBe(createHash('sha256').update(`${SELLER_GSTIN}2026-27INVINV/1`).digest('hex'))
    expect(irn).toMatch(/^[0-9a-f]{64}$/)
  })

  test.each([['2027-03-31', '2026-27'], ['2027-04-01', '2027-28'], ['2099-12-31', '2099-00']])('%s is in the year %s', (date, year) => {
    expect(irnOf({ gstin: SELLER_GSTIN, type: 'CRN', number: 'CN-1', date })).toBe(createHash('sha256').update(`${SELLER_GSTIN}${year}CRNCN-1`).digest('hex'))
  })

  test('is the same in another case, and no other document has it', () => {
    fc.assert(fc.property(fc.stringMatching(/^[A-Z1-9][A-Z0-9/-]{0,15}$/), fc.stringMatching(/^[A-Z1-9][A-Z0-9/-]{0,15}$/), (one, other) => {
      const of = (number: string) => irnOf({ gstin: SELLER_GSTIN, type: 'INV', number, date: '2026-11-10' })
      expect(of(one.toLowerCase())).toBe(of(one))
      expect(of(one) === of(other)).toBe(one === other)
    }))
  })

  test('can be cancelled for 24 hours', () => {
    const acknowledged = new Date('2026-11-10T06:00:00Z')
    expect(isCancellable(acknowledged, new Date('2026-11-11T05:59:59.999Z'))).toBe(true)
    expect(isCancellable(acknowledged, new Date('2026-11-11T06:00:00Z'))).toBe(false)
  })
})

test.each<[EInvoiceStatus | null, boolean, string | null]>([
  ['FAILED', false, null], ['GENERATED', true, null], ['GENERATED', false, 'FAILED'], ['PENDING', false, 'FAILED'], [null, false, 'FAILED'],
  ['CANCELLED', true, 'GENERATED'], ['CANCELLING', true, 'GENERATED'], ['FAILED', true, 'GENERATED'], ['NOT_APPLICABLE', true, 'GENERATED'], [null, true, 'GENERATED'],
])('an e-invoice that is %s, its document void %s, is tried again unless it must be %s', (status, isVoid, allowed) => {
  const refusal = () => {
    try {
      refuseRetry(status, isVoid)
      return null
    } catch (fault) {
      return (fault as { details: unknown }).details
    }
  }
  expect(refusal()).toEqual(allowed === null ? null : { status, allowed: [allowed] })
})

describe('special economic zones', () => {
  // The place of supply decides the tax, so a zone in the state of the branch is charged CGST, which the portals refuse.
  const ofZone = (changes: Partial<EInvoiceSource>) => codesOf({ buyer: buyer({ gst_treatment: 'SEZ' }), ...changes }, 'SEZWP')
  const igst = line({ cgst: 0n, sgst: 0n, igst: 18_000n })

  test.each<[string, Partial<EInvoiceSource>, string[]]>([
    ['CGST and SGST', {}, ['PAYLOAD ItemList.1.CgstAmt']],
    ['IGST at the place of supply 97', { place_of_supply: 'IN-OT', lines: [igst] }, []],
    ['IGST in another state', { place_of_supply: 'IN-TN', lines: [igst] }, []],
  ])('%s', (_name, changes, codes) => {
    expect(ofZone(changes)).toEqual(codes)
  })
})

describe('the payload', () => {
  test('of an invoice within the state', () => {
    const payload = payloadOf()
    expect(payloadErrors(payload)).toEqual([])
    expect(payload).toEqual({
      Version: '1.1',
      TranDtls: { TaxSch: 'GST', SupTyp: 'B2B', RegRev: 'N', IgstOnIntra: 'N' },
      DocDtls: { Typ: 'INV', No: 'INV-2026-27-001', Dt: '10/11/2026' },
      SellerDtls: {
        Gstin: SELLER_GSTIN, LglNm: 'Asha Traders Private Limited', TrdNm: 'Asha Traders', Addr1: '4 Residency Road', Loc: 'Bengaluru', Pin: 560001, Stcd: '29',
        Ph: '08041234567', Em: 'books@asha.test',
      },
      BuyerDtls: { Gstin: BUYER_GSTIN, LglNm: 'Meena Sarees', TrdNm: 'Meena Sarees', Pos: '29', Addr1: '12 MG Road', Loc: 'Bengaluru', Pin: 560001, Stcd: '29' },
      ItemList: [{
        SlNo: '1', PrdDesc: 'Silk thread', IsServc: 'N', HsnCd: '5004', Qty: 2, Unit: 'KGS', UnitPrice: 500, TotAmt: 1000, AssAmt: 1000, GstRt: 18, CgstAmt: 90,
        SgstAmt: 90, TotItemVal: 1180,
      }],
      ValDtls: { AssVal: 1000, CgstVal: 90, SgstVal: 90, TotInvVal: 1180 },
      PayDtls: { CrDay: 30 },
    })
  })

  test('of an export in dollars is in rupees, with the buyer abroad', () => {
    const billing_address = { address: '1 Raffles Place', city: 'Singapore', state_code: null, zip: '048616', country: 'SG' }
    const payload = payloadOf({
      currency_code: 'USD', exchange_rate: '83.125', place_of_supply: 'IN-OT', total: 100_000n, tax_total: 0n,
      buyer: buyer({ gst_no: null, country: 'SG', billing_address }), lines: [line({ cgst: 0n, sgst: 0n, tax: null, tax_percentage: '0' })],
    }, 'EXPWOP')
    expect(payloadErrors(payload)).toEqual([])
    expect(payload.BuyerDtls).toMatchObject({ Gstin: 'URP', Pos: '96', Stcd: '96', Pin: 999999, Loc: 'Singapore' })
    expect(payload.ItemList[0]).toMatchObject({ UnitPrice: 41562.5, TotAmt: 83125, AssAmt: 83125, TotItemVal: 83125 })
    expect(payload.ValDtls).toEqual({ AssVal: 83125, TotInvVal: 83125, TotInvValFc: 1000 })
    expect(payload.ExpDtls).toEqual({ ForCur: 'USD', CntCode: 'SG' })
  })

  test('of reverse charge states the tax and does not charge it', () => {
    const payload = payloadOf({ lines: [line({ cgst: 0n, sgst: 0n, tax: RCM_18 })], total: 100_000n, tax_total: 0n })
    expect(payloadErrors(payload)).toEqual([])
    expect([payload.TranDtls.RegRev, payload.ValDtls]).toEqual(['Y', { AssVal: 1000, CgstVal: 90, SgstVal: 90, TotInvVal: 1000 }])
  })

  test('of a credit note names the invoice', () => {
    const payload = payloadOf({ type: 'CRN', number: 'CN-00001', due_date: null, preceding: { number: 'INV-2026-27-001', date: '2026-11-10' } })
    expect(payloadErrors(payload)).toEqual([])
    expect([payload.DocDtls.Typ, payload.RefDtls, payload.PayDtls]).toEqual(['CRN', { PrecDocDtls: [{ InvNo: 'INV-2026-27-001', InvDt: '10/11/2026' }] }, undefined])
  })

  const GODOWN = { address: 'Plot 8, Peenya', city: 'Bengaluru', state_code: 'Karnataka', zip: '560058', country: null }
  const DISPATCH = { Nm: 'Asha Traders', Addr1: 'Plot 8, Peenya', Loc: 'Bengaluru', Pin: 560058, Stcd: '29' }
  test.each<[string, Partial<EInvoiceSource>, object | undefined]>([
    ['where they leave from elsewhere', {}, DISPATCH],
    ['in another state', { supplier: supplier({ dispatch_address: { ...GODOWN, state_code: 'IN-TN', zip: '600001' } }) }, { ...DISPATCH, Pin: 600001, Stcd: '33' }],
    ['of an order with a service', { lines: [line(), line({ hsn_or_sac: '996511' })] }, DISPATCH],
    ['where nothing leaves: services', { lines: [line({ hsn_or_sac: '998311' })] }, undefined],
    ['of what comes back', { type: 'CRN', due_date: null }, undefined],
    ["where they leave from the branch's own address", { supplier: supplier({ address: GODOWN, dispatch_address: GODOWN }) }, undefined],
    ['where the address lacks its PIN code', { supplier: supplier({ dispatch_address: { ...GODOWN, zip: null } }) }, undefined],
  ])('names the place of dispatch of goods %s', (_name, changes, dispatch) => {
    const payload = payloadOf({ supplier: supplier({ dispatch_address: GODOWN }), ...changes })
    expect([payload.DispDtls, payloadErrors(payload)]).toEqual([dispatch, []])
  })

  test('has the place of delivery, where it is wholly known', () => {
    const shipping_address = { address: '9 Anna Salai', city: 'Chennai', state_code: 'IN-TN', zip: '600002', country: null }
    expect(payloadOf({ buyer: buyer({ shipping_address }) }).ShipDtls).toEqual({ LglNm: 'Meena Sarees', Addr1: '9 Anna Salai', Loc: 'Chennai', Pin: 600002, Stcd: '33' })
    expect(payloadOf({ buyer: buyer({ shipping_address: { ...shipping_address, zip: null } }) }).ShipDtls).toBeUndefined()
    expect(payloadOf({ buyer: buyer({ shipping_address: { ...shipping_address, state_code: 'Tamil Nadu' } }) }).ShipDtls).toMatchObject({ Stcd: '33' })
    expect(payloadOf({ buyer: buyer({ shipping_address: { ...shipping_address, state_code: 'the South' } }) }).ShipDtls).toBeUndefined()
  })

  test('has no character that NIC forbids', () => {
    const payload = payloadOf({ lines: [line({ name: 'Thread "A"\\\n5' })] })
    expect(payload.ItemList[0]!.PrdDesc).toBe('Thread A 5')
    expect(payloadErrors(payload)).toEqual([])
  })

  test('has a service by its code, whose unit may be missing', () => {
    expect(payloadOf({ lines: [line({ hsn_or_sac: '998314', unit: null })] }).ItemList[0]).not.toHaveProperty('Unit')
    expect(payloadOf({ lines: [line({ hsn_or_sac: '998314', unit: null })] }).ItemList[0]!.IsServc).toBe('Y')
  })
})

test('the schema of the documents is the one by which payloads are checked', () => {
  const { $schema: _dialect, title: _title, ...written } = JSON.parse(readFileSync(new URL('../../docs/examples/e-invoice-1.1.schema.json', import.meta.url), 'utf8')) as Record<string, unknown>
  expect(written).toEqual(JSON.parse(JSON.stringify(EInvoicePayload)))
})

describe('what cannot be registered', () => {
  const none = { address: null, city: null, state_code: null, zip: null, country: null }
  test.each<[string, Partial<EInvoiceSource>, string[]]>([
    ['a long number', { number: 'INV-2026-27-000001' }, ['PAYLOAD DocDtls.No']],
    ['a number that begins with 0', { number: '0001' }, ['PAYLOAD DocDtls.No']],
    ['no address of the buyer', { buyer: buyer({ billing_address: none }) }, ['PAYLOAD BuyerDtls.Addr1', 'PAYLOAD BuyerDtls.Loc', 'PAYLOAD BuyerDtls.Pin']],
    ['no PIN code of the supplier', { supplier: supplier({ address: { address: 'MG Road' } }) }, ['PAYLOAD SellerDtls.Pin']],
    ['no HSN code', { lines: [line({ hsn_or_sac: null })] }, ['PAYLOAD ItemList.1.HsnCd']],
    ['IGST within the state', { lines: [line({ cgst: 0n, sgst: 0n, igst: 18_000n })] }, ['2172 ItemList.1.IgstAmt']],
    ['CGST to another state', { place_of_supply: 'IN-TN', buyer: buyer({ gst_no: OTHER_STATE_GSTIN }) }, ['PAYLOAD ItemList.1.CgstAmt']],
    ['one line under reverse charge', { lines: [line(), line({ cgst: 0n, sgst: 0n, tax: RCM_18 })] }, ['PAYLOAD ItemList.1.TotItemVal']],
    ['more than 1,000 lines', { lines: Array.from({ length: 1_001 }, () => line()) }, ['PAYLOAD ItemList']],
  ])('%s', (_name, changes, expected) => expect(codesOf(changes)).toEqual(expected))

  test('is told in words', () => {
    const [error] = payloadErrors(payloadOf({ lines: [line(), line({ hsn_or_sac: 'silk' })] }))
    expect(error).toEqual({ code: 'PAYLOAD', message: 'Line 2 needs an HSN or SAC code of four, six or eight digits.', field: 'ItemList.2.HsnCd' })
  })

  test('at most twenty errors are given, whatever the payload', () => {
    const many = payloadErrors(payloadOf({ lines: Array.from({ length: 99 }, () => line({ cgst: 0n, sgst: 0n, igst: 18_000n })) }))
    expect(many.map(({ code }) => code)).toEqual(Array.from({ length: 20 }, () => '2172'))
    fc.assert(fc.property(fc.anything(), (anything) => expect(payloadErrors(anything).length).toBeGreaterThan(0)))
  })

  test("a GSTIN of another state than the buyer's, the supplier's own, and none", () => {
    const payload = payloadOf()
    const withBuyer = (changes: object) => payloadErrors({ ...payload, BuyerDtls: { ...payload.BuyerDtls, ...changes } }).map(({ code }) => code)
    expect(withBuyer({ Stcd: '33' })).toEqual(['2265'])
    expect(withBuyer({ Gstin: SELLER_GSTIN })).toEqual(['2211'])
    expect(withBuyer({ Gstin: 'URP' })).toEqual(['2212'])
    expect(payloadErrors({ ...payload, ValDtls: { ...payload.ValDtls, AssVal: 998, TotInvVal: 1200 } }).map(({ code }) => code)).toEqual(['2182', '2189'])
  })
})

// What the books price, in any currency, is a payload whose figures agree by the rules of the portals.
test('every priced sale adds up', () => {
  const sold = fc.record({
    quantity: fc.integer({ min: 1, max: 1_000_000 }).map((thousandths) => String(thousandths / 1_000)),
    rate: fc.integer({ min: 0, max: 100_000_000 }).map((tenThousandths) => String(tenThousandths / 10_000)),
    part: fc.integer({ min: 0, max: 100 }),
    rcm: fc.boolean(),
  })
  const sale = fc.record({ lines: fc.array(sold, { minLength: 1, maxLength: 12 }), intra: fc.boolean(), currency: fc.constantFrom('INR', 'USD', 'JPY', 'KWD') })
  fc.assert(fc.property(sale, ({ lines, intra, currency }) => {
    const rate = currency === 'INR' ? '1' : '83.4567'
    const priced = priceSale({
      currency, intraState: intra, roundOff: null, rounding: { on: true, method: 'nearest' },
      lines: lines.map(({ quantity, rate: price, part }) => ({ quantity, rate: price, discount: String(Math.floor((Number(quantity) * Number(price) * part) / 100)), tax: GST_18 })),
    })
    const payload = payloadOf({
      currency_code: currency, exchange_rate: rate, place_of_supply: intra ? 'IN-KA' : 'IN-TN', buyer: buyer({ gst_no: intra ? BUYER_GSTIN : gstin('33AADCM5678D1Z') }),
      round_off: priced.roundOff, total: priced.total, tax_total: priced.taxTotal,
      lines: priced.lines.map(({ taxable, taxAmount: _taxAmount, ...parts }, index) => line({ ...lines[index]!, item_total: taxable, ...parts })),
    })
    expect(payloadErrors(payload)).toEqual([])
    const paise = (amount = 0) => Math.abs(amount * 100 - Math.round(amount * 100))
    for (const { TotAmt, AssAmt, TotItemVal, Discount } of payload.ItemList) for (const amount of [TotAmt, AssAmt, TotItemVal, Discount]) expect(paise(amount)).toBeLessThan(0.001)
    expect(gstOnSale(100n, GST_18, intra).igst === 0n).toBe(intra)
  }), { numRuns: 200 })
})
