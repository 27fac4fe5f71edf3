// Expenses: the tax inside an amount, the price of an expense, and its journal as an accountant writes it.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { expenseProblems } from '../../domain/expense-body.ts'
import { isSpending } from '../../domain/accounts.ts'
import { priceExpense, type ExpenseFigures } from '../../domain/expense.ts'
import { gstOnSale, gstTotal } from '../../domain/gst.ts'
import { gstInside } from '../../domain/inclusive-tax.ts'
import { sum } from '../../domain/money.ts'
import { expensePosting, type ExpenseAccounts } from '../../domain/posting/expense.ts'
import { assertBalanced, debitBalance } from '../../domain/posting/posting.ts'
import { ledgerText } from './ledger-text.ts'
import { refusalOf } from './refusal.ts'
import { anyTax, taxNamed } from './sale.ts'

describe('the tax inside an amount', () => {
  // By hand: 100.00 at 18 per cent holds 100 x 9 / 118 = 7.627..., twice.
  test.each([
    ['GST 18%', true, 10_000n, { taxable: 8_474n, cgst: 763n, sgst: 763n, igst: 0n, cess: 0n }],
    ['GST 18%', false, 10_000n, { taxable: 8_475n, cgst: 0n, sgst: 0n, igst: 1_525n, cess: 0n }],
    ['IGST 18%', true, 11_800n, { taxable: 10_000n, cgst: 900n, sgst: 900n, igst: 0n, cess: 0n }],
    ['GST 0.25%', true, 40_100n, { taxable: 40_000n, cgst: 50n, sgst: 50n, igst: 0n, cess: 0n }],
    ['GST 40%', false, 1n, { taxable: 1n, cgst: 0n, sgst: 0n, igst: 0n, cess: 0n }],
    ['RCM 18%', true, 10_000n, { taxable: 10_000n, cgst: 0n, sgst: 0n, igst: 0n, cess: 0n }],
    ['Exempt', true, 10_000n, { taxable: 10_000n, cgst: 0n, sgst: 0n, igst: 0n, cess: 0n }],
  ])('%s, within the state: %s, of %s', (name, intraState, amount, parts) => {
    expect(gstInside(amount, taxNamed(name), intraState)).toEqual(parts)
  })

  test('cess is of the same base', () => {
    expect(gstInside(14_000n, { ...taxNamed('GST 28%'), cess: '12' }, false)).toEqual({ taxable: 10_000n, cgst: 0n, sgst: 0n, igst: 2_800n, cess: 1_200n })
  })

  test('the parts add up, and the tax is near that of the taxable value', () => {
    fc.assert(fc.property(fc.bigInt(1n, 10n ** 15n), anyTax, fc.boolean(), (amount, tax, intraState) => {
      const { taxable, ...parts } = gstInside(amount, tax, intraState)
      expect(taxable + gstTotal(parts)).toBe(amount)
      expect(taxable).toBeGreaterThanOrEqual(0n)
      const difference = gstTotal(parts) - gstTotal(gstOnSale(taxable, tax, intraState))
      // Each of up to three taxes is rounded twice, and 290 per cent of a paisa is three.
      expect(difference < 10n && difference > -10n).toBe(true)
    }))
  })
})

const ACCOUNTS: ExpenseAccounts = {
  input: { cgst: 'Input CGST', sgst: 'Input SGST', igst: 'Input IGST', cess: 'Input Cess' },
  reverseCharge: { cgst: 'Output CGST (RCM)', sgst: 'Output SGST (RCM)', igst: 'Output IGST (RCM)', cess: 'Output Cess (RCM)' },
}

const figures = (changes: Partial<ExpenseFigures> = {}): ExpenseFigures => ({
  currency: 'INR', lines: [{ amount: 10_000n, tax: taxNamed('GST 18%') }], inclusive: false, reverseCharge: null, intraState: true, ...changes,
})

function posted(wanted: ExpenseFigures, creditBlocked = false, accounts = ['Rent']) {
  const priced = priceExpense(wanted)
  return expensePosting({
    paidThrough: 'Bank', total: priced.total, creditBlocked, accounts: ACCOUNTS,
    lines: priced.lines.map((line, index) => ({ ...line, accountId: accounts[index % accounts.length]!, note: null })),
  })
}

