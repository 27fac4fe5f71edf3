// Money: minor units, rounding half away from zero, conversion, the largest total.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { COMMON_CURRENCIES, CURRENCIES, isCurrency } from '../../domain/currencies.ts'
import { decimalPlaces, decimalText } from '../../domain/decimal.ts'
import {
  amountAboveZero, maxTotal, minorDigits, refuseExchangeRate, refuseTooLarge, sum, toAmount, toBase, toDecimalText,
  toMinor,
} from '../../domain/money.ts'
import { refusalOf } from './refusal.ts'

const currencyCode = fc.constantFrom(...CURRENCIES.map(currency => currency.code))
const minor = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n })

describe('minor units', () => {
  test.each([
    ['INR', 2], ['USD', 2], ['JPY', 0], ['KRW', 0], ['VND', 0], ['KWD', 3], ['BHD', 3], ['OMR', 3], ['UYW', 4],
  ])('%s has %d digits', (code, digits) => {
    expect(minorDigits(code)).toBe(digits)
  })

  test.each(['XXX', 'inr', '', 'RUPEE', '__proto__', 'HRK'])('%j is no currency', code => {
    expect(isCurrency(code)).toBe(false)
    expect(refusalOf(() => minorDigits(code))).toMatchObject({
      code: 'validation.invalid_value', status: 400, field: 'currency_code',
    })
  })

  test('the table has every currency once, under a code of three letters, with a name and a symbol', () => {
    expect(new Set(CURRENCIES.map(currency => currency.code)).size).toBe(CURRENCIES.length)
    expect(CURRENCIES.length).toBeGreaterThan(150)
    for (const { code, name, symbol, minorDigits: digits } of CURRENCIES) {
      expect(code).toMatch(/^[A-Z]{3}$/)
      expect(name.length).toBeGreaterThan(1)
      expect(symbol).not.toMatch(/\s|^$/)
      expect([0, 2, 3, 4]).toContain(digits)
    }
    expect(COMMON_CURRENCIES.map(currency => currency.code).slice(0, 4)).toEqual(['INR', 'USD', 'EUR', 'GBP'])
  })
})

describe('rounding', () => {
  test.each<[string | number, string, bigint]>([
    ['1180', 'INR', 118000n],
    [1.005, 'INR', 101n],
    [-1.005, 'INR', -101n],
    ['1.004999999999999999999999', 'INR', 100n],
    ['0.005', 'INR', 1n],
    ['-0.005', 'INR', -1n],
    ['-0.004', 'INR', 0n],
    [-0, 'INR', 0n],
    [0.1 + 0.2, 'INR', 30n],
    ['2.5', 'JPY', 3n],
    ['-2.5', 'JPY', -3n],
    ['2.4999', 'JPY', 2n],
    ['0.0005', 'KWD', 1n],
    ['9999999999999.99', 'INR', 999999999999999n],
    [1e-7, 'INR', 0n],
  ])('%s %s is %s minor units', (value, currency, expected) => {
    expect(toMinor(value, currency)).toBe(expected)
  })

  test('is symmetric about zero and never more than half a unit off', () => {
    fc.assert(fc.property(currencyCode, fc.bigInt({ min: 0n, max: 10n ** 18n }), (currency, millionths) => {
      const digits = String(millionths).padStart(7, '0')
      const value = `${digits.slice(0, -6)}.${digits.slice(-6)}`
      const rounded = toMinor(value, currency)
      expect(toMinor(`-${value}`, currency)).toBe(-rounded)
      const unit = 10n ** BigInt(6 - minorDigits(currency))
      const off = rounded * unit - millionths
      expect(off * 2n).toBeLessThanOrEqual(unit)
      expect(off * -2n).toBeLessThan(unit)
    }))
  })

  test.each([Infinity, -Infinity, NaN])('%s is refused', value => {
    expect(refusalOf(() => toMinor(value, 'INR')).code).toBe('validation.invalid_value')
  })

  test.each<[string | number, string, bigint | null]>([
    [10.005, 'INR', 1001n], [0.005, 'INR', 1n], [0.0049999, 'INR', null], [0, 'INR', null], [0.5, 'JPY', 1n], [0.4, 'JPY', null],
    ['0.0004', 'KWD', null], [0.0005, 'KWD', 1n],
  ])('%s %s of a field that must come to something: %s', (value, currency, amount) => {
    const taken = () => amountAboveZero(value, currency, 'amount')
    if (amount === null) expect(refusalOf(taken)).toMatchObject({ code: 'validation.invalid_value', field: 'amount' })
    else expect(taken()).toBe(amount)
  })
})

