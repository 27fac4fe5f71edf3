// GST on a line: how a rate falls by place of supply, reverse charge, the seeded taxes.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  addGst, GST_TAX_LIST, gstOnPurchase, gstOnSale, gstTotal, percentOf, TAX_SHAPES, taxPercentage, type GstParts,
  type Tax,
} from '../../domain/gst.ts'
import { anyTax, taxNamed } from './sale.ts'

const NOTHING: GstParts = { cgst: 0n, sgst: 0n, igst: 0n, cess: 0n }
const parts = (cgst: bigint, sgst: bigint, igst: bigint, cess = 0n): GstParts => ({ cgst, sgst, igst, cess })
const withCess = (name: string, cess: string): Tax => ({ ...taxNamed(name), cess })

describe('a sale', () => {
  test.each<[string, bigint, boolean, GstParts]>([
    ['GST 18%', 100000n, true, parts(9000n, 9000n, 0n)],
    ['GST 18%', 100000n, false, parts(0n, 0n, 18000n)],
    ['IGST 18%', 100000n, true, parts(9000n, 9000n, 0n)],
    ['IGST 18%', 100000n, false, parts(0n, 0n, 18000n)],
    // Each half is rounded by itself: 10.01 at 9 % is 0.9009.
    ['GST 18%', 1001n, true, parts(90n, 90n, 0n)],
    ['GST 18%', 1001n, false, parts(0n, 0n, 180n)],
    // 0.125 % of 1,234.00 is 1.5425.
    ['GST 0.25%', 123400n, true, parts(154n, 154n, 0n)],
    ['IGST 0.25%', 123400n, false, parts(0n, 0n, 309n)],
    // Half a paisa goes up: 2.5 % of 0.20 is 0.005.
    ['GST 5%', 20n, true, parts(1n, 1n, 0n)],
    ['IGST 5%', 20n, false, parts(0n, 0n, 1n)],
    ['GST 40%', 999n, true, parts(200n, 200n, 0n)],
    ['GST 0%', 100000n, true, NOTHING],
    ['Exempt', 100000n, true, NOTHING],
    ['Nil Rated', 100000n, false, NOTHING],
    ['Non-GST', 100000n, true, NOTHING],
    ['RCM 18%', 100000n, true, NOTHING],
    ['RCM 18%', 100000n, false, NOTHING],
  ])('%s of %s paise, intra-state %s', (name, taxable, intraState, expected) => {
    expect(gstOnSale(taxable, taxNamed(name), intraState)).toEqual(expected)
  })

  test('bears cess beside its GST, whichever way that falls', () => {
    expect(gstOnSale(100000n, withCess('GST 28%', '12.5'), true)).toEqual(parts(14000n, 14000n, 0n, 12500n))
    expect(gstOnSale(100000n, withCess('GST 28%', '12.5'), false)).toEqual(parts(0n, 0n, 28000n, 12500n))
    expect(gstOnSale(100000n, withCess('Exempt', '12.5'), true)).toEqual(NOTHING)
    expect(gstOnSale(100000n, withCess('RCM 5%', '12.5'), true)).toEqual(NOTHING)
  })

  test('without a tax charges none', () => {
    expect(gstOnSale(100000n, null, true)).toEqual(NOTHING)
  })

  test('falls either within the state or across it, never both, and the halves are equal', () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), anyTax, fc.boolean(), (taxable, tax, intraState) => {
      const charged = gstOnSale(taxable, tax, intraState)
      expect(charged.cgst).toBe(charged.sgst)
      expect(intraState ? charged.igst : charged.cgst).toBe(0n)
      expect(gstTotal(charged)).toBe(charged.cgst + charged.sgst + charged.igst + charged.cess)
      for (const part of Object.values(charged)) expect(part).toBeGreaterThanOrEqual(0n)
    }))
  })

  test('comes to the same within and across states, but for a paisa of rounding', () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), anyTax, (taxable, tax) => {
      const off = gstTotal(gstOnSale(taxable, tax, true)) - gstTotal(gstOnSale(taxable, tax, false))
      expect([-1n, 0n, 1n]).toContain(off)
    }))
  })
})

describe('a purchase', () => {
  test('is charged by the vendor as a sale is', () => {
    expect(gstOnPurchase(100000n, taxNamed('GST 12%'), true)).toEqual({
      charged: parts(6000n, 6000n, 0n), selfAssessed: NOTHING,
    })
  })

  test.each<[boolean, GstParts]>([[true, parts(9000n, 9000n, 0n, 1000n)], [false, parts(0n, 0n, 18000n, 1000n)]])(
    'under reverse charge is assessed by the buyer, intra-state %s',
    (intraState, selfAssessed) => {
      expect(gstOnPurchase(100000n, withCess('RCM 18%', '1'), intraState)).toEqual({ charged: NOTHING, selfAssessed })
    },
  )

  test('under reverse charge may name its rate on either side alone', () => {
    const halves: Tax = { shape: 'RCM', cgst: '9', sgst: '9', igst: '0', cess: '0' }
    const whole: Tax = { shape: 'RCM', cgst: '0', sgst: '0', igst: '18', cess: '0' }
    for (const intraState of [true, false]) {
      expect(gstOnPurchase(1001n, halves, intraState)).toEqual(gstOnPurchase(1001n, whole, intraState))
    }
  })
})

describe('the seeded taxes', () => {
  test('are eight rates each way, three untaxed and four under reverse charge', () => {
    const count = (shape: string) => GST_TAX_LIST.filter(tax => tax.shape === shape).length
    expect(TAX_SHAPES.map(shape => [shape, count(shape)])).toEqual([
      ['INTRA_STATE', 8], ['INTER_STATE', 8], ['RCM', 4], ['EXEMPT', 1], ['NIL_RATED', 1], ['NON_GST', 1],
    ])
    expect(new Set(GST_TAX_LIST.map(tax => tax.name)).size).toBe(GST_TAX_LIST.length)
  })

  test.each([
    ['GST 18%', '18'], ['IGST 18%', '18'], ['GST 0.25%', '0.25'], ['RCM 5%', '5'], ['Exempt', '0'], ['GST 0%', '0'],
  ])('%s is a rate of %s per cent', (name, rate) => {
    expect(taxPercentage(withCess(name, '12'))).toBe(rate)
  })

  test.each(['EXEMPT', 'NIL_RATED', 'NON_GST'] as const)('%s is 0 per cent, whatever rate stands beside it', shape => {
    expect(taxPercentage({ ...taxNamed('GST 18%'), shape })).toBe('0')
  })

  test('no tax is 0 per cent', () => {
    expect(taxPercentage(null)).toBe('0')
  })
})

test('parts are added part by part, a percentage is rounded away from zero', () => {
  expect(addGst(parts(1n, 2n, 3n, 4n), parts(10n, 20n, 30n, 40n))).toEqual(parts(11n, 22n, 33n, 44n))
  expect(percentOf(50n, '1')).toBe(1n)
  expect(percentOf(-50n, '1')).toBe(-1n)
  expect(percentOf(49n, '1')).toBe(0n)
})
