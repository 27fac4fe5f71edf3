// Bills: what a purchase comes to, its journal as an accountant writes it, and the duplicate guard.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { refuseDuplicateBill } from '../../domain/duplicate-bill.ts'
import type { GstParts } from '../../domain/gst.ts'
import { sum, toBase } from '../../domain/money.ts'
import { billPosting, type BillAccounts, type BillFigures } from '../../domain/posting/bill.ts'
import { assertBalanced, debitBalance, mergeByAccount, reversalOf } from '../../domain/posting/posting.ts'
import { pricePurchase, priceSale, type LineFigures, type PurchaseFigures } from '../../domain/totals.ts'
import { ledgerText } from './ledger-text.ts'
import { refusalOf } from './refusal.ts'
import { anySale, decimal, taxNamed } from './sale.ts'

const ACCOUNTS: BillAccounts = {
  payable: 'Accounts Payable',
  input: { cgst: 'Input CGST', sgst: 'Input SGST', igst: 'Input IGST', cess: 'Input Cess' },
  reverseCharge: { cgst: 'Output CGST (RCM)', sgst: 'Output SGST (RCM)', igst: 'Output IGST (RCM)', cess: 'Output Cess (RCM)' },
  roundOff: 'Round Off',
}

const TAXES = ['cgst', 'sgst', 'igst', 'cess'] as const

/** A bill of a purchase; the lines take the accounts by turns. */
function bill(purchase: PurchaseFigures, particulars: Partial<BillFigures> = {}, bought = ['Purchases']): BillFigures {
  const { lines: priced, cgst, sgst, igst, cess, total, roundOff } = pricePurchase(purchase)
  const ofLines = (tax: keyof GstParts) => sum(priced.map(({ selfAssessed }) => selfAssessed[tax]))
  return {
    vendorId: 'Tiruppur Mills', currency: purchase.currency, exchangeRate: '1', baseCurrency: 'INR', total, roundOff,
    charged: { cgst, sgst, igst, cess },
    selfAssessed: { cgst: ofLines('cgst'), sgst: ofLines('sgst'), igst: ofLines('igst'), cess: ofLines('cess') },
    lines: priced.map(({ taxable }, index) => ({ accountId: bought[index % bought.length]!, taxable })),
    accounts: ACCOUNTS, ...particulars,
  }
}

const line = (rate: string, tax = 'GST 18%'): LineFigures => ({ quantity: '1', rate, discount: '0', tax: taxNamed(tax) })

function purchase(lines: LineFigures[], particulars: Partial<PurchaseFigures> = {}): PurchaseFigures {
  return { currency: 'INR', intraState: true, roundOff: null, lines, ...particulars }
}

const posted = (lines: LineFigures[], particulars: Partial<PurchaseFigures> = {}, more: Partial<BillFigures> = {}) =>
  ledgerText(billPosting(bill(purchase(lines, particulars), more)))

describe('a purchase', () => {
  test('charges what the vendor charges; reverse charge is assessed beside it', () => {
    expect(pricePurchase(purchase([line('1000'), line('500', 'RCM 5%')]))).toEqual({
      lines: [
        { taxable: 100000n, cgst: 9000n, sgst: 9000n, igst: 0n, cess: 0n, taxAmount: 18000n, selfAssessed: { cgst: 0n, sgst: 0n, igst: 0n, cess: 0n } },
        { taxable: 50000n, cgst: 0n, sgst: 0n, igst: 0n, cess: 0n, taxAmount: 0n, selfAssessed: { cgst: 1250n, sgst: 1250n, igst: 0n, cess: 0n } },
      ],
      subTotal: 150000n, cgst: 9000n, sgst: 9000n, igst: 0n, cess: 0n, taxTotal: 18000n, roundOff: 0n, total: 168000n,
    })
  })

  test.each([
    [null, 0n, 11859n], ['0', 0n, 11859n], ['0.41', 41n, 11900n], ['-0.59', -59n, 11800n], ['-118.59', -11859n, 0n],
  ])('rounded off by hand with %j comes to %s and %s', (roundOff, expected, total) => {
    expect(pricePurchase(purchase([line('100.50')], { roundOff, intraState: false }))).toMatchObject({ roundOff: expected, total })
  })

  test('is refused a round-off that takes away more than it comes to', () => {
    expect(refusalOf(() => pricePurchase(purchase([line('100.50')], { roundOff: '-118.60', intraState: false })))).toEqual({
      code: 'validation.invalid_value', status: 400, field: 'round_off', details: { limit: -118.59 },
    })
  })

  test('comes to what the same sale comes to, whatever is sold', () => {
    fc.assert(fc.property(anySale, ({ rounding: _rounding, ...figures }) => {
      const { lines, ...sums } = pricePurchase(figures)
      const { lines: sold, ...sumsOfSale } = priceSale({ ...figures, rounding: { on: false, method: 'nearest' } })
      expect(sums).toEqual(sumsOfSale)
      expect(lines.map(({ selfAssessed: _assessed, ...each }) => each)).toEqual(sold)
      for (const { selfAssessed, taxAmount } of lines) {
        if (TAXES.some((tax) => selfAssessed[tax] > 0n)) expect(taxAmount).toBe(0n)
      }
    }))
  })
})

