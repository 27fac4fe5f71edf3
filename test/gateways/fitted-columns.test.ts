// Columns that get the room that their figures need, at the cost of those that have more.
import { describe, expect, test } from '@jest/globals'
import { withFittedColumns } from '../../gateways/pdf/fitted-columns.ts'
import { tableLooks } from '../../gateways/pdf/table-looks.ts'

const column = (name: string, mm: number) =>
  `<style:style style:name="${name}" style:family="table-column"><style:table-column-properties style:column-width="${mm}mm" style:rel-column-width="${mm}*"/></style:style>`
const STYLES = [
  '<style:style style:name="Standard" style:family="paragraph"><style:text-properties fo:font-size="9pt"/></style:style>',
  '<style:style style:name="Number" style:family="paragraph" style:parent-style-name="Standard"><style:text-properties fo:font-size="7.2pt"/></style:style>',
  '<style:style style:name="Strong" style:family="paragraph" style:parent-style-name="Number"><style:text-properties fo:font-weight="bold"/></style:style>',
  '<style:style style:name="Cell" style:family="table-cell"><style:table-cell-properties fo:padding-left="1mm" fo:padding-right="1mm"/></style:style>',
  '<style:style style:name="T" style:family="table"><style:table-properties style:width="80mm"/></style:style>',
  column('T.A', 50), column('T.B', 15), column('T.C', 15),
].join('')
const cell = (text: string, style = 'Number') => `<table:table-cell table:style-name="Cell"><text:p text:style-name="${style}">${text}</text:p></table:table-cell>`
const table = (...rows: string[][]) =>
  `<table:table table:name="T" table:style-name="T">${['T.A', 'T.B', 'T.C'].map((name) => `<table:table-column table:style-name="${name}"/>`).join('')}` +
  `${rows.map((cells) => `<table:table-row>${cells.map((text) => cell(text)).join('')}</table:table-row>`).join('')}</table:table>`
const page = (...tables: string[]) => `<office:automatic-styles>${STYLES}</office:automatic-styles><office:text>${tables.join('<text:p/>')}</office:text>`
const fitted = (...tables: string[]) => withFittedColumns(page(...tables), tableLooks(page()))
/** The widths that a document has now, by the table. */
const widths = (xml: string) => [...xml.matchAll(/<table:table .*?<\/table:table>/g)].map(([text]) => {
  const looks = tableLooks(xml)
  return [...text.matchAll(/<table:table-column table:style-name="([^"]*)"/g)].map(([, name]) => looks.columns.get(name!)!)
})
const sum = (lengths: number[]) => lengths.reduce((all, one) => all + one, 0)

describe('figures in one piece', () => {
  test.each([
    ['figures that fit', table(['Silk', '12,345.00', '18%'])],
    ['words that break', table(['Silk', 'Averyverylongunbrokenname', 'of three words'])],
    ['a text that begins with a number', table(['Silk', '1234567890123 items of silk', '1'])],
    ['a table of joined cells', table(['Silk', '12,34,56,78,901.23', '1']).replace('<table:table-cell', '<table:table-cell table:number-columns-spanned="1"')],
  ])('nothing changes for %s', (_, text) => {
    expect(fitted(text)).toBe(page(text))
  })

  test('a column takes room from the one that has most, and the table stays as wide', () => {
    const [[name, rate, amount]] = widths(fitted(table(['Silk', '12,345.00', '12,34,56,78,901.23'], ['Yarn', '1', '1.00']))) as [[number, number, number]]
    expect(sum([name, rate, amount])).toBeCloseTo(80, 1)
    expect([rate > 14, amount > 25]).toEqual([true, true])
  })

  test('money with its sign, bold and larger letters need more', () => {
    const amountOf = (text: string, style: string) => widths(fitted(table(['Silk', '1', 'X']).replace(cell('X'), cell(text, style))))[0]![2]!
    expect(amountOf('₹ 1,60,55,06,30,983.00', 'Standard')).toBeGreaterThan(amountOf('1,60,55,06,30,983.00', 'Standard'))
    expect(amountOf('1,60,55,06,30,983.00', 'Standard')).toBeGreaterThan(amountOf('1,60,55,06,30,983.00', 'Strong'))
    expect(amountOf('1,60,55,06,30,983.00', 'Strong')).toBeGreaterThan(amountOf('1,60,55,06,30,983.00', 'Number'))
  })

  test('tables of the same columns stay in line', () => {
    const [lines, totals] = widths(fitted(table(['Silk', '1', '12,34,56,78,901.23']), table(['Total', '12,34,567.123456', ''])))
    expect(lines).toEqual(totals)
  })

  test('where no room is left the figures alone are set smaller', () => {
    const long = '99,99,99,99,999.999999'
    const xml = fitted(table([long, long, long], ['Silk', '1', '1']))
    const sizes = [...xml.matchAll(/<style:style style:name="Fitted1\.(\w+)"[^>]*parent-style-name="Number"><style:text-properties fo:font-size="([0-9.]+)pt"/g)]
    expect(sizes.map(([, name]) => name)).toEqual(['Number'])
    expect(Number(sizes[0]![2])).toBeLessThan(7.2)
    expect(Number(sizes[0]![2])).toBeGreaterThan(4)
    expect(xml).toContain(`<text:p text:style-name="Fitted1.Number">${long}</text:p>`)
  })
})
