// Totals of a sale: taxable values, sums, the round-off rules, refusals.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { sum } from '../../domain/money.ts'
import {
  autoRoundOff, keepsRoundOffOnEdit, priceSale, type LineFigures, type RoundingMethod, type SaleFigures,
} from '../../domain/totals.ts'
import { refusalOf } from './refusal.ts'
import { anySale, taxNamed } from './sale.ts'

function line(quantity: string, rate: string, discount = '0', tax: string | null = 'GST 18%'): LineFigures {
  return { quantity, rate, discount, tax: tax === null ? null : taxNamed(tax) }
}

function sale(lines: LineFigures[], particulars: Partial<SaleFigures> = {}): SaleFigures {
  return {
    currency: 'INR', lines, intraState: true, roundOff: null, rounding: { on: false, method: 'nearest' },
    ...particulars,
  }
}

describe('a sale', () => {
  test('of two lines within the state', () => {
    expect(priceSale(sale([line('2', '500'), line('1', '100', '10', 'GST 5%')]))).toEqual({
      lines: [
        { taxable: 100000n, cgst: 9000n, sgst: 9000n, igst: 0n, cess: 0n, taxAmount: 18000n },
        { taxable: 9000n, cgst: 225n, sgst: 225n, igst: 0n, cess: 0n, taxAmount: 450n },
      ],
      subTotal: 109000n, cgst: 9225n, sgst: 9225n, igst: 0n, cess: 0n, taxTotal: 18450n, roundOff: 0n, total: 127450n,
    })
  })

  test('rounds each line’s taxable value once, discount included', () => {
    // 3 x 33.335 = 100.005; less 0.001 is 100.004: rounding the gross first would give 100.01.
    expect(priceSale(sale([line('3', '33.335', '0.001')])).subTotal).toBe(10000n)
    expect(priceSale(sale([line('3', '33.335')])).subTotal).toBe(10001n)
    expect(priceSale(sale([line('0.000001', '4999.999999')])).subTotal).toBe(0n)
  })

  test('sums rounded line taxes instead of taxing the sum', () => {
    // 9 % of 0.05 is 0.0045, nothing, three times; 9 % of 0.15 would be a paisa.
    expect(priceSale(sale([line('1', '0.05'), line('1', '0.05'), line('1', '0.05')])).taxTotal).toBe(0n)
    expect(priceSale(sale([line('1', '0.15')])).taxTotal).toBe(2n)
  })

  test('in yen and in dinars keeps their own minor units', () => {
    const across = { intraState: false }
    expect(priceSale(sale([line('3', '33.5')], { ...across, currency: 'JPY' }))).toMatchObject({
      subTotal: 101n, igst: 18n, total: 119n,
    })
    expect(priceSale(sale([line('1', '1.2345')], { ...across, currency: 'KWD' }))).toMatchObject({
      subTotal: 1235n, igst: 222n, total: 1457n,
    })
  })

  test('with a full discount is free', () => {
    expect(priceSale(sale([line('2', '50', '100')]))).toMatchObject({ subTotal: 0n, taxTotal: 0n, total: 0n })
  })

  test('adds up: lines to sums, sums to the total', () => {
    fc.assert(fc.property(anySale, figures => {
      const priced = priceSale(figures)
      for (const each of priced.lines) {
        expect(each.taxAmount).toBe(each.cgst + each.sgst + each.igst + each.cess)
        expect(each.taxable).toBeGreaterThanOrEqual(0n)
      }
      expect(priced.subTotal).toBe(sum(priced.lines.map(each => each.taxable)))
      expect(priced.cgst).toBe(sum(priced.lines.map(each => each.cgst)))
      expect(priced.sgst).toBe(sum(priced.lines.map(each => each.sgst)))
      expect(priced.igst).toBe(sum(priced.lines.map(each => each.igst)))
      expect(priced.cess).toBe(sum(priced.lines.map(each => each.cess)))
      expect(priced.taxTotal).toBe(priced.cgst + priced.sgst + priced.igst + priced.cess)
      expect(priced.total).toBe(priced.subTotal + priced.taxTotal + priced.roundOff)
    }))
  })
})