describe('an approved bill', () => {
  test('within the state', () => {
    expect(posted([line('1000')])).toBe([
      'Dr Purchases 1,000.00',
      'Dr Input CGST 90.00',
      'Dr Input SGST 90.00',
      '   Cr Accounts Payable (Tiruppur Mills) 1,180.00',
    ].join('\n'))
  })

  test('across states', () => {
    expect(posted([line('100000'), line('23456')], { intraState: false })).toBe([
      'Dr Purchases 1,23,456.00',
      'Dr Input IGST 22,222.08',
      '   Cr Accounts Payable (Tiruppur Mills) 1,45,678.08',
    ].join('\n'))
  })

  test.each(['Exempt', 'Nil Rated', 'Non-GST', 'GST 0%'])('of %s wares bears no tax', (tax) => {
    expect(posted([line('1000', tax)])).toBe('Dr Purchases 1,000.00\n   Cr Accounts Payable (Tiruppur Mills) 1,000.00')
  })

  test('under reverse charge owes the vendor the taxable value, the tax to the government', () => {
    expect(posted([line('1000', 'RCM 18%')], { intraState: false })).toBe([
      'Dr Purchases 1,000.00',
      'Dr Input IGST 180.00',
      '   Cr Accounts Payable (Tiruppur Mills) 1,000.00',
      '   Cr Output IGST (RCM) 180.00',
    ].join('\n'))
    expect(posted([line('1000', 'RCM 5%'), line('100')])).toBe([
      'Dr Purchases 1,100.00',
      'Dr Input CGST 34.00',
      'Dr Input SGST 34.00',
      '   Cr Accounts Payable (Tiruppur Mills) 1,118.00',
      '   Cr Output CGST (RCM) 25.00',
      '   Cr Output SGST (RCM) 25.00',
    ].join('\n'))
  })

  test('rounded up debits Round Off, rounded down credits it', () => {
    expect(posted([line('100.50', 'Exempt')], { roundOff: '0.50' })).toBe([
      'Dr Purchases 100.50',
      'Dr Round Off 0.50',
      '   Cr Accounts Payable (Tiruppur Mills) 101.00',
    ].join('\n'))
    expect(posted([line('100.50', 'Exempt')], { roundOff: '-0.50' })).toBe([
      'Dr Purchases 100.50',
      '   Cr Accounts Payable (Tiruppur Mills) 100.00',
      '   Cr Round Off 0.50',
    ].join('\n'))
  })

  test('without a Round Off account puts the difference into the first line’s account', () => {
    const figures = bill(purchase([line('100.50', 'Exempt'), line('20', 'Exempt')], { roundOff: '0.50' }), { accounts: { ...ACCOUNTS, roundOff: null } }, ['Purchases', 'Freight Inward'])
    expect(ledgerText(billPosting(figures))).toBe([
      'Dr Purchases 101.00',
      'Dr Freight Inward 20.00',
      '   Cr Accounts Payable (Tiruppur Mills) 121.00',
    ].join('\n'))
  })

  test('in dollars posts rupees; the paisa of rounding goes to the largest purchase', () => {
    // At 83.1234: 354.42 is 29460.595, 100.10 is 8320.652, 200.25 is 16645.461, 54.07 is 4494.482.
    const figures = bill(
      purchase([line('100.10'), line('200.25')], { currency: 'USD', intraState: false }), { exchangeRate: '83.1234' }, ['Freight Inward', 'Purchases'],
    )
    expect(ledgerText(billPosting(figures))).toBe([
      'Dr Freight Inward 8,320.65',
      'Dr Purchases 16,645.47',
      'Dr Input IGST 4,494.48',
      '   Cr Accounts Payable (Tiruppur Mills) 29,460.60',
    ].join('\n'))
  })

  test('of nothing posts nothing', () => {
    expect(billPosting(bill(purchase([line('0')])))).toEqual([])
  })

  test('whose figures do not add up is our own mistake', () => {
    const figures = bill(purchase([line('1000')]))
    expect(() => billPosting({ ...figures, total: figures.total + 1n })).toThrow('must balance')
  })
})

