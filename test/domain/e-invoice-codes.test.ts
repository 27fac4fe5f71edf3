// The codes of e-invoices: units, and the errors of the portal.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { errorOf, isTransient } from '../../domain/e-invoice/error-codes.ts'
import { UNIT_CODES, unitCode } from '../../domain/e-invoice/units.ts'

describe('units', () => {
  test.each([['kg', 'KGS'], ['Kgs.', 'KGS'], ['NOS', 'NOS'], ['Pieces', 'PCS'], ['hours', 'OTH'], ['%', 'OTH'], ['', null], [null, null], ['Sq. Ft', 'SQF']])('%s', (unit, code) => {
    expect(unitCode(unit)).toBe(code)
  })

  test('any text is one of the codes', () => {
    fc.assert(fc.property(fc.string(), (text) => expect([null, ...UNIT_CODES]).toContain(unitCode(text))))
  })
})

test("errors have a plain meaning, the portal's words are bounded", () => {
  expect(errorOf('2150', 'Duplicate IRN')).toEqual({ code: '2150', message: 'The portal has an IRN for this number already. (Duplicate IRN)', field: null })
  expect(errorOf('5999', 'Something\u0000 else')).toEqual({ code: '5999', message: 'Something  else', field: null })
  expect(errorOf('9'.repeat(99), 'x'.repeat(9_999)).message.length).toBeLessThanOrEqual(300)
  expect(errorOf('5999').message).toBe('The portal gives no reason.')
  expect([isTransient('2147'), isTransient('2150'), isTransient('PAYLOAD')]).toEqual([true, false, false])
})
