// The journal of a debit note or a vendor's credit, as an accountant writes it: its bill's, the other way round.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { GstParts } from '../../domain/gst.ts'
import { sum, toBase } from '../../domain/money.ts'
import { billPosting, type BillAccounts, type BillFigures } from '../../domain/posting/bill.ts'
import { debitNotePosting } from '../../domain/posting/debit-note.ts'
import { assertBalanced, debitBalance, mergeByAccount } from '../../domain/posting/posting.ts'
import { pricePurchase, type PurchaseFigures } from '../../domain/totals.ts'
import { ledgerText } from './ledger-text.ts'
import { anySale, decimal, taxNamed } from './sale.ts'

const ACCOUNTS: BillAccounts = {
  payable: 'Accounts Payable',
  input: { cgst: 'Input CGST', sgst: 'Input SGST', igst: 'Input IGST', cess: 'Input Cess' },
  reverseCharge: { cgst: 'Output CGST (RCM)', sgst: 'Output SGST (RCM)', igst: 'Output IGST (RCM)', cess: 'Output Cess (RCM)' },
  roundOff: 'Round Off',
}

function note(purchase: PurchaseFigures, particulars: Partial<BillFigures> = {}): BillFigures {
  const { lines, cgst, sgst, igst, cess, total, roundOff } = pricePurchase(purchase)
  const ofLines = (tax: keyof GstParts) => sum(lines.map(({ selfAssessed }) => selfAssessed[tax]))
  return {
    vendorId: 'Tiruppur Mills', currency: purchase.currency, exchangeRate: '1', baseCurrency: 'INR', total, roundOff,
    charged: { cgst, sgst, igst, cess },
    selfAssessed: { cgst: ofLines('cgst'), sgst: ofLines('sgst'), igst: ofLines('igst'), cess: ofLines('cess') },
    lines: lines.map(({ taxable }) => ({ accountId: 'Purchases', taxable })), accounts: ACCOUNTS, ...particulars,
  }
}
const purchase = (rate: string, tax = 'GST 18%', particulars: Partial<PurchaseFigures> = {}): PurchaseFigures => ({
  currency: 'INR', intraState: true, roundOff: null, lines: [{ quantity: '1', rate, discount: '0', tax: taxNamed(tax) }], ...particulars,
})
const written = (...of: Parameters<typeof note>) => ledgerText(debitNotePosting(note(...of)))

test('within the state', () => {
  expect(written(purchase('1000'))).toBe([
    'Dr Accounts Payable (Tiruppur Mills) 1,180.00',
    '   Cr Purchases 1,000.00',
    '   Cr Input CGST 90.00',
    '   Cr Input SGST 90.00',
  ].join('\n'))
})

test('across states', () => {
  expect(written(purchase('1000', 'GST 5%', { intraState: false }))).toBe([
    'Dr Accounts Payable (Tiruppur Mills) 1,050.00',
    '   Cr Purchases 1,000.00',
    '   Cr Input IGST 50.00',
  ].join('\n'))
})

test('under reverse charge takes back what was self-assessed', () => {
  expect(written(purchase('1000', 'RCM 18%'))).toBe([
    'Dr Accounts Payable (Tiruppur Mills) 1,000.00',
    'Dr Output CGST (RCM) 90.00',
    'Dr Output SGST (RCM) 90.00',
    '   Cr Purchases 1,000.00',
    '   Cr Input CGST 90.00',
    '   Cr Input SGST 90.00',
  ].join('\n'))
})

test('in dollars posts rupees; of nothing it posts nothing', () => {
  expect(written(purchase('100.10', 'Exempt', { currency: 'USD' }), { exchangeRate: '83.1234' }))
    .toBe('Dr Accounts Payable (Tiruppur Mills) 8,320.65\n   Cr Purchases 8,320.65')
  expect(written(purchase('0'))).toBe('')
})

test('any note balances, debits first, and undoes the bill of the same figures to the paisa', () => {
  const rate = decimal(6, 300_000_000).filter((text) => Number(text) > 0)
  fc.assert(fc.property(anySale, rate, ({ rounding: _rounding, ...figures }, exchangeRate) => {
    const drawn = note(figures, { exchangeRate })
    const lines = debitNotePosting(drawn)
    expect(() => assertBalanced(lines)).not.toThrow()
    expect(mergeByAccount([...lines, ...billPosting(drawn)])).toEqual([])
    const sides = lines.map(({ debit }) => debit > 0n)
    expect(sides).toEqual(sides.toSorted().toReversed())
    const payable = lines.find(({ accountId }) => accountId === 'Accounts Payable')
    expect(payable ? debitBalance(payable) : 0n).toBe(toBase(drawn.total, drawn.currency, exchangeRate))
  }))
})
