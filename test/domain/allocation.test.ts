// Allocations: which are allowed, what they take off in the ledger, and the statuses that money leads to.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { allocate, relievedAtNewRate, statusAfterMoney, type Money, type OpenDocument } from '../../domain/allocation.ts'
import { sum, toBase, type Minor } from '../../domain/money.ts'
import { refusalOf } from './refusal.ts'

const money = (particulars: Partial<Money> = {}): Money => ({
  contactId: 'Asha', currency: 'INR', exchangeRate: '1', baseCurrency: 'INR', amount: 100n, unapplied: 100n, relievedBase: 0n, ...particulars,
})
const document = (particulars: Partial<OpenDocument> = {}): OpenDocument => ({
  kind: 'INVOICE', id: 'A', contactId: 'Asha', currency: 'INR', exchangeRate: '1', status: 'SENT', total: 100n, balance: 100n, settledBase: 0n,
  ...particulars,
})
const wanted = (amount: Minor, documentId = 'A') => ({ documentId, amount, fields: { document: 'invoice_id', amount: 'amount' } })
const among = (...documents: OpenDocument[]) => new Map(documents.map((each) => [each.id, each]))

describe('an allocation', () => {
  test.each<[string, Partial<OpenDocument>, Partial<Money>, Minor, unknown]>([
    ['more than is owed', { balance: 40n }, {}, 41n, { code: 'validation.invalid_value', status: 400, field: 'amount', details: { limit: 0.4 } }],
    ['more than is left', {}, { unapplied: 30n }, 31n, { code: 'validation.invalid_value', status: 400, field: 'amount', details: { limit: 0.3 } }],
    ['to a settled invoice', { status: 'PAID', balance: 0n }, {}, 1n, { code: 'validation.invalid_value', status: 400, field: 'amount', details: { limit: 0 } }],
    ['to another contact', { contactId: 'Ravi' }, {}, 1n, { code: 'validation.invalid_value', status: 400, field: 'invoice_id', details: undefined }],
    ['in another currency', { currency: 'USD' }, {}, 1n, { code: 'validation.invalid_value', status: 400, field: 'invoice_id', details: undefined }],
    ['to a draft', { status: 'DRAFT' }, {}, 1n, {
      code: 'conflict.invalid_state', status: 409, field: undefined, details: { status: 'DRAFT', allowed: ['SENT', 'PARTIALLY_PAID', 'OVERDUE'] },
    }],
    ['to a cancelled bill', { kind: 'BILL', status: 'CANCELLED', balance: 0n }, {}, 1n, {
      code: 'conflict.invalid_state', status: 409, field: undefined, details: { status: 'CANCELLED', allowed: ['OPEN', 'PARTIALLY_PAID', 'OVERDUE'] },
    }],
  ])('%s is refused', (_what, of, from, amount, refused) => {
    expect(refusalOf(() => allocate(money(from), [wanted(amount)], among(document(of))))).toEqual(refused)
  })

  test('of two to one document counts the first', () => {
    const twice = (second: Minor) => allocate(money({ amount: 200n, unapplied: 200n }), [wanted(60n), wanted(second)], among(document()))
    expect(twice(40n).map(({ amount }) => amount)).toEqual([60n, 40n])
    expect(refusalOf(() => twice(41n)).details).toEqual({ limit: 0.4 })
  })

  test('takes off the document at its rate, off the payment at its own, and the last one what is left', () => {
    const dollars = { currency: 'USD', total: 3n, balance: 3n, exchangeRate: '0.5' }
    const made = allocate(
      money({ currency: 'USD', exchangeRate: '0.7', amount: 3n, unapplied: 3n }), [wanted(1n), wanted(1n), wanted(1n)], among(document(dollars)),
    )
    // 1.5 paise of the invoice are 2 in the ledger, 2.1 of the payment are 2; each third of them is 1 when rounded alone.
    expect(made.map(({ settledBase, relievedBase }) => [settledBase, relievedBase])).toEqual([[1n, 1n], [1n, 1n], [0n, 0n]])
  })
})

const anyRate = fc.integer({ min: 1, max: 2_000_000 }).map((n) => (n / 10_000).toFixed(4))
const anyStep = fc.oneof(
  fc.record({ verb: fc.constant('apply' as const), part: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ verb: fc.constant('release' as const), part: fc.integer({ min: 0, max: 99 }) }),
)

test('whatever is applied and released, what is settled carries nothing and the rest is exact', () => {
  fc.assert(fc.property(anyRate, anyRate, fc.bigInt({ min: 1n, max: 100_000n }), fc.array(anyStep, { maxLength: 30 }), (booked, paid, total, steps) => {
    const kept: { amount: Minor; settledBase: Minor; relievedBase: Minor }[] = []
    const inBase = (amount: Minor, rate: string) => toBase(amount, 'USD', rate, 'INR')
    for (const { verb, part } of steps) {
      const left = total - sum(kept.map(({ amount }) => amount))
      if (verb === 'release') {
        kept.splice(part % Math.max(1, kept.length), 1)
      } else if (left > 0n) {
        const amount = left * BigInt(part) / 100n || left
        const purse = money({ currency: 'USD', exchangeRate: paid, amount: total, unapplied: left, relievedBase: sum(kept.map((each) => each.relievedBase)) })
        const open = document({ currency: 'USD', exchangeRate: booked, total, balance: left, settledBase: sum(kept.map((each) => each.settledBase)) })
        kept.push(...allocate(purse, [wanted(amount)], among(open)))
      }
      if (sum(kept.map(({ amount }) => amount)) === total) {
        expect(sum(kept.map(({ settledBase }) => settledBase))).toBe(inBase(total, booked))
        expect(sum(kept.map(({ relievedBase }) => relievedBase))).toBe(inBase(total, paid))
      }
    }
    const anew = relievedAtNewRate({ currency: 'USD', exchangeRate: booked, baseCurrency: 'INR', amount: total }, kept.map(({ amount }) => amount))
    if (sum(kept.map(({ amount }) => amount)) === total) expect(sum(anew)).toBe(inBase(total, booked))
  }))
})

test.each([
  // kind, status, balance of 100 before, money, status after
  ['INVOICE', 'SENT', 100n, 40n, 'PARTIALLY_PAID'], ['INVOICE', 'SENT', 100n, 100n, 'PAID'], ['INVOICE', 'PARTIALLY_PAID', 60n, 60n, 'PAID'],
  ['INVOICE', 'OVERDUE', 100n, 40n, 'PARTIALLY_PAID'], ['INVOICE', 'OVERDUE', 60n, 60n, 'PAID'],
  ['INVOICE', 'PAID', 0n, -100n, 'SENT'], ['INVOICE', 'PAID', 0n, -40n, 'PARTIALLY_PAID'], ['INVOICE', 'PARTIALLY_PAID', 60n, -40n, 'SENT'],
  ['INVOICE', 'OVERDUE', 60n, -40n, 'OVERDUE'],
  ['BILL', 'OPEN', 100n, 40n, 'PARTIALLY_PAID'], ['BILL', 'OPEN', 100n, 100n, 'PAID'], ['BILL', 'PAID', 0n, -100n, 'OPEN'],
  ['BILL', 'PARTIALLY_PAID', 60n, -40n, 'OPEN'], ['BILL', 'OVERDUE', 60n, -40n, 'OVERDUE'],
] as const)('%s %s with %d open and %d paid is %s', (kind, status, balance, paid, after) => {
  expect(statusAfterMoney(kind, { status, total: 100n, balance }, paid)).toBe(after)
})