describe('amounts on the wire', () => {
  test.each<[bigint, string, number, string]>([
    [118000n, 'INR', 1180, '1180.00'],
    [-5n, 'INR', -0.05, '-0.05'],
    [0n, 'INR', 0, '0.00'],
    [1n, 'KWD', 0.001, '0.001'],
    [1180n, 'JPY', 1180, '1180'],
    [999999999999999n, 'INR', 9999999999999.99, '9999999999999.99'],
  ])('%s %s is %d', (value, currency, amount, text) => {
    expect(toAmount(value, currency)).toBe(amount)
    expect(toDecimalText(value, currency)).toBe(text)
  })

  test('go out and come back the same', () => {
    fc.assert(fc.property(currencyCode, minor, (currency, value) => {
      const amount = toAmount(value, currency)
      expect(toMinor(amount, currency)).toBe(value)
      expect(toMinor(JSON.parse(JSON.stringify(amount)), currency)).toBe(value)
      expect(toMinor(toDecimalText(value, currency), currency)).toBe(value)
    }))
  })
})

describe('conversion', () => {
  test.each<[bigint, string, string, bigint]>([
    [10000n, 'USD', '83.25', 832500n],
    [10000n, 'USD', '83.12345', 831235n],
    [-10000n, 'USD', '83.12345', -831235n],
    [1000n, 'JPY', '0.5512', 55120n],
    [1n, 'KWD', '271.5', 27n],
    [1n, 'KWD', '275', 28n],
    [12345n, 'INR', '1', 12345n],
  ])('%s minor units of %s at %s are %s paise', (value, currency, rate, expected) => {
    expect(toBase(value, currency, rate)).toBe(expected)
  })

  test('can be into another base currency', () => {
    expect(toBase(8325n, 'INR', '0.012', 'USD')).toBe(100n)
    expect(toBase(100n, 'USD', '150.5', 'JPY')).toBe(151n)
  })

  test.each(['0', '-1', 'Infinity', 'NaN'])('a rate of %s is refused', rate => {
    const refusal = { code: 'validation.invalid_value', status: 400, field: 'exchange_rate' }
    expect(refusalOf(() => toBase(100n, 'USD', rate))).toMatchObject(refusal)
    expect(refusalOf(() => refuseExchangeRate('USD', rate))).toMatchObject(refusal)
  })

  test('the own currency has the rate 1 and no other', () => {
    expect(() => refuseExchangeRate('INR', '1.000')).not.toThrow()
    expect(() => refuseExchangeRate('USD', '83.25')).not.toThrow()
    expect(refusalOf(() => refuseExchangeRate('INR', '2'))).toMatchObject({ field: 'exchange_rate' })
  })

  test('an amount carried beyond what the ledger holds is refused', () => {
    expect(toBase(10n ** 13n, 'USD', '100')).toBe(10n ** 15n)
    expect(refusalOf(() => toBase(10n ** 13n, 'USD', '100.1'))).toMatchObject({
      code: 'validation.invalid_value', field: 'exchange_rate',
    })
  })
})

describe('the largest total', () => {
  test.each<[string, bigint]>([
    ['INR', 10n ** 15n], ['JPY', 10n ** 13n], ['KWD', 10n ** 15n],
  ])('of %s is %s minor units', (currency, limit) => {
    expect(maxTotal(currency)).toBe(limit)
    expect(() => refuseTooLarge(limit, currency)).not.toThrow()
    expect(() => refuseTooLarge(-limit, currency)).not.toThrow()
    for (const beyond of [limit + 1n, -limit - 1n]) {
      expect(refusalOf(() => refuseTooLarge(beyond, currency))).toMatchObject({
        code: 'validation.invalid_value', status: 400, field: 'total',
      })
    }
  })
})

test('a sum of nothing is 0', () => {
  expect(sum([])).toBe(0n)
  expect(sum([1n, -3n, 5n])).toBe(3n)
})

test('decimals are written without exponents and idle zeros', () => {
  expect(decimalText(1e-7)).toBe('0.0000001')
  expect(decimalText(1e21)).toBe('1000000000000000000000')
  expect(decimalText('18.00')).toBe('18')
  expect(decimalPlaces('1.2300')).toBe(2)
  expect(decimalPlaces(0.000001)).toBe(6)
})
