// Conversions: what is refused, how a part is cut off a line, and the statuses that orders come to.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  hopsOf, partsOf, refuseConversion, statusConverted, statusReleased, type OrderLine, type PartInput, type Source,
} from '../../domain/conversion.ts'
import { decimalText, Exact } from '../../domain/decimal.ts'
import { STATUSES, type StatusOf } from '../../domain/lifecycle.ts'
import { refusalOf } from './refusal.ts'

const line = (particulars: Partial<OrderLine> = {}): OrderLine => ({ id: 'a', quantity: '10', rate: '100', discount: '0', converted: '0', ...particulars })
const part = (quantity: number, line_item_id = 'a'): PartInput => ({ line_item_id, quantity })

test('only an estimate that goes through to its invoice takes two steps', () => {
  expect(hopsOf({ source_type: 'ESTIMATE', through: 'invoice' })).toBe(2)
  for (const source_type of ['ESTIMATE', 'SALES_ORDER', 'PURCHASE_ORDER'] as const) expect(hopsOf({ source_type, through: null })).toBe(1)
})

describe('the state of a source', () => {
  const CONVERTIBLE = {
    ESTIMATE: ['ACCEPTED'], SALES_ORDER: ['DRAFT', 'OPEN', 'PARTIALLY_INVOICED'], PURCHASE_ORDER: ['DRAFT', 'OPEN'],
  }
  const DONE = { ESTIMATE: 'CONVERTED', SALES_ORDER: 'INVOICED', PURCHASE_ORDER: 'BILLED' }
  const all = (Object.keys(CONVERTIBLE) as Source[]).flatMap((source) => STATUSES[source].map((status): [Source, string] => [source, status]))

  test.each(all)('%s %s', (source, status) => {
    const ask = () => refuseConversion(source, status, { invoice_id: 'i' })
    if (CONVERTIBLE[source].includes(status)) return expect(ask).not.toThrow()
    expect(refusalOf(ask)).toMatchObject(status === DONE[source]
      ? { code: 'conflict.already_converted', status: 409, details: { invoice_id: 'i' } }
      : { code: 'conflict.invalid_state', status: 409, details: { status, allowed: CONVERTIBLE[source] } })
  })
})

