// Postings: the journals of invoices as an accountant writes them, and that they always balance.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { sum, toBase } from '../../domain/money.ts'
import { invoicePosting, type InvoiceAccounts, type InvoiceFigures } from '../../domain/posting/invoice.ts'
import {
  assertBalanced, balanceInBase, credit, debit, debitBalance, mergeByAccount, reversalOf, type PostingLine,
} from '../../domain/posting/posting.ts'
import { priceSale, type SaleFigures } from '../../domain/totals.ts'
import { ledgerText } from './ledger-text.ts'
import { anySale, decimal, taxNamed } from './sale.ts'

const ACCOUNTS: InvoiceAccounts = {
  receivable: 'Accounts Receivable', sales: 'Sales', outputCgst: 'Output CGST', outputSgst: 'Output SGST',
  outputIgst: 'Output IGST', outputCess: 'Output Cess', roundOff: 'Round Off',
}

/** An invoice of a sale; the lines take the revenue accounts by turns. */
function invoice(sale: SaleFigures, particulars: Partial<InvoiceFigures> = {}, revenue = ['Sales']): InvoiceFigures {
  const priced = priceSale(sale)
  const lines = priced.lines.map(({ taxable }, index) => ({
    accountId: revenue[index % revenue.length] ?? 'Sales', taxable,
  }))
  const { cgst, sgst, igst, cess, total, roundOff } = priced
  return {
    customerId: 'Asha Traders', currency: sale.currency, exchangeRate: '1', baseCurrency: 'INR', total, roundOff, lines,
    cgst, sgst, igst, cess, accounts: ACCOUNTS, ...particulars,
  }
}

function sale(rates: string[], particulars: Partial<SaleFigures> = {}): SaleFigures {
  return {
    currency: 'INR', intraState: true, roundOff: null, rounding: { on: false, method: 'nearest' },
    lines: rates.map(rate => ({ quantity: '1', rate, discount: '0', tax: taxNamed('GST 18%') })), ...particulars,
  }
}

describe('an approved invoice', () => {
  test('within the state', () => {
    expect(ledgerText(invoicePosting(invoice(sale(['1000']))))).toBe([
      'Dr Accounts Receivable (Asha Traders) 1,180.00',
      '   Cr Sales 1,000.00',
      '   Cr Output CGST 90.00',
      '   Cr Output SGST 90.00',
    ].join('\n'))
  })

  test('across states, on two revenue accounts, one line each', () => {
    const figures = invoice(sale(['100000', '50000', '23456'], { intraState: false }), {}, ['Sales', 'Service Income'])
    expect(ledgerText(invoicePosting(figures))).toBe([
      'Dr Accounts Receivable (Asha Traders) 2,04,678.08',
      '   Cr Sales 1,23,456.00',
      '   Cr Service Income 50,000.00',
      '   Cr Output IGST 31,222.08',
    ].join('\n'))
  })

  test('rounded up credits Round Off, rounded down debits it', () => {
    const rounded = (method: 'up' | 'down') => ledgerText(invoicePosting(
      invoice(sale(['100.50'], { intraState: false, rounding: { on: true, method } })),
    ))
    expect(rounded('up')).toBe([
      'Dr Accounts Receivable (Asha Traders) 119.00',
      '   Cr Sales 100.50',
      '   Cr Output IGST 18.09',
      '   Cr Round Off 0.41',
    ].join('\n'))
    expect(rounded('down')).toBe([
      'Dr Accounts Receivable (Asha Traders) 118.00',
      '   Cr Sales 100.50',
      '   Cr Output IGST 18.09',
      'Dr Round Off 0.59',
    ].join('\n'))
  })

  test('without a Round Off account puts the difference into Sales', () => {
    const figures = invoice(
      sale(['100.50'], { intraState: false, rounding: { on: true, method: 'up' } }),
      { accounts: { ...ACCOUNTS, roundOff: null } },
    )
    expect(ledgerText(invoicePosting(figures))).toBe([
      'Dr Accounts Receivable (Asha Traders) 119.00',
      '   Cr Sales 100.91',
      '   Cr Output IGST 18.09',
    ].join('\n'))
  })

  test('in dollars posts rupees; the paisa of rounding goes to the largest revenue line', () => {
    const figures = invoice(
      sale(['100.10', '200.25'], { currency: 'USD', intraState: false }),
      { exchangeRate: '83.1234' },
      ['Sales', 'Export Sales'],
    )
    // At 83.1234: 354.42 is 29460.595, 100.10 is 8320.652, 200.25 is 16645.461, 54.07 is 4494.482; the credits,
    // each rounded, lack a paisa.
    expect(ledgerText(invoicePosting(figures))).toBe([
      'Dr Accounts Receivable (Asha Traders) 29,460.60',
      '   Cr Sales 8,320.65',
      '   Cr Export Sales 16,645.47',
      '   Cr Output IGST 4,494.48',
    ].join('\n'))
  })

  test('of nothing posts nothing', () => {
    expect(invoicePosting(invoice(sale(['0'])))).toEqual([])
  })

  test('rounded away to nothing leaves what was rounded', () => {
    const figures = invoice(sale(['0.40'], { roundOff: '-0.48' }))
    expect(ledgerText(invoicePosting(figures))).toBe([
      '   Cr Sales 0.40',
      '   Cr Output CGST 0.04',
      '   Cr Output SGST 0.04',
      'Dr Round Off 0.48',
    ].join('\n'))
  })

  test('whose figures do not add up is our own mistake', () => {
    const figures = invoice(sale(['1000']))
    expect(() => invoicePosting({ ...figures, total: figures.total + 1n })).toThrow('must balance')
  })
})

