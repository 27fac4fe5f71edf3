// The templates with every sample of their kind, before any engine makes a PDF of it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { PICTURE_NAMES, PrintedDocument, TEMPLATE_NAMES, type TemplateName } from '../../domain/print/printed-document.ts'
import { merge } from '../../gateways/pdf/merge.ts'
import { ROOT } from '../fixtures/root.ts'

const FOLDER = join(ROOT, 'templates')
const SAMPLES = readdirSync(join(FOLDER, 'samples')).map((file) => file.replace(/\.json$/, ''))
const sample = (name: string) => JSON.parse(readFileSync(join(FOLDER, 'samples', `${name}.json`), 'utf8')) as PrintedDocument
const template = (name: string) => readFileSync(join(FOLDER, `${name}.fodt`), 'utf8')
const kindOf = (name: TemplateName) => name.replace(/^invoice-.*/, 'invoice')
const samplesOf = (name: TemplateName) => SAMPLES.filter((one) => one === kindOf(name) || one.startsWith(`${kindOf(name)}-`))

const printed = (xml: string) => xml.slice(xml.indexOf('<office:master-styles>')).replace(/<[^>]*>/g, ' ')
  .replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&').replace(/\s+/g, ' ')
const flat = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Every text of a document, by the path that a template writes. */
function* texts(value: unknown, path = 'd'): Generator<[string, string]> {
  if (typeof value === 'string') yield [path, value]
  else if (Array.isArray(value)) for (const one of value) yield* texts(one, `${path}[i]`)
  else for (const [name, one] of Object.entries(value as object)) yield* texts(one, `${path}.${name}`)
}

/** The paths of a schema, as a template writes them. */
function* fields(schema: { properties?: object; items?: object }, path = 'd'): Generator<string> {
  if (schema.properties) for (const [name, one] of Object.entries(schema.properties)) yield* fields(one as object, `${path}.${name}`)
  else if (schema.items) yield* fields(schema.items, `${path}[i]`)
  else yield path
}
const FIELDS = new Set(fields(PrintedDocument))

describe.each(TEMPLATE_NAMES)('%s', (name) => {
  const own = template(name)
  const used = new Set([...own.matchAll(/\{(d\.[\w.[\]+]+)/g)].map(([, path = '']) => path.replace('[i+1]', '[i]').replace(/\[i]$/, '')))

  test('every marker is a field of the contract, a list, or a group', () => {
    const known = (path: string) => FIELDS.has(path) || [...FIELDS].some((field) => field.startsWith(`${path}[`))
    expect([...used].filter((path) => !known(path))).toEqual([])
    expect(own.match(/\{[^{}]*\}/g)?.filter((marker) => !marker.startsWith('{d.'))).toEqual([])
  })

  test.each(samplesOf(name))('prints %s', async (which) => {
    const data = sample(which)
    const xml = String(await merge(name, data, {}))
    const text = printed(xml)
    // What a sample says of a field that the template has is printed, and nothing else is left of a marker.
    const elsewhere = data.columns.tax ? /columns|sgst_label|file_title|language/ : /columns|sgst_label|tax_rate|file_title|language/
    const missing = [...texts(data)].filter(([path, value]) => used.has(path) && !elsewhere.test(path) && !text.includes(flat(value)))
    expect(missing).toEqual([])
    expect(text).not.toMatch(/undefined|\[object/)
    expect(xml).not.toMatch(/[\uFDD0-\uFDEF\uFFFF]/)
    expect(xml).not.toMatch(/<table:table-cell\b[^>]*><\/table:table-cell>/)
    const literal = data.notes.map((note) => note.text).join(' ')
    expect((text.match(/\{[dc]\.[^}]*\}/g) ?? []).filter((marker) => !literal.includes(marker))).toEqual([])
    expect(xml).toContain(`<dc:title>${data.file_title.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</dc:title>`)
    for (const picture of PICTURE_NAMES) expect(xml).not.toContain(`draw:name="${picture}"`)
  })

  test('its frames for pictures are those that there are pictures for, with a text for who cannot see them', () => {
    const frames = [...own.matchAll(/<draw:frame\b[^>]*draw:name="([^"]*)"[\s\S]*?<\/draw:frame>/g)]
    expect(frames.map(([, frame]) => frame).filter((frame) => !(PICTURE_NAMES as readonly string[]).includes(frame ?? ''))).toEqual([])
    expect(frames.filter(([frame]) => !/<svg:title>[^<]+<\/svg:title>/.test(frame))).toEqual([])
  })
})

test('every field of the contract is printed by a template', () => {
  const all = TEMPLATE_NAMES.map(template).join('')
  expect([...FIELDS].filter((field) => !all.includes(`{${field}}`) && !all.includes(`{${field}:`))).toEqual([])
})