describe('the parts of an order', () => {
  test.each<[string, OrderLine[], PartInput[] | null, string[][]]>([
    ['all of it', [line({ discount: '7' }), line({ id: 'b' })], null, [['a', '10', '7', '10'], ['b', '10', '0', '10']]],
    ['all that is left', [line({ converted: '10' }), line({ id: 'b', converted: '9.999999' })], null, [['b', '0.000001', '0', '10']]],
    ['in the order of its lines', [line(), line({ id: 'b' })], [part(2, 'b'), part(3)], [['a', '3', '0', '3'], ['b', '2', '0', '2']]],
    ['the same line twice', [line({ converted: '4' })], [part(1), part(5)], [['a', '6', '0', '10']]],
    ['with a share of the discount', [line({ quantity: '3', discount: '10' })], [part(1)], [['a', '1', '3.333333', '1']]],
    ['with the next share', [line({ quantity: '3', discount: '10', converted: '1' })], [part(1)], [['a', '1', '3.333334', '2']]],
    ['with the last share', [line({ quantity: '3', discount: '10', converted: '2' })], null, [['a', '1', '3.333333', '3']]],
    ['at no more discount than it comes to', [line({ quantity: '0.000002', rate: '0.5', discount: '0.000001' })], [part(0.000001)], [['a', '0.000001', '0', '0.000001']]],
    ['an id in capitals', [line({ id: 'abc' })], [part(1, 'ABC')], [['abc', '1', '0', '1']]],
  ])('%s', (_what, lines, wanted, parts) => {
    expect(partsOf(lines, wanted).map(({ lineId, quantity, discount, converted }) => [lineId, quantity, discount, converted])).toEqual(parts)
  })

  test.each<[string, OrderLine[], PartInput[], unknown]>([
    ['a line of another order', [line()], [part(1), part(1, 'z')], { code: 'not_found.resource', status: 404, field: 'line_items.1.line_item_id' }],
    ['more than there is', [line()], [part(10.000001)], { code: 'validation.invalid_value', status: 400, field: 'line_items.0.quantity', details: { limit: 10 } }],
    ['more than is left', [line({ converted: '7.5' })], [part(2.6)], { field: 'line_items.0.quantity', details: { limit: 2.5 } }],
    ['more than is left after the first', [line()], [part(4), part(7)], { field: 'line_items.1.quantity', details: { limit: 6 } }],
    ['of what is gone', [line({ converted: '10' }), line({ id: 'b' })], [part(1)], { field: 'line_items.0.quantity', details: { limit: 0 } }],
    ['nothing', [line()], [part(0)], { code: 'validation.invalid_value', status: 400, field: 'line_items.0.quantity', details: undefined }],
    ['less than nothing', [line()], [part(-1)], { field: 'line_items.0.quantity', details: undefined }],
    ['too fine a quantity', [line()], [part(1.0000001)], { field: 'line_items.0.quantity', details: undefined }],
  ])('%s is refused', (_what, lines, wanted, refused) => {
    expect(refusalOf(() => partsOf(lines, wanted))).toMatchObject(refused as object)
  })

  const micro = (n: bigint) => decimalText(new Exact(String(n)).div(1_000_000))

  test('however it is cut, quantities and discounts of the parts add up to the line, and no discount exceeds its part', () => {
    const cuts = fc.array(fc.bigInt({ min: 1n, max: 10n ** 9n }), { minLength: 1, maxLength: 12 })
    fc.assert(fc.property(cuts, fc.bigInt({ min: 0n, max: 10n ** 10n }), fc.bigInt({ min: 0n, max: 100n }), (quantities, rate, percent) => {
      const quantity = quantities.reduce((all, each) => all + each, 0n)
      const gross = new Exact(micro(quantity)).times(micro(rate))
      const discount = gross.times(String(percent)).div(100).toDecimalPlaces(6, Exact.ROUND_DOWN)
      let left = line({ quantity: micro(quantity), rate: micro(rate), discount: decimalText(discount) })
      let [taken, given, hasTiny] = [new Exact(0), new Exact(0), false]
      for (const each of quantities) {
        const [cut] = partsOf([left], [part(Number(micro(each)))])
        const price = new Exact(cut!.quantity).times(left.rate)
        expect(price.greaterThanOrEqualTo(cut!.discount)).toBe(true)
        hasTiny ||= price.times(String(100n - percent)).lessThan('0.0002')
        ;[taken, given] = [taken.plus(cut!.quantity), given.plus(cut!.discount)]
        left = { ...left, converted: cut!.converted }
      }
      expect([decimalText(taken), left.converted]).toEqual([left.quantity, left.quantity])
      // Where a part comes to hardly more than its discount, a millionth may be lost: a discount has six decimals, a price more.
      const lost = discount.minus(given).times(1_000_000).toNumber()
      expect(lost).toBeGreaterThanOrEqual(0)
      expect(lost).toBeLessThanOrEqual(hasTiny ? quantities.length : 0)
    }))
  })
})

describe('the status of an order', () => {
  const [none, some, whole] = [line(), line({ converted: '0.000001' }), line({ converted: '10' })]

  test.each<[StatusOf<'SALES_ORDER'>, OrderLine[], string, StatusOf<'SALES_ORDER'>, OrderLine[], string]>([
    ['DRAFT', [some], 'PARTIALLY_INVOICED', 'PARTIALLY_INVOICED', [none], 'OPEN'],
    ['OPEN', [none, whole], 'PARTIALLY_INVOICED', 'INVOICED', [none, whole], 'PARTIALLY_INVOICED'],
    ['PARTIALLY_INVOICED', [whole, whole], 'INVOICED', 'INVOICED', [none, none], 'OPEN'],
    ['DRAFT', [whole], 'INVOICED', 'CLOSED', [none], 'CLOSED'],
    ['OPEN', [whole], 'INVOICED', 'CLOSED', [some], 'CLOSED'],
  ])('of sales: %s with %j becomes %s; released, %s with %j becomes %s', (before, lines, after, held, left, released) => {
    expect([statusConverted('SALES_ORDER', before, lines), statusReleased('SALES_ORDER', held, left)]).toEqual([after, released])
  })

  test.each<[StatusOf<'PURCHASE_ORDER'>, OrderLine[], string, StatusOf<'PURCHASE_ORDER'>, OrderLine[], string]>([
    ['DRAFT', [some], 'OPEN', 'OPEN', [none], 'OPEN'],
    ['OPEN', [none, whole], 'OPEN', 'BILLED', [none, whole], 'OPEN'],
    ['OPEN', [whole], 'BILLED', 'BILLED', [none], 'OPEN'],
  ])('of purchases: %s with %j becomes %s; released, %s with %j becomes %s', (before, lines, after, held, left, released) => {
    expect([statusConverted('PURCHASE_ORDER', before, lines), statusReleased('PURCHASE_ORDER', held, left)]).toEqual([after, released])
  })

  test('that is closed takes no more', () => {
    expect(refusalOf(() => statusConverted('SALES_ORDER', 'CLOSED', [whole]))).toMatchObject({ code: 'conflict.invalid_state' })
  })
})
