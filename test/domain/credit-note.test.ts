// The journal of a customer's credit note, as an accountant writes it: its invoice's, the other way round.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { toBase } from '../../domain/money.ts'
import { creditNotePosting } from '../../domain/posting/credit-note.ts'
import { invoicePosting, type InvoiceAccounts, type InvoiceFigures } from '../../domain/posting/invoice.ts'
import { assertBalanced, debitBalance, mergeByAccount } from '../../domain/posting/posting.ts'
import { priceSale, type SaleFigures } from '../../domain/totals.ts'
import { ledgerText } from './ledger-text.ts'
import { anySale, decimal, taxNamed } from './sale.ts'

const ACCOUNTS: InvoiceAccounts = {
  receivable: 'Accounts Receivable', sales: 'Sales', outputCgst: 'Output CGST', outputSgst: 'Output SGST',
  outputIgst: 'Output IGST', outputCess: 'Output Cess', roundOff: 'Round Off',
}

function note(sale: SaleFigures, particulars: Partial<InvoiceFigures> = {}, revenue = ['Sales']): InvoiceFigures {
  const { lines, cgst, sgst, igst, cess, total, roundOff } = priceSale(sale)
  return {
    customerId: 'Asha Traders', currency: sale.currency, exchangeRate: '1', baseCurrency: 'INR', total, roundOff, cgst, sgst, igst, cess,
    lines: lines.map(({ taxable }, index) => ({ accountId: revenue[index % revenue.length]!, taxable })), accounts: ACCOUNTS, ...particulars,
  }
}
const sale = (rates: string[], tax = 'GST 18%', particulars: Partial<SaleFigures> = {}): SaleFigures => ({
  currency: 'INR', intraState: true, roundOff: null, rounding: { on: false, method: 'nearest' },
  lines: rates.map((rate) => ({ quantity: '1', rate, discount: '0', tax: taxNamed(tax) })), ...particulars,
})
const written = (...of: Parameters<typeof note>) => ledgerText(creditNotePosting(note(...of)))

test('within the state', () => {
  expect(written(sale(['1000']))).toBe([
    'Dr Sales 1,000.00',
    'Dr Output CGST 90.00',
    'Dr Output SGST 90.00',
    '   Cr Accounts Receivable (Asha Traders) 1,180.00',
  ].join('\n'))
})

test('across states, on two revenue accounts', () => {
  expect(written(sale(['1000', '500'], 'GST 5%', { intraState: false }), {}, ['Sales', 'Service Income'])).toBe([
    'Dr Sales 1,000.00',
    'Dr Service Income 500.00',
    'Dr Output IGST 75.00',
    '   Cr Accounts Receivable (Asha Traders) 1,575.00',
  ].join('\n'))
})

test('of exempt wares bears no tax; of nothing posts nothing', () => {
  expect(written(sale(['1000'], 'Exempt'))).toBe('Dr Sales 1,000.00\n   Cr Accounts Receivable (Asha Traders) 1,000.00')
  expect(written(sale(['0']))).toBe('')
})

test('in dollars posts rupees', () => {
  expect(written(sale(['100.10', '200.25'], 'GST 18%', { currency: 'USD', intraState: false }), { exchangeRate: '83.1234' })).toBe([
    'Dr Sales 24,966.12',
    'Dr Output IGST 4,494.48',
    '   Cr Accounts Receivable (Asha Traders) 29,460.60',
  ].join('\n'))
})

test('any note balances, debits first, and undoes the invoice of the same figures to the paisa', () => {
  const rate = decimal(6, 300_000_000).filter((text) => Number(text) > 0)
  fc.assert(fc.property(anySale, rate, (figures, exchangeRate) => {
    const drawn = note(figures, { exchangeRate }, ['Sales', 'Service Income'])
    const lines = creditNotePosting(drawn)
    expect(() => assertBalanced(lines)).not.toThrow()
    expect(mergeByAccount([...lines, ...invoicePosting(drawn)])).toEqual([])
    const sides = lines.map(({ debit }) => debit > 0n)
    expect(sides).toEqual(sides.toSorted().toReversed())
    const receivable = lines.find(({ accountId }) => accountId === 'Accounts Receivable')
    expect(receivable ? -debitBalance(receivable) : 0n).toBe(toBase(drawn.total, drawn.currency, exchangeRate))
    if (receivable) expect(receivable.contactId).toBe('Asha Traders')
  }))
})