const rate = decimal(6, 300_000_000).filter(text => Number(text) > 0)
const accounts = fc.constantFrom<InvoiceAccounts>(ACCOUNTS, { ...ACCOUNTS, roundOff: null })
const anyInvoice = fc
  .tuple(anySale, rate, accounts, fc.constantFrom<string[]>(['Sales'], ['Sales', 'Export Sales'], ['Service Income']))
  .map(([figures, exchangeRate, chart, revenue]) => invoice(figures, { exchangeRate, accounts: chart }, revenue))

describe('any invoice', () => {
  test('balances, each line on one side, with the receivable at the converted total', () => {
    fc.assert(fc.property(anyInvoice, figures => {
      const lines = invoicePosting(figures)
      expect(() => assertBalanced(lines)).not.toThrow()
      expect(sum(lines.map(line => line.debit))).toBe(sum(lines.map(line => line.credit)))
      const receivable = lines.find(line => line.accountId === 'Accounts Receivable')
      const owed = toBase(figures.total, figures.currency, figures.exchangeRate)
      expect(receivable ? debitBalance(receivable) : 0n).toBe(owed)
      if (receivable) expect(receivable.contactId).toBe('Asha Traders')
    }), { numRuns: 300 })
  })

  test('keeps its taxes to the paisa, and mentions each account once', () => {
    fc.assert(fc.property(anyInvoice, figures => {
      const lines = invoicePosting(figures)
      expect(new Set(lines.map(line => line.accountId)).size).toBe(lines.length)
      const credited = (accountId: string) => lines.find(line => line.accountId === accountId)?.credit ?? 0n
      const inBase = (amount: bigint) => toBase(amount, figures.currency, figures.exchangeRate)
      expect(credited('Output CGST')).toBe(inBase(figures.cgst))
      expect(credited('Output SGST')).toBe(inBase(figures.sgst))
      expect(credited('Output IGST')).toBe(inBase(figures.igst))
      expect(credited('Output Cess')).toBe(inBase(figures.cess))
    }), { numRuns: 300 })
  })

  test('and its reversal leave every account at nothing', () => {
    fc.assert(fc.property(anyInvoice, figures => {
      const lines = invoicePosting(figures)
      const reversal = reversalOf(lines)
      expect(() => assertBalanced(reversal)).not.toThrow()
      expect(mergeByAccount([...lines, ...reversal])).toEqual([])
      expect(reversalOf(reversal)).toEqual(lines)
    }))
  })
})

describe('posting lines', () => {
  test('a negative amount goes to the other side', () => {
    expect(debit('A', -5n)).toMatchObject({ debit: 0n, credit: 5n })
    expect(credit('A', -5n, { description: 'x', contactId: 'c' })).toEqual({
      accountId: 'A', debit: 5n, credit: 0n, description: 'x', contactId: 'c',
    })
  })

  test('merge by account and contact', () => {
    const lines = [
      debit('A', 5n, { contactId: 'c' }), credit('B', 5n, { description: 'same' }), debit('A', 2n), credit('A', 9n),
      credit('B', 1n, { description: 'same' }), debit('C', 3n), credit('C', 3n), debit('A', 1n, { contactId: 'c' }),
      debit('A', 8n, { contactId: 'd' }),
    ]
    expect(mergeByAccount(lines)).toEqual([
      debit('A', 6n, { contactId: 'c' }), credit('B', 6n, { description: 'same' }), credit('A', 7n),
      debit('A', 8n, { contactId: 'd' }),
    ])
  })

  test.each<[string, PostingLine[]]>([
    ['unequal sides', [debit('A', 5n), credit('B', 4n)]],
    ['a line of nothing', [debit('A', 5n), credit('B', 5n), debit('C', 0n)]],
    ['a line on both sides', [{ ...debit('A', 5n), credit: 5n }]],
    ['a negative side', [{ ...debit('A', 0n), debit: -5n }, { ...credit('B', 0n), credit: -5n }]],
  ])('with %s are refused', (_, lines) => {
    expect(() => assertBalanced(lines)).toThrow('posting')
  })

  test('of three thirds convert without losing a paisa', () => {
    const lines = [debit('A', 3n), credit('B', 1n), credit('C', 1n), credit('D', 1n)]
    const conversion = { currency: 'USD', exchangeRate: '0.5', baseCurrency: 'INR', absorbers: new Set(['C']) }
    // 1.5 paise are 2, three half paise are 1 each: C gives one back and is left with nothing.
    expect(balanceInBase(lines, conversion)).toEqual([debit('A', 2n), credit('B', 1n), credit('D', 1n)])
    const anyOther = { ...conversion, absorbers: new Set<string>() }
    expect(balanceInBase(lines, anyOther)).toEqual([debit('A', 2n), credit('C', 1n), credit('D', 1n)])
  })
})