describe('the journal of an expense', () => {
  test('claims the input tax', () => {
    expect(ledgerText(posted(figures()))).toBe('Dr Rent 100.00\nDr Input CGST 9.00\nDr Input SGST 9.00\n   Cr Bank 118.00')
  })
  test('capitalises what is blocked', () => {
    expect(ledgerText(posted(figures(), true))).toBe('Dr Rent 118.00\n   Cr Bank 118.00')
  })
  test('assesses reverse charge at the rate that is given, whatever the tax', () => {
    expect(ledgerText(posted(figures({ reverseCharge: { rate: '5' } })))).toBe([
      'Dr Rent 100.00', 'Dr Input CGST 2.50', 'Dr Input SGST 2.50', '   Cr Output CGST (RCM) 2.50', '   Cr Output SGST (RCM) 2.50', '   Cr Bank 100.00',
    ].join('\n'))
  })
  test('has one line an account', () => {
    const lines = [1, 2, 3].map(n => ({ amount: BigInt(n * 100), tax: null }))
    expect(ledgerText(posted(figures({ lines }), false, ['Rent', 'Postage']))).toBe('Dr Rent 4.00\nDr Postage 2.00\n   Cr Bank 6.00')
  })

  test('always balances, pays the total, and blocked or not costs the same', () => {
    const anyExpense = fc.record({
      currency: fc.constantFrom('INR', 'JPY', 'KWD'),
      lines: fc.array(fc.record({ amount: fc.bigInt(1n, 10n ** 11n), tax: anyTax }), { minLength: 1, maxLength: 6 }),
      inclusive: fc.boolean(),
      reverseCharge: fc.option(fc.record({ rate: fc.option(fc.constantFrom('5', '18', '0.25', '12.345')) })),
      intraState: fc.option(fc.boolean()),
    })
    fc.assert(fc.property(anyExpense, fc.boolean(), (wanted, creditBlocked) => {
      const lines = posted(wanted, creditBlocked, ['Rent', 'Postage'])
      assertBalanced(lines)
      const priced = priceExpense(wanted)
      const on = (name: string) => sum(lines.filter(line => line.accountId.startsWith(name)).map(debitBalance))
      expect(on('Bank')).toBe(-priced.total)
      expect(on('Output')).toBe(-priced.selfAssessedTotal)
      expect(on('Rent') + on('Postage')).toBe(priced.subTotal + (creditBlocked ? priced.taxTotal + priced.selfAssessedTotal : 0n))
      if (wanted.inclusive || wanted.reverseCharge) expect(priced.total).toBe(priced.amount)
    }))
  })
})

test('without a vendor the named tax says where it falls', () => {
  const parts = (name: string) => priceExpense(figures({ intraState: null, lines: [{ amount: 100n, tax: taxNamed(name) }] })).lines[0]!.charged
  expect([parts('GST 18%').igst, parts('IGST 18%').igst]).toEqual([0n, 18n])
})

test('a total beyond what a document may have is refused', () => {
  expect(refusalOf(() => priceExpense(figures({ lines: [{ amount: 10n ** 15n, tax: taxNamed('GST 18%') }] })))).toMatchObject({ status: 400, field: 'total' })
})

test('money is spent on costs and on assets, not on control accounts', () => {
  expect((['EXPENSE', 'FIXED_ASSET', 'STOCK', 'OTHER_EXPENSE', 'COST_OF_GOODS_SOLD'] as const).every(isSpending)).toBe(true)
  expect((['BANK', 'SALES', 'ACCOUNTS_RECEIVABLE', 'ACCOUNTS_PAYABLE', 'GST_ASSET', 'EQUITY'] as const).some(isSpending)).toBe(false)
})

test.each<[unknown, string[]]>([
  [{}, ['account_id', 'amount']],
  [{ account_id: 'a', amount: 1 }, []],
  [{ line_items: [{}, { account_id: 'a' }] }, ['line_items.0.account_id']],
  [{ account_id: 'a', line_items: [{}] }, []],
  [{ account_id: 'a', amount: 1, is_rcm: true }, ['rcm_rate']],
  [{ account_id: 'a', amount: 1, is_rcm: true, tax_id: 't' }, []],
  [{ account_id: 'a', is_rcm: true, line_items: [{ tax_id: 't' }] }, []],
  [[], []], [null, []], ['x', []], [{ account_id: 'a', line_items: [null, 3] }, []],
])('%j lacks %j', (body, fields) => {
  expect(expenseProblems(body).map(({ field }) => field)).toEqual(fields)
})