describe('round-off', () => {
  const figures = (rate: string, particulars: Partial<SaleFigures>) =>
    priceSale(sale([line('1', rate, '0', null)], particulars))
  const on = (method: RoundingMethod) => ({ rounding: { on: true, method } })

  test.each<[string, RoundingMethod, bigint, bigint]>([
    ['100.50', 'nearest', 50n, 10100n],
    ['100.49', 'nearest', -49n, 10000n],
    ['100.51', 'nearest', 49n, 10100n],
    ['100.01', 'up', 99n, 10100n],
    ['100.99', 'down', -99n, 10000n],
    ['100.00', 'up', 0n, 10000n],
    ['100.00', 'nearest', 0n, 10000n],
  ])('of %s, %s, is %s', (rate, method, roundOff, total) => {
    expect(figures(rate, on(method))).toMatchObject({ roundOff, total })
  })

  test.each<[string, boolean, bigint]>([
    ['0', true, 0n], ['0.25', true, 25n], ['0.25', false, 25n], ['-5', true, -500n], ['0.005', false, 1n],
  ])('of %s that the caller names wins, preference on: %s', (roundOff, preferred, expected) => {
    const priced = figures('100.40', { roundOff, rounding: { on: preferred, method: 'up' } })
    expect(priced).toMatchObject({ roundOff: expected, total: 10040n + expected })
  })

  test('is 0 when the preference is off and the caller names none', () => {
    expect(figures('100.40', {})).toMatchObject({ roundOff: 0n, total: 10040n })
  })

  test.each<[bigint, string, bigint]>([
    [100500n, 'KWD', 500n], [100499n, 'KWD', -499n], [117n, 'JPY', 0n], [-150n, 'INR', 50n],
    [-151n, 'INR', -49n],
  ])('to the nearest of %s %s is %s', (pre, currency, expected) => {
    expect(autoRoundOff(pre, currency, 'nearest')).toBe(expected)
  })

  test('always ends on a whole unit, less than one unit away, on the side of its method', () => {
    fc.assert(fc.property(
      fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
      fc.constantFrom<[string, bigint]>(['INR', 100n], ['JPY', 1n], ['KWD', 1000n]),
      (pre, [currency, unit]) => {
        for (const method of ['nearest', 'up', 'down'] as const) {
          expect((pre + autoRoundOff(pre, currency, method)) % unit).toBe(0n)
        }
        const nearest = autoRoundOff(pre, currency, 'nearest')
        const up = autoRoundOff(pre, currency, 'up')
        const down = autoRoundOff(pre, currency, 'down')
        expect(up).toBeGreaterThanOrEqual(0n)
        expect(up).toBeLessThan(unit)
        expect(down).toBeLessThanOrEqual(0n)
        expect(down).toBeGreaterThan(-unit)
        expect([up, down]).toContain(nearest)
        expect(nearest * 2n).toBeLessThanOrEqual(unit)
        expect(nearest * -2n).toBeLessThan(unit)
      },
    ))
  })

  test.each<[bigint, string, boolean]>([
    [99n, 'INR', false], [-99n, 'INR', false], [100n, 'INR', true], [-100n, 'INR', true], [0n, 'INR', false],
    [999n, 'KWD', false], [1000n, 'KWD', true], [1n, 'JPY', true],
  ])('of %s stored (%s) outlives an edit: %s', (stored, currency, kept) => {
    expect(keepsRoundOffOnEdit(stored, currency)).toBe(kept)
  })
})

describe('refused', () => {
  test('a discount above the gross, by the line’s own field', () => {
    expect(refusalOf(() => priceSale(sale([line('1', '10'), line('2', '50', '100.000001')])))).toEqual({
      code: 'validation.invalid_value', status: 400, field: 'line_items.1.discount', details: { limit: 100 },
    })
  })

  test('a round-off that makes the total negative', () => {
    const figures = (roundOff: string) => sale([line('1', '100', '0', null)], { roundOff })
    expect(priceSale(figures('-100')).total).toBe(0n)
    expect(refusalOf(() => priceSale(figures('-100.01')))).toEqual({
      code: 'validation.invalid_value', status: 400, field: 'round_off', details: { limit: -100 },
    })
  })

  test('a total that is too large, also before a discount, a tax or a round-off', () => {
    const tooLarge = { code: 'validation.invalid_value', status: 400, field: 'total' }
    const most = '10000000000000'
    expect(priceSale(sale([line('1', most, '0', null)])).total).toBe(10n ** 15n)
    expect(refusalOf(() => priceSale(sale([line('1', '10000000000000.01', '0', null)])))).toMatchObject(tooLarge)
    expect(refusalOf(() => priceSale(sale([line('1', '1e300', '1e300', null)])))).toMatchObject(tooLarge)
    expect(refusalOf(() => priceSale(sale([line('1', most)])))).toMatchObject(tooLarge)
    const withMore = sale([line('1', most, '0', null)], { roundOff: '0.01' })
    expect(refusalOf(() => priceSale(withMore))).toMatchObject(tooLarge)
    const takenBack = sale([line('1', most, '0', null), line('1', '1', '0', null)], { roundOff: '-1' })
    expect(refusalOf(() => priceSale(takenBack))).toMatchObject(tooLarge)
  })
})
