// Numbers of documents: templates, tokens, padding.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { DOCUMENT_KINDS, DOCUMENTS } from '../../domain/documents.ts'
import { DEFAULT_TEMPLATE, isNumberTemplate, numberParts, VIRTUAL_TEMPLATE, type NumberParts } from '../../domain/numbering.ts'

// As fill_numbers writes it, which takes the counter last (migration 0041).
const numberText = ({ before, padding, after }: NumberParts, n: number | bigint) => before + String(n).padStart(padding, '0') + after

const context = { prefix: 'INV-', padding: 3, date: '2026-08-01', fiscalYearStartMonth: 4 }

describe('a number', () => {
  test.each<[string, number | bigint, string]>([
    [DEFAULT_TEMPLATE, 7, 'INV-2026-27-007'],
    [DEFAULT_TEMPLATE, 1234n, 'INV-2026-27-1234'],
    [VIRTUAL_TEMPLATE, 12, 'INV-20260801-012'],
    ['{num}/{yy}', 7, '007/2627'],
    ['{prefix}{num}', 1, 'INV-001'],
    ['A{fy}B{prefix}C{num}D{YYYYMMDD}E', 1, 'A2026-27BINV-C001D20260801E'],
    ['$&-{num}-$1', 5, '$&-005-$1'],
  ])('of %s, %s, is %s', (template, n, text) => {
    expect(numberText(numberParts(template, context), n)).toBe(text)
  })

  test('follows the financial year of its date', () => {
    const text = (date: string) => numberText(numberParts(DEFAULT_TEMPLATE, { ...context, date }), 1)
    expect(text('2026-03-31')).toBe('INV-2025-26-001')
    expect(text('2026-04-01')).toBe('INV-2026-27-001')
  })

  test('takes tokens in a prefix as plain text', () => {
    const parts = numberParts('{prefix}{num}', { ...context, prefix: '{num}{fy}-' })
    expect(numberText(parts, 1)).toBe('{num}{fy}-001')
  })

  test('keeps its counter whole whatever the padding', () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.integer({ min: 0, max: 12 }), (n, padding) => {
      const parts = numberParts(DEFAULT_TEMPLATE, { ...context, padding })
      const text = numberText(parts, n)
      const counter = text.slice(parts.before.length, text.length - parts.after.length)
      expect(BigInt(counter)).toBe(n)
      expect(counter.length).toBe(Math.max(padding, String(n).length))
    }))
  })

  test('differs from every other of its series', () => {
    fc.assert(fc.property(fc.nat(10 ** 7), fc.nat(10 ** 7), fc.integer({ min: 0, max: 6 }), (a, b, padding) => {
      const parts = numberParts(DEFAULT_TEMPLATE, { ...context, padding })
      expect(numberText(parts, a) === numberText(parts, b)).toBe(a === b)
    }))
  })
})

describe('a template', () => {
  test.each([
    DEFAULT_TEMPLATE, VIRTUAL_TEMPLATE, '{num}', 'GST/{yy}/{num}', '{fy}{prefix}{num}', `{num}${'x'.repeat(95)}`,
  ])('%j is one', text => {
    expect(isNumberTemplate(text)).toBe(true)
  })

  test.each([
    '', '{prefix}', '{num}{num}', '{prefix}{NUM}', '{num}{year}', '{num', 'num}', '{{num}}', '{num}{', '{}{num}',
    '{num}\n', '{num}\u0000', `{num}${'x'.repeat(96)}`, '{constructor}{num}',
  ])('%j is none', text => {
    expect(isNumberTemplate(text)).toBe(false)
    expect(() => numberParts(text, context)).toThrow('not a template')
  })
})

test('every kind of document has a prefix of its own', () => {
  const prefixes = DOCUMENT_KINDS.map((kind): string => DOCUMENTS[kind].prefix)
  expect(new Set(prefixes).size).toBe(prefixes.length)
  expect(prefixes.toSorted()).toEqual(['INV-', 'BILL-', 'JV-', 'EST-', 'SO-', 'PO-', 'CN-', 'DN-', 'PAY-', 'EXP-'].toSorted())
})
