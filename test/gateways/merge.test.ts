// Data and pictures in templates: text of users prints as it was written, pictures fit into their frames.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import QRCode from 'qrcode'
import { answerWithin, fillMarkers } from '../../gateways/pdf/carbone.ts'
import { mergeTemplate } from '../../gateways/pdf/merge.ts'
import { parseTemplate } from '../../gateways/pdf/template-file.ts'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const template = (body: string, styles = '') => parseTemplate(`<?xml version="1.0" encoding="UTF-8"?>
<office:document office:mimetype="application/vnd.oasis.opendocument.text"><office:meta><dc:title>{d.title}</dc:title></office:meta>
<office:automatic-styles>${styles}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document>`)

const merged = async (body: string, data: object, pictures: Record<string, Buffer> = {}) =>
  String(await mergeTemplate(template(body), data, pictures))
const paragraphs = (xml: string) => [...xml.matchAll(/<text:p[^>]*>(.*?)<\/text:p>/g)].map(([, text]) => text)
const frame = (name: string) =>
  `<draw:frame draw:name="${name}" text:anchor-type="as-char" svg:width="4cm" svg:height="2cm">` +
  `<draw:image draw:mime-type="image/png"><office:binary-data>${PIXEL}</office:binary-data></draw:image></draw:frame>`

