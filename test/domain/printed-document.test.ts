// The samples that templates are designed with satisfy the contract of printed documents.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Compile } from 'typebox/compile'
import { kindsThatHave } from '../../domain/documents.ts'
import { PICTURE_NAMES, PrintedDocument, TEMPLATE_NAMES } from '../../domain/print/printed-document.ts'
import { ROOT } from '../fixtures/root.ts'
import { SAMPLES, sampleText } from './print/samples.ts'

const FOLDER = join(ROOT, 'templates', 'samples')
const NAMES = readdirSync(FOLDER).map((file) => file.replace(/\.json$/, ''))
const contract = Compile(PrintedDocument)
const read = (name: string) => readFileSync(join(FOLDER, `${name}.json`), 'utf8')
const sample = (name: string) => JSON.parse(read(name)) as unknown

test.each(NAMES)('%s is what would be printed, and satisfies the contract', (name) => {
  expect([...contract.Errors(sample(name))]).toEqual([])
  // Written anew by `npx node test/domain/print/samples.ts`.
  expect(read(name)).toBe(sampleText(name))
})

describe('the samples', () => {
  test('are of every kind, and every kind has a template', () => {
    const templates = kindsThatHave('isPrinted').map((kind) => kind.toLowerCase().replace('_', '-'))
    for (const template of templates) {
      expect(NAMES.filter((name) => name === template || name.startsWith(`${template}-`))).not.toEqual([])
    }
    expect([...new Set(TEMPLATE_NAMES.map((name) => name.replace(/^invoice-.*/, 'invoice')))].sort()).toEqual(templates.sort())
    expect(PICTURE_NAMES).toContain('logo')
  })

  test('are those that are written', () => expect(NAMES.sort()).toEqual(Object.keys(SAMPLES).sort()))

  test('a sample with a field too many, or a number, does not satisfy it', () => {
    const one = sample('bill') as object
    expect(contract.Check({ ...one, colour: 'red' })).toBe(false)
    expect(contract.Check({ ...one, total: 5 })).toBe(false)
  })
})
