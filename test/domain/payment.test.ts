// Payments: their journals as an accountant writes them, and when two look like one.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isPossibleDuplicate } from '../../domain/duplicate-payment.ts'
import {
  controlOf, exchangePosting, FLOWS, PAYMENT_TYPES, paymentPosting, type PaymentAccounts, type PaymentFigures,
} from '../../domain/posting/payment.ts'
import { debitBalance } from '../../domain/posting/posting.ts'
import { sum, toBase } from '../../domain/money.ts'
import { ledgerText } from './ledger-text.ts'

const ACCOUNTS: PaymentAccounts = {
  bank: 'Bank', receivable: 'Accounts Receivable', payable: 'Accounts Payable', tdsReceivable: 'TDS Receivable', tdsPayable: 'TDS Payable',
  bankCharges: 'Bank Charges', exchange: 'Exchange Gain or Loss',
}
const payment = (particulars: Partial<PaymentFigures> = {}): PaymentFigures => ({
  flow: 'INCOMING', type: 'REGULAR', contactId: 'Asha', currency: 'INR', exchangeRate: '1', baseCurrency: 'INR', amount: 118000n, tds: 0n,
  bankCharges: 0n, exchangeDifference: 0n, accounts: ACCOUNTS, ...particulars,
})
const written = (particulars: Partial<PaymentFigures>) => ledgerText(paymentPosting(payment(particulars))).split('\n')
const DOLLARS = { currency: 'USD', exchangeRate: '83', amount: 10000n }

describe('the journal', () => {
  test('of a receipt less TDS and charges', () => {
    expect(written({ tds: 10000n, bankCharges: 590n })).toEqual([
      'Dr Bank 1,074.10', 'Dr TDS Receivable 100.00', 'Dr Bank Charges 5.90', '   Cr Accounts Receivable (Asha) 1,180.00',
    ])
  })

  test('of a payment less TDS, charges on top', () => {
    expect(written({ flow: 'OUTGOING', tds: 10000n, bankCharges: 590n })).toEqual([
      'Dr Accounts Payable (Asha) 1,180.00', 'Dr Bank Charges 5.90', '   Cr TDS Payable 100.00', '   Cr Bank 1,085.90',
    ])
  })

  test('of refunds turns to the other control account', () => {
    expect(written({ type: 'REFUND' })).toEqual(['Dr Bank 1,180.00', '   Cr Accounts Payable (Asha) 1,180.00'])
    expect(written({ flow: 'OUTGOING', type: 'REFUND' })).toEqual(['Dr Accounts Receivable (Asha) 1,180.00', '   Cr Bank 1,180.00'])
  })

  test('of money that is worth more than its documents stood at', () => {
    const gained = { ...DOLLARS, exchangeDifference: 30000n }
    expect(written(gained)).toEqual(['Dr Bank 8,300.00', '   Cr Accounts Receivable (Asha) 8,000.00', '   Cr Exchange Gain or Loss 300.00'])
    expect(written({ ...gained, flow: 'OUTGOING' }))
      .toEqual(['Dr Accounts Payable (Asha) 8,000.00', 'Dr Exchange Gain or Loss 300.00', '   Cr Bank 8,300.00'])
  })

  test('of money that is worth less', () => {
    const lost = { ...DOLLARS, exchangeDifference: -20000n }
    expect(written(lost)).toEqual(['Dr Bank 8,300.00', '   Cr Accounts Receivable (Asha) 8,500.00', 'Dr Exchange Gain or Loss 200.00'])
    expect(written({ ...lost, flow: 'OUTGOING' }))
      .toEqual(['Dr Accounts Payable (Asha) 8,500.00', '   Cr Exchange Gain or Loss 200.00', '   Cr Bank 8,300.00'])
  })

  test('of a later apply is the difference alone', () => {
    const later = (particulars: Partial<PaymentFigures>) => ledgerText(exchangePosting(payment(particulars)))
    expect(later({ exchangeDifference: 300n })).toBe('Dr Accounts Receivable (Asha) 3.00\n   Cr Exchange Gain or Loss 3.00')
    expect(later({ exchangeDifference: 300n, flow: 'OUTGOING' })).toBe('   Cr Accounts Payable (Asha) 3.00\nDr Exchange Gain or Loss 3.00')
    expect(later({})).toBe('')
  })

  test('of all of it withheld does not move the bank', () => {
    expect(written({ tds: 118000n })).toEqual(['Dr TDS Receivable 1,180.00', '   Cr Accounts Receivable (Asha) 1,180.00'])
  })

  test('balances at any rate, and moves the control account by the amount less the difference', () => {
    const any = fc.record({
      flow: fc.constantFrom(...FLOWS), type: fc.constantFrom(...PAYMENT_TYPES), currency: fc.constantFrom('INR', 'USD', 'JPY', 'KWD'),
      exchangeRate: fc.integer({ min: 1, max: 9_999_999 }).map((n) => (n / 1000).toFixed(3)), amount: fc.bigInt({ min: 1n, max: 10n ** 9n }),
      tds: fc.nat(40).map(BigInt), bankCharges: fc.nat(40).map(BigInt), exchangeDifference: fc.bigInt({ min: -999n, max: 999n }),
    })
    fc.assert(fc.property(any, (drawn) => {
      const figures = payment({ ...drawn, tds: drawn.amount * drawn.tds / 100n, bankCharges: drawn.amount * drawn.bankCharges / 100n })
      const lines = paymentPosting(figures)
      expect(sum(lines.map(debitBalance))).toBe(0n)
      const amount = toBase(figures.amount, figures.currency, figures.exchangeRate) - figures.exchangeDifference
      const moved = sum(lines.filter(({ accountId }) => accountId === ACCOUNTS[controlOf(figures)]).map(debitBalance))
      expect(moved).toBe(figures.flow === 'INCOMING' ? -amount : amount)
    }))
  })
})

test.each([
  ['2026-11-10', 'UTR 1', '2026-11-10', 'UTR 1', true], ['2026-11-10', 'UTR 1', '2026-11-10', ' utr 1 ', true],
  ['2026-11-10', 'UTR 1', '2026-11-10', 'UTR 2', false], ['2026-11-10', 'UTR 1', '2026-11-10', null, true],
  ['2026-11-10', '', '2026-11-10', 'UTR 2', true], ['2026-11-10', null, '2026-11-17', null, true], ['2026-11-10', null, '2026-11-18', null, false],
  ['2026-11-10', null, '2026-11-03', null, true], ['2026-11-10', null, '2026-11-02', null, false], ['2026-03-01', 'a', '2026-02-22', 'a', true],
])('%s %j and %s %j look like one: %j', (date, reference_number, otherDate, other, alike) => {
  const [a, b] = [{ date, reference_number }, { date: otherDate, reference_number: other }]
  expect([isPossibleDuplicate(a, b), isPossibleDuplicate(b, a)]).toEqual([alike, alike])
})
