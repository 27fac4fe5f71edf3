// The value of what bears tax and of what bears none, on paper.
import { describe, expect, test } from '@jest/globals'
import { printTrade } from '../../../domain/print/print-trade.ts'
import type { PrintedTrade } from '../../../domain/print/printed-source.ts'
import { AROUND, taxNamed, tradeOf, type LineOf } from './trades.ts'

const line = (tax: string | null, changes: LineOf = {}): LineOf => ({ tax: tax === null ? null : taxNamed(tax), ...changes })
const print = (trade: PrintedTrade) => printTrade(trade, AROUND, null)

describe('what bears no tax', () => {
  const mixed = [line('GST 18%'), line('Exempt'), line('Nil Rated', { hsn: '0401' }), line('Non-GST'), line(null)]

  test('is told apart from the taxable value, in the totals and in the summary', () => {
    const printed = print(tradeOf(mixed))
    const labels = ['Taxable value', 'Exempt value', 'Nil-rated value', 'Non-GST value', 'Value without tax']
    expect(printed.totals.slice(0, 5)).toEqual(labels.map((label) => ({ label, amount: '1,000.00' })))
    expect(printed.hsn_summary.map(({ rate, taxable, untaxed, tax }) => [rate, taxable, untaxed, tax])).toEqual([
      ['Nil rated', '', '1,000.00', ''], ['18%', '1,000.00', '', '180.00'], ['Exempt', '', '1,000.00', ''], ['Non-GST', '', '1,000.00', ''], ['', '', '1,000.00', ''],
    ])
    expect(printed.hsn_summary[0]!.hsn).toBe('0401')
    expect(printed).toMatchObject({ hsn_totals: { taxable: '1,000.00', untaxed: '4,000.00', tax: '180.00' }, columns: { untaxed: 'yes' }, value_label: 'Value of supply' })
    expect(printed.line_totals).toMatchObject({ taxable: '5,000.00', cgst: '90.00', total: '5,180.00' })
  })

  test('is not spoken of where everything is taxed, and the whole of a bill of supply', () => {
    expect(print(tradeOf([line('GST 18%')]))).toMatchObject({ columns: { untaxed: '' }, value_label: 'Taxable value', hsn_totals: { untaxed: '' } })
    const bill = print(tradeOf([line('Exempt')]))
    expect(bill).toMatchObject({ value_label: 'Value of supply', columns: { untaxed: '' }, hsn_summary: [], totals: [{ label: 'Value of supply', amount: '1,000.00' }] })
  })
})