const rate = decimal(6, 300_000_000).filter((text) => Number(text) > 0)
const anyBill = fc
  .tuple(anySale, rate, fc.constantFrom(ACCOUNTS, { ...ACCOUNTS, roundOff: null }), fc.constantFrom<string[]>(['Purchases'], ['Purchases', 'Freight Inward']))
  .map(([figures, exchangeRate, accounts, bought]) => bill(figures, { exchangeRate, accounts }, bought))

describe('any bill', () => {
  test('balances, debits first, with the payable at the converted total', () => {
    fc.assert(fc.property(anyBill, (figures) => {
      const lines = billPosting(figures)
      expect(() => assertBalanced(lines)).not.toThrow()
      const sides = lines.map(({ debit }) => debit > 0n)
      expect(sides).toEqual(sides.toSorted().toReversed())
      const payable = lines.find(({ accountId }) => accountId === 'Accounts Payable')
      expect(payable ? -debitBalance(payable) : 0n).toBe(toBase(figures.total, figures.currency, figures.exchangeRate))
      if (payable) expect(payable.contactId).toBe('Tiruppur Mills')
    }), { numRuns: 300 })
  })

  test('keeps its taxes to the paisa: all of them claimed, those of reverse charge owed', () => {
    fc.assert(fc.property(anyBill, (figures) => {
      const lines = billPosting(figures)
      const on = (accountId: string) => sum(lines.filter((each) => each.accountId === accountId).map(debitBalance))
      const inBase = (amount: bigint) => toBase(amount, figures.currency, figures.exchangeRate)
      for (const tax of TAXES) {
        expect(on(ACCOUNTS.input[tax])).toBe(inBase(figures.charged[tax] + figures.selfAssessed[tax]))
        expect(on(ACCOUNTS.reverseCharge[tax])).toBe(-inBase(figures.selfAssessed[tax]))
      }
    }), { numRuns: 300 })
  })

  test('and its reversal leave every account as it was', () => {
    fc.assert(fc.property(anyBill, (figures) => {
      const lines = billPosting(figures)
      expect(mergeByAccount([...lines, ...reversalOf(lines)])).toEqual([])
    }))
  })
})

describe('the duplicate guard', () => {
  const alike = (...references: (string | null)[]) =>
    references.map((reference_number, place) => ({ id: `id ${place}`, bill_number: `BILL-${place}`, reference_number }))

  test.each<[string | null, (string | null)[]]>([
    [null, []], ['', []], ['R-1', []], ['R-1', [null]], ['R-2', ['R-1']], ['R-3', ['R-1', null, 'R-2']], ['r-1', ['R-1']],
  ])('lets %j pass beside %j', (reference, posted) => {
    expect(refuseDuplicateBill(reference, alike(...posted))).toBeUndefined()
  })

  test.each<[string | null, (string | null)[], number]>([
    [null, [null], 0], [null, ['R-1'], 0], ['', [null], 0], ['  ', ['R-1'], 0], ['R-1', ['R-1'], 0], [' R-1 ', ['R-0', 'R-1'], 1],
    ['R-2', ['R-1', null, 'R-2'], 2],
  ])('stops %j beside %j', (reference, posted, place) => {
    expect(refusalOf(() => refuseDuplicateBill(reference, alike(...posted)))).toEqual({
      code: 'validation.invalid_value', status: 400, field: 'reference_number', details: { bill_id: `id ${place}`, bill_number: `BILL-${place}` },
    })
  })
})
