// Sales drawn at random, for the properties that every sale must have.
import fc from 'fast-check'
import { GST_TAX_LIST, type Tax } from '../../domain/gst.ts'
import type { LineFigures, RoundingMethod, SaleFigures } from '../../domain/totals.ts'

/** The seeded tax of that name. */
export function taxNamed(name: string): Tax {
  const found = GST_TAX_LIST.find(tax => tax.name === name)
  if (!found) throw new Error(`no tax is named ${name}`)
  return found
}

const cess = fc.constantFrom('0', '0', '1', '12.5', '290')
export const anyTax: fc.Arbitrary<Tax | null> = fc.option(
  fc.tuple(fc.constantFrom(...GST_TAX_LIST), cess).map(([tax, rate]) => ({ ...tax, cess: rate })),
)

/** A decimal of so many places, from 0 to `max` of its last place. */
export function decimal(places: number, max: number): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max }).map(n => {
    const digits = String(n).padStart(places + 1, '0')
    return `${digits.slice(0, -places)}.${digits.slice(-places)}`
  })
}

const anyLine: fc.Arbitrary<LineFigures> = fc
  .tuple(decimal(3, 5_000_000), decimal(4, 900_000_000), fc.integer({ min: 0, max: 99 }), anyTax)
  .map(([quantity, rate, percentOff, tax]) => ({
    quantity, rate, tax, discount: (Math.floor(Number(quantity) * Number(rate) * percentOff) / 100).toFixed(2),
  }))

// Without it a sale of nothing could be drawn, which no round-off may take anything away from.
const LINE_OF_ONE: LineFigures = { quantity: '1', rate: '1', discount: '0', tax: null }

export const anySale: fc.Arbitrary<SaleFigures> = fc.record({
  currency: fc.constantFrom('INR', 'USD', 'JPY', 'KWD'),
  lines: fc.array(anyLine, { maxLength: 8 }).map(lines => [...lines, LINE_OF_ONE]),
  intraState: fc.boolean(),
  roundOff: fc.option(fc.constantFrom('0', '0.49', '-0.01', '-1', '12.34')),
  rounding: fc.record({ on: fc.boolean(), method: fc.constantFrom<RoundingMethod>('nearest', 'up', 'down') }),
})
