// The templates on paper: pages, repeated heads, watermarks, signatures. Few documents, converted in one go by LibreOffice.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { onPath } from '../../bin/services/process.ts'
import { type PrintedDocument, TEMPLATE_NAMES, type TemplateName } from '../../domain/print/printed-document.ts'
import { FONT_FILES } from '../../gateways/pdf/fonts.ts'
import { merge } from '../../gateways/pdf/merge.ts'
import { drawnCode } from '../../reports/print/codes.ts'
import { readLocalRun } from '../../settings.ts'
import { ROOT } from '../fixtures/root.ts'

const run = promisify(execFile)
const local = readLocalRun()
const TOOLS = ['soffice', 'pdftotext']
const missing = TOOLS.filter((tool) => onPath(tool, local.path) === null)
// In CI a missing tool is a failure, not a reason to pass.
const isChecked = missing.length === 0 || local.ci
if (!isChecked) console.warn(`The layout of PDFs is not tested: ${missing.join(', ')} is not installed.`)

const INVOICES = TEMPLATE_NAMES.filter((name) => name.startsWith('invoice-'))
const SAMPLES = readdirSync(join(ROOT, 'templates', 'samples')).map((file) => file.replace(/\.json$/, ''))
const sample = (name: string) => JSON.parse(readFileSync(join(ROOT, 'templates', 'samples', `${name}.json`), 'utf8')) as PrintedDocument
const withLines = (data: PrintedDocument, count: number): PrintedDocument => ({
  ...data, lines: Array.from({ length: count }, (_, place) => ({ ...data.lines[place % data.lines.length]!, no: String(place + 1), name: `Article ${place + 1}` })),
})
// Seen in one template of invoices; they are no longer than the rest.
const OTHERS = /^invoice-(10-lines|cancelled|draft|bill-of-supply|reverse-charge|specimen|every-script)$/
// Where the end of the lines comes near the end of a page, and beyond it.
const COUNTS = [10, 13, 21, 40]

const folder = mkdtempSync(join(tmpdir(), 'bahi-layout-'))
const documents = new Map<string, { template: TemplateName; data: PrintedDocument }>()
for (const template of TEMPLATE_NAMES) {
  const kind = template.replace(/^invoice-.*/, 'invoice')
  for (const name of SAMPLES.filter((one) => one.startsWith(kind) && (template === 'invoice-classic' || !OTHERS.test(one)))) documents.set(`${template}.${name}`, { template, data: sample(name) })
}
// Names of three lines, so that rows meet the ends of pages in every way, and every column that there is.
const HIGH_ROW = 'with a name so long that it goes on over the lines of its cell until ROWEND'
const TEN = sample('invoice-10-lines')
const summary = Array.from({ length: 70 }, (_, place) => TEN.hsn_summary[place % 10]!)
const CRORES = sample('invoice-crores')
for (const kind of ['bill', 'credit-note', 'debit-note', 'estimate', 'purchase-order'] as const) documents.set(`${kind}.crores`, { template: kind, data: CRORES })
documents.set('bill.long-summary', { template: 'bill', data: { ...withLines(TEN, 40), hsn_summary: summary } })
for (const template of INVOICES) {
  const data = withLines(sample('invoice-every-tax'), 60)
  documents.set(`${template}.high-rows`, { template, data: { ...data, lines: data.lines.map((line) => ({ ...line, name: `${line.name} ${HIGH_ROW} ${line.no}` })) } })
  for (const count of COUNTS) documents.set(`${template}.${count}`, { template, data: withLines(sample('invoice-10-lines'), count) })
}

// The fonts of the service alone, so that lines break as they do in production.
const fontFolders = [...new Set(FONT_FILES.map((file) => dirname(file)))].map((home) => `<dir>${home}</dir>`)

