// Manual journals: recorded as sent, balanced to the last minor unit.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { sum } from '../../domain/money.ts'
import { journalTolerance, manualPosting } from '../../domain/posting/manual.ts'
import { assertBalanced, credit, debit, debitBalance } from '../../domain/posting/posting.ts'
import { ledgerText } from './ledger-text.ts'
import { refusalOf } from './refusal.ts'

const entry = (dr: bigint, cr: bigint, roundOff: string | null = 'Round Off', currency = 'INR') =>
  manualPosting({ lines: [debit('Rent', dr), credit('Bank', cr)], currency, roundOff })

test.each([
  [100n, 100n, 'Round Off', 'Dr Rent 1.00\n   Cr Bank 1.00'],
  [101n, 100n, 'Round Off', 'Dr Rent 1.01\n   Cr Bank 1.00\n   Cr Round Off 0.01'],
  [100n, 101n, 'Round Off', 'Dr Rent 1.00\n   Cr Bank 1.01\nDr Round Off 0.01'],
  [100n, 101n, null, 'Dr Rent 1.00\n   Cr Bank 1.01\nDr Rent 0.01'],
])('debits %s, credits %s, %s', (dr, cr, roundOff, text) => {
  expect(ledgerText(entry(dr, cr, roundOff))).toBe(text)
})

test('lines are not merged: each stands as it was written', () => {
  const lines = [debit('Rent', 5n, { description: 'May' }), debit('Rent', 6n), credit('Bank', 11n)]
  expect(manualPosting({ lines, currency: 'INR', roundOff: null })).toEqual(lines)
})

test.each([['INR', 1n], ['KWD', 10n], ['JPY', 0n]])('of %s the sides may be off by %s', (currency, tolerance) => {
  expect(journalTolerance(currency)).toBe(tolerance)
  expect(() => entry(1000n + tolerance, 1000n, null, currency)).not.toThrow()
  expect(refusalOf(() => entry(1000n + tolerance + 1n, 1000n, null, currency))).toMatchObject({ status: 400, code: 'validation.invalid_value', field: 'lines' })
})

test('a total beyond what the books hold is refused', () => {
  expect(refusalOf(() => entry(10n ** 15n + 1n, 10n ** 15n + 1n))).toMatchObject({ status: 400, field: 'total' })
})

test('whatever is within the tolerance balances exactly, and nothing else is added', () => {
  fc.assert(fc.property(fc.array(fc.bigInt(1n, 10n ** 12n), { minLength: 1, maxLength: 20 }), fc.constantFrom(-1n, 0n, 1n), (amounts, off) => {
    const lines = [...amounts.map(amount => debit('Rent', amount)), credit('Bank', sum(amounts) + off + 1n), debit('Cash', 1n)]
    const written = manualPosting({ lines, currency: 'INR', roundOff: 'Round Off' })
    assertBalanced(written)
    expect(written.slice(0, lines.length)).toEqual(lines)
    expect(sum(written.slice(lines.length).map(debitBalance))).toBe(off)
  }))
})