const cells = (...all: string[]) =>
  all.map((text) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`).join('')
const table = (...rows: string[]) =>
  '<table:table table:name="T"><table:table-column table:style-name="A"/>' +
  '<table:table-column table:style-name="B" table:number-columns-repeated="2"/>' +
  `${rows.map((row) => `<table:table-row>${row}</table:table-row>`).join('')}</table:table>`

describe('text of users prints as it was written', () => {
  test.each([
    ['a marker', '{d.secret}', '{d.secret}'],
    ['a marker of a list', '{d.list[i].name}', '{d.list[i].name}'],
    ['other braces', '{o.} {c.now} {t(Total)} {#x} {$x} {', '{o.} {c.now} {t(Total)} {#x} {$x} {'],
    ['signs of XML', `<b>R&D</b> "it's"`, '&lt;b&gt;R&amp;D&lt;/b&gt; &quot;it\'s&quot;'],
    ['an entity', '&amp; &#0; ]]>', '&amp;amp; &amp;#0; ]]&gt;'],
    ['lines', 'one\ntwo\r\nthree\rfour', 'one<text:line-break/>two<text:line-break/>three<text:line-break/>four'],
    ['a tab', 'a\tb', 'a<text:tab/>b'],
    ['spaces', ' a   b ', '<text:s/>a<text:s/><text:s/> b<text:s/>'],
    ['emoji', 'शुभ 🙏🏽 👩‍💻', 'शुभ 🙏🏽 👩‍💻'],
    ['right to left', 'فاتورة 12', 'فاتورة 12'],
    ['an override of the direction', 'a\u202Egnp.exe', 'agnp.exe'],
    ['what XML forbids', 'a\u0000b\u0001c\u000Bd\u001Fe\uFFFEf\uFFFFg', 'abc<text:line-break/>defg'],
    ['half a surrogate', 'a\uD83Db', 'a\uFFFDb'],
    ['signs that the merge uses', '\uFDD00\uFDD50\uFDD6', '00'],
    ['patterns of replacements', '$& $1 $$ \\1', '$&amp; $1 $$ \\1'],
    ["the engine's own count", '__COUNT_1_7__', '__COUNT_1_7__'],
  ])('%s', async (_what, text, printed) => {
    const xml = await merged('<text:p>{d.list[i].name}</text:p><text:p>{d.list[i+1].name}</text:p>', { title: text, list: [{ name: text }, { name: 'b' }], secret: 'SECRET' })
    expect(paragraphs(xml)).toEqual([printed, 'b'])
    expect(xml).not.toContain('SECRET')
  })

  test('with 10,000 line breaks in a document; more become spaces, because they would fill thousands of pages', async () => {
    const list = Array.from({ length: 30 }, () => ({ name: 'a\n'.repeat(500) }))
    const xml = await merged('<text:p>{d.list[i].name}</text:p><text:p>{d.list[i+1].name}</text:p>', { title: 't', list })
    expect(xml.split('<text:line-break/>')).toHaveLength(10_001)
    expect(paragraphs(xml)).toHaveLength(30)
  })

  test('in an attribute and in the title, where no elements can be', async () => {
    const xml = await merged('<text:p><text:a xlink:href="{d.link}">x</text:a></text:p>', { title: 'a\nb "c"', link: 'https://x.test/"><text:p/>\n' })
    expect(xml).toContain('<dc:title>a b &quot;c&quot;</dc:title>')
    expect(xml).toContain('xlink:href="https://x.test/&quot;&gt;&lt;text:p/&gt; "')
  })
})

describe('blocks and rows', () => {
  const BLOCK =
    '<text:p text:style-name="Marker">{d.bank:showBegin}</text:p><text:p>{d.bank}</text:p>' +
    '<text:p text:style-name="P7"><text:span>{d.bank</text:span>:showEnd}</text:p><text:p>end</text:p>'
  const STYLES = '<style:style style:name="P7" style:family="paragraph" style:parent-style-name="Marker"/>'

  test('a block between markers is left out where its text is empty, and markers leave no paragraphs', async () => {
    const print = async (bank: string) => paragraphs(String(await mergeTemplate(template(BLOCK, STYLES), { bank }, {})))
    expect(await print('')).toEqual(['end'])
    expect(await print('ABC')).toEqual(['ABC', 'end'])
  })

  test('an empty list has no rows', async () => {
    const body = table(cells('{d.lines[i].a}'), cells('{d.lines[i+1].a}'))
    expect(await merged(body, { lines: [] })).not.toContain('table-row')
    expect(paragraphs(await merged(body, { lines: [{ a: '1' }, { a: '2' }, { a: '3' }] }))).toEqual(['1', '2', '3'])
  })
})

describe('what a condition surrounds is left out as a whole', () => {
  const count = (xml: string, element: string) => xml.split(`<${element}`).length - 1

  test('a paragraph, with texts of others in it', async () => {
    const body = '<text:p>a</text:p><text:p>{d.pan:showBegin}PAN {d.pan}{d.pan:showEnd}</text:p><text:p>{d.x:showBegin}x{d.x:showEnd}{d.y:showBegin}y{d.y:showEnd}</text:p>'
    expect(paragraphs(await merged(body, { pan: '', x: '', y: 'yes' }))).toEqual(['a', 'y'])
    expect(paragraphs(await merged(body, { pan: 'P', x: 'yes', y: '' }))).toEqual(['a', 'PAN P', 'x'])
  })

  test('a column with its definition and its cells, in rows of a list too', async () => {
    const body = table(cells('Item', '{d.hsn:showBegin}HSN{d.hsn:showEnd}', 'Amount'), cells('{d.lines[i].name}', '{d.lines[i].hsn}', '{d.lines[i].amount}'), cells('{d.lines[i+1].name}'))
    const lines = [{ name: 'a', hsn: '1', amount: '5' }, { name: 'b', hsn: '2', amount: '6' }]
    const shown = await merged(body, { hsn: 'yes', lines })
    expect(paragraphs(shown)).toEqual(['Item', 'HSN', 'Amount', 'a', '1', '5', 'b', '2', '6'])
    expect(count(shown, 'table:table-column ')).toBe(3)
    const hidden = await merged(body, { hsn: '', lines })
    expect(paragraphs(hidden)).toEqual(['Item', 'Amount', 'a', '5', 'b', '6'])
    expect(count(hidden, 'table:table-column ')).toBe(2)
  })

  test('a column of a table with one row, beside a cell that has a list in it', async () => {
    const body = table(cells('{d.bank[i].label}</text:p><text:p>{d.bank[i+1].label}', '{d.upi:showBegin}UPI</text:p><text:p>{d.upi}{d.upi:showEnd}', 'Signed'))
    const bank = [{ label: 'Name' }, { label: 'IFSC' }]
    expect(paragraphs(await merged(body, { bank, upi: '' }))).toEqual(['Name', 'IFSC', 'Signed'])
    expect(count(await merged(body, { bank, upi: '' }), 'table:table-cell>')).toBe(2)
    expect(count(await merged(body, { bank, upi: 'a@b' }), 'table:table-cell>')).toBe(3)
  })

  test('a cell that has nothing left has a paragraph, because LibreOffice drops the cells after an empty one', async () => {
    const list = '{d.lines[i].name}</text:p><text:p>{d.lines[i+1].name}'
    expect(await merged(table(cells(list, 'Amount')), { lines: [] })).toContain('<table:table-cell><text:p/></table:table-cell>')
  })

  test('joined cells are refused but in the row that ends a list, which LibreOffice writes with them', () => {
    const joined = (text: string) => `<table:table-cell table:number-columns-spanned="3"><text:p>${text}</text:p></table:table-cell>`
    const head = cells('Item', '{d.hsn:showBegin}HSN{d.hsn:showEnd}', 'Amount')
    expect(() => template(table(head, cells('{d.lines[i].name}', '', ''), joined('{d.lines[i+1].name}')))).not.toThrow()
    expect(() => template(table(head, joined('{d.total}')))).toThrow('joined cells')
  })

  test('a row', async () => {
    const body = table(cells('Total', '', '{d.total}'), cells('{d.due:showBegin}Due', '', '{d.due}{d.due:showEnd}'))
    expect(count(await merged(body, { total: '5', due: '' }), 'table:table-row')).toBe(1)
    expect(paragraphs(await merged(body, { total: '5', due: '4' }))).toEqual(['Total', '', '5', 'Due', '', '4'])
  })
})

describe('pictures', () => {
  test('one replaces that of its frame and keeps its own proportions', async () => {
    const wide = await QRCode.toBuffer('x', { width: 120 })
    const xml = await merged(`<text:p>{d.title}${frame('logo')}</text:p>`, { title: 't' }, { logo: wide })
    expect(xml).toContain('svg:width="2.000cm" svg:height="2.000cm"')
    expect(xml).toContain(`<office:binary-data>${wide.toString('base64')}</office:binary-data>`)
    expect(xml).not.toContain(PIXEL)
  })

  test('a frame without a picture is removed, and a picture of the designer stays', async () => {
    const xml = await merged(`<text:p>{d.title}${frame('upi-qr')}${frame('Seal')}</text:p>`, { title: 't' })
    expect(xml).not.toContain('upi-qr')
    expect(xml).toContain(PIXEL)
  })

  test.each(['<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>', 'nothing known', ''])('%j is refused', async (content) => {
    await expect(merged(`<text:p>{d.title}${frame('logo')}</text:p>`, { title: 't' }, { logo: Buffer.from(content) })).rejects.toThrow()
  })
})

describe('the engine in the process of the worker', () => {
  test('it listens for no signal, and makes no folder for temporary files', () => {
    // In a process of its own, because a folder of others may be there already.
    const folder = mkdtempSync(join(tmpdir(), 'merge-'))
    try {
      const code = `import { answerWithin, fillMarkers } from './gateways/pdf/carbone.ts'
        console.log(await fillMarkers('<a>{d.x}</a>', { x: 1 }, 1000), ['SIGINT', 'SIGHUP', 'SIGQUIT', 'exit'].map((name) => process.listenerCount(name)).join())`
      const run = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', code], { env: { TMPDIR: folder }, encoding: 'utf8' })
      expect({ out: run.stdout, left: readdirSync(folder) }).toEqual({ out: '<a>1</a> 0,0,0,0\n', left: [] })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('a merge that fails, and one that is never answered, end', async () => {
    await expect(fillMarkers('<a>{d.x:unknownFormatter}</a>', { x: 1 }, 1000)).rejects.toThrow('unknownFormatter')
    await expect(answerWithin(1, () => undefined)).rejects.toThrow('did not answer within 1 ms')
  })
})

test.each([
  ['text', 'hello'],
  ['a cut file', '<office:document office:mimetype="application/vnd.oasis.opendocument.text"><office:body>'],
  ['a spreadsheet', '<office:document office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body></office:body></office:document>'],
])('%s is no template', (_what, text) => {
  expect(() => parseTemplate(text)).toThrow()
})