// As they take room; a code of an e-invoice is as dense as a real one.
const picturesOf = ({ irn, upi_id, watermark }: PrintedDocument) => ({
  ...(watermark ? {} : { logo: drawnCode('upi-qr', 'A logo') }),
  ...(irn ? { 'signed-qr': drawnCode('signed-qr', irn.repeat(15)) } : {}),
  ...(upi_id ? { 'upi-qr': drawnCode('upi-qr', `upi://pay?pa=${upi_id}`) } : {}),
})

const textOf = async (name: string, order: '-layout' | '-raw') =>
  (await run('pdftotext', [order, join(folder, `${name}.pdf`), '-'], { maxBuffer: 2 ** 24 })).stdout
const pagesOf = new Map<string, string[]>()
beforeAll(async () => {
  if (!isChecked) return
  writeFileSync(join(folder, 'fonts.conf'), `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${fontFolders.join('')}<cachedir>${folder}/cache</cachedir></fontconfig>`)
  for (const [name, { template, data }] of documents) writeFileSync(join(folder, `${name}.fodt`), await merge(template, data, picturesOf(data)))
  await run('soffice', [
    `-env:UserInstallation=${pathToFileURL(join(folder, 'profile'))}`, '--headless', '--convert-to', 'pdf', '--outdir', folder, ...[...documents.keys()].map((name) => join(folder, `${name}.fodt`)),
  ], { env: { ...process.env, HOME: folder, FONTCONFIG_FILE: join(folder, 'fonts.conf') }, maxBuffer: 2 ** 24 })
  await Promise.all([...documents.keys()].map(async (name) => pagesOf.set(name, (await textOf(name, '-layout')).split('\f').slice(0, -1))))
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const pages = (name: string) => {
  const found = pagesOf.get(name)
  if (!found?.length) throw new Error(`${name} has no pages`)
  return found
}
const plain = (text: string) => text.replace(/\s+/g, '')

;(isChecked ? describe : describe.skip)('on paper', () => {
  test.each([...documents.keys()])('%s has its number, date, party and total, and counts its pages', (name) => {
    const { data } = documents.get(name)!
    const all = pages(name)
    const text = plain(all.join(' '))
    for (const value of [data.title, data.number, data.date, data.total, data.signatory_role]) expect(text).toContain(plain(value))
    for (const [place, page] of all.entries()) expect(page).toContain(`Page ${place + 1} of ${all.length}`)
  })

  // Letters that stand aslant are lines of their own, and in one piece only in the order of the file.
  test.each([...documents].filter(([, { data }]) => data.watermark))('%s has its watermark on every page', async (name, { data }) => {
    const raw = await textOf(name, '-raw')
    expect(raw.replaceAll('\n', '').split(data.watermark)).toHaveLength(pages(name).length + 1)
  })

  test.each(SAMPLES.filter((name) => /^invoice-(1-line|e-invoice|draft|bill-of-supply|reverse-charge|foreign-currency|every-tax|irn-awaited|irn-cancelled)$/.test(name)))('%s is one page', (name) => {
    const printed = INVOICES.filter((template) => documents.has(`${template}.${name}`))
    expect(printed.filter((template) => pages(`${template}.${name}`).length !== 1)).toEqual([])
  })

  test.each(INVOICES)('%s of 40 lines has every line once and in order, and the heads of its columns on each page that has lines', (template) => {
    const all = pages(`${template}.40`)
    expect(all.length).toBeGreaterThan(1)
    expect([...all.join('\n').matchAll(/Article (\d+)\b/g)].map(([, no]) => Number(no))).toEqual(Array.from({ length: 40 }, (_, place) => place + 1))
    for (const page of all.filter((one) => one.includes('Article'))) expect(page).toMatch(/HSN\/SAC.*Rate.*Amount/)
  })

  test.each([...documents.keys()].filter((name) => !name.startsWith('payment.')))('words, bank details and signature of %s are on the page of its total', async (name) => {
    const { data } = documents.get(name)!
    // Cells beside each other are one after the other.
    const all = (await textOf(name, '-raw')).split('\f')
    const holds = (text: string) => all.map((page) => plain(page).includes(plain(text)))
    const signed = holds(data.signatory_role)
    expect(signed.filter(Boolean)).toHaveLength(1)
    const [bank] = name.startsWith('invoice-') ? data.bank : []
    for (const text of [data.total, data.amount_in_words, ...(bank ? [bank.value] : [])]) {
      const page = signed.indexOf(true)
      expect([text, holds(text)[page]]).toEqual([text, true])
    }
  })

  test.each(INVOICES)('numbers of lines of %s are in one piece', async (template) => {
    const numbers = (await textOf(`${template}.high-rows`, '-raw')).split('\n').map((line) => /^(\d+)(?: Article|$)/.exec(line)?.[1])
    expect(Array.from({ length: 60 }, (_, place) => String(place + 1)).filter((no) => !numbers.includes(no))).toEqual([])
  })

  test.each([...documents.keys()].filter((name) => /crores$/.test(name)))('figures of %s, of crores and of six decimals, are in one piece', async (name) => {
    const { data } = documents.get(name)!
    const summary = name.startsWith('invoice-') || /^(bill|credit-note|debit-note)/.test(name) ? [...data.hsn_summary, data.hsn_totals] : []
    const ofLines = data.lines.flatMap(({ quantity, rate, discount, taxable }) => [quantity, rate, discount, taxable])
    const ofSummary = summary.flatMap(({ taxable, cgst, cess, tax }) => [taxable, cgst, cess, tax])
    const amounts = [...data.totals.map(({ amount }) => amount), data.total, ...ofLines, ...ofSummary]
    // A figure that is cut or overlaps its neighbour is no word of its own either.
    const words = new Set((await textOf(name, '-raw')).replaceAll('₹ ', '₹').split(/\s+/))
    expect(amounts.filter((amount) => amount !== '' && !words.has(amount.replace('₹ ', '₹')))).toEqual([])
  })

  test.each(INVOICES)('a row of the lines of %s is never on two pages', (template) => {
    const rows = pages(`${template}.high-rows`).map((page) => [...plain(page).matchAll(/Article(\d+)with/g)].length)
    const ends = pages(`${template}.high-rows`).map((page) => [...plain(page).matchAll(/ROWEND/g)].length)
    expect(rows.reduce((all, count) => all + count)).toBe(60)
    expect(ends).toEqual(rows)
  })

  test.each(['boxed', 'tally'].flatMap((look) => ['1-line', 'e-invoice', 'irn-awaited'].map((name) => `invoice-${look}.invoice-${name}`)))('%s has its title in the middle of the page', async (name) => {
    const words = (await run('pdftotext', ['-bbox', '-l', '1', join(folder, `${name}.pdf`), '-'])).stdout
    const [, left] = /xMin="([\d.]+)"[^>]*>TAX</.exec(words)!
    const [, right] = /xMax="([\d.]+)"[^>]*>INVOICE</.exec(words)!
    // In points, of a page 595 wide.
    expect(Math.abs((Number(left) + Number(right)) / 2 - 297.6)).toBeLessThan(3)
  })

  test.each(INVOICES)('amounts of %s end in one column', (template) => {
    const amounts = pages(`${template}.40`)[0]!.split('\n').filter((line) => /Article \d+ /.test(line))
    const ends = amounts.map((line) => line.trimEnd().length)
    expect(amounts.length).toBeGreaterThan(10)
    expect(Math.max(...ends) - Math.min(...ends)).toBeLessThanOrEqual(1)
  })

  test('names in Indian scripts, and names without spaces, are all there', () => {
    for (const template of INVOICES) {
      const text = plain(pages(`${template}.invoice-long-names`).join(' '))
      for (const part of ['ஸ்ரீ', 'मुख्य', 'Averyvery', 'INV/2026-27/ECOM/KA/']) expect(text).toContain(part)
    }
  })
})
