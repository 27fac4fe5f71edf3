// The documents say nothing that the code does not do: their tables, settings, links, paths, and sizes.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { DOCUMENTS, filled } from '../../bin/docs.ts'
import { INTERNAL_ROUTES, routesOf } from '../../api/routes.ts'
import { EVENT_TYPES } from '../../domain/events.ts'
import { FAULTS } from '../../domain/faults.ts'
import { readCodecSettings } from '../../bin/services/codec-settings.ts'
import { readLocalRun, readSettings } from '../../settings.ts'
import { fencesOf, ROOT, textOf } from './examples.ts'

const IN_DOCS = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)
const ALL = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...IN_DOCS]
const scripts = Object.keys((JSON.parse(textOf('package.json')) as { scripts: object }).scripts)
const routes = routesOf({ publicUrl: '' })
const callOf = (method: string, path: string) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`

const proseOf = (document: string) => textOf(document).replace(/^```[\s\S]*?^```$/gm, '')

describe('tables', () => {
  test.each(DOCUMENTS)('%s is as `npm run docs` writes it', (document) => {
    expect(textOf(document)).toBe(filled(textOf(document)))
  })

  test('the documents list every call, error code and event', () => {
    const said = DOCUMENTS.map(textOf).join('\n')
    const calls = routes.map(({ method, path }) => `\`${method} ${path}\``)
    const missing = [...calls, ...Object.keys(FAULTS), ...EVENT_TYPES].filter((name) => !said.includes(name))
    expect(missing).toEqual([])
  })

  test('a document with a table of ours is among those that are generated', () => {
    expect(ALL.filter((name) => textOf(name).includes('<!-- from the code: '))).toEqual([...DOCUMENTS])
  })
})

test('every list of pages takes modified_since, as api.md says', () => {
  const lists = routes.filter(({ query }) => query && 'cursor' in query.properties)
  const without = lists.filter(({ query }) => !('modified_since' in query!.properties)).map(({ path }) => path)
  expect(without).toEqual(['/bulk/{bulk_id}', '/webhooks/events'])
  expect(textOf('docs/api.md')).toContain('The [change feed](webhooks.md#the-change-feed) and the [results of a bulk](bulk.md#reading-a-bulk) take neither `sort` nor `modified_since`.')
  expect(textOf('docs/api.md')).toContain('`sort` (`created_time` or `-created_time`) and `modified_since`')
})

describe('settings', () => {
  const told = [...textOf('docs/running.md').matchAll(/^\| `([A-Z_]+)` \| (?:`([^`]*)`|none) \|/gm)]
  const rows = told.map(([, name, value]) => [name!, value ?? null] as const)
  const code = ['settings.ts', 'settings-temporal.ts', 'bin/services/codec-settings.ts'].map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n')

  test('running.md lists every variable that is read', () => {
    const read = [...code.matchAll(/(?:env\.|number\('|list\('|flag\(')([A-Z][A-Z_]+)/g)].map(([, name]) => name!)
    // Those of the system and of npm, which are not settings of this service.
    const others = new Set(['PATH', 'CI', 'XDG_CACHE_HOME'])
    expect(new Set(rows.map(([name]) => name))).toEqual(new Set(read.filter((name) => !others.has(name))))
  })

  test.each(rows)('%s is %s by default', (name, said) => {
    expect(defaultOf(name)).toBe(said)
  })

  test('operating.md gives the same defaults', () => {
    const told = [...textOf('docs/operating.md').matchAll(/^\| `([A-Z_]+)` \| (?:`([^`]*)`|empty) \|/gm)]
    expect(told.length).toBeGreaterThan(3)
    for (const [, name, value] of told) expect([name, defaultOf(name!)]).toEqual([name, value ?? null])
  })
})

function defaultOf(variable: string): string | null {
  const required = { DATABASE_URL: 'postgres://x', ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') }
  if (variable in required) {
    expect(() => readSettings({ ...required, [variable]: undefined })).toThrow(variable)
    return null
  }
  if (variable === 'DATA_DIR') return readLocalRun({ npm_lifecycle_event: 'start' }).dataDir.slice(process.cwd().length + 1)
  const name = variable.toLowerCase().replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())
  if (variable.startsWith('SERVICE_')) return (readLocalRun({}) as unknown as Record<string, string | null>)[name]!
  const value = ({ ...readSettings(required), ...readCodecSettings(required) } as Record<string, unknown>)[name]
  expect(value).toBeDefined()
  const text = value === null ? '' : String(value)
  return text === '' ? null : text
}

describe('what the documents refer to', () => {
  test.each(ALL)('the links of %s lead somewhere', (document) => {
    const links = [...proseOf(document).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]
    const broken = links.filter(([, path, anchor]) => {
      const target = path === '' ? document : join(dirname(document), path!)
      return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor))
    })
    expect(broken.map(([link]) => link)).toEqual([])
  })

  test.each(ALL)('the files that %s names are there', (document) => {
    const named = new Set([...textOf(document).matchAll(PATH)].map(([path]) => path))
    const missing = [...named].filter((path) => !existsSync(join(ROOT, path)))
    expect(missing).toEqual([])
  })

  test.each(ALL)('the npm scripts that %s names are there', (document) => {
    const named = [...textOf(document).matchAll(/npm run (?:--silent )?([a-z-]+)/g)].map(([, name]) => name!)
    expect(named.filter((name) => !scripts.includes(name))).toEqual([])
  })

  test.each(ALL)('the calls that %s names are routes', (document) => {
    const atOrigin = ['/health/live', '/health/ready', '/metrics'].map((path) => callOf('GET', path))
    const internal = INTERNAL_ROUTES.map(({ method, path }) => callOf(method, `/internal/v1${path}`))
    const known = new Set([...routes.map(({ method, path }) => callOf(method, path)), ...internal, ...atOrigin])
    const named = [...proseOf(document).matchAll(/`(GET|POST|PUT|DELETE) (\/[\w/{}.-]+)/g)]
    expect(named.map(([, method, path]) => callOf(method!, path!)).filter((call) => !known.has(call))).toEqual([])
  })
})

// A path within a longer one, or within a word, is none of ours.
const ROOMS = 'api|activities|bench|bin|commands|docs|domain|gateways|models|reports|test|workflows'
const PATH = new RegExp(`(?<![\\w./{*-])(?:${ROOMS})/[\\w./-]*\\w`, 'g')

function anchorsOf(document: string): string[] {
  const titles = [...proseOf(document).matchAll(/^#+ (.*)$/gm)].map(([, title]) => title!.toLowerCase())
  return titles.map((title) => title.replaceAll(/[^\w\s-]/g, '').replaceAll(' ', '-'))
}

test('README stays below 200 lines', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThan(200)
})

test('webhooks.md names the events that commands announce', () => {
  const files = readdirSync(join(ROOT, 'commands'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const sources = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('\n')
  const announced = EVENT_TYPES.filter((type) => new RegExp(`(announce\\w*\\(books, [^\\n]*|type: )'${type}'`).test(sources))
  const [, sentence] = /Announced today: ([\s\S]*?)\. The others/.exec(textOf('docs/webhooks.md'))!
  expect(sentence!.match(/[A-Z]+_[A-Z_]+|\b(?:invoice|comment)\.[a-z]+/g)).toEqual(announced)
})

test('every answer that is shown is JSON', () => {
  const shown = ALL.flatMap((document) => fencesOf(document).map((fence) => ({ document, ...fence })))
  const broken = shown.filter(({ info, text }) => info[0] === 'json' && !isJson(text))
  expect(broken.map(({ document, line }) => `${document}:${line}`)).toEqual([])
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test("an operator's command with an option that is none of its own says how it is used, and nothing more", async () => {
  const commands = ['einvoice', 'password', 'preferences', 'print-sample']
  await Promise.all(commands.map((name) => (
    expect(promisify(execFile)(process.execPath, [`bin/${name}.ts`, '--nonsense'], { cwd: ROOT })).rejects.toMatchObject({
      code: 2, stdout: '', stderr: expect.stringMatching(new RegExp(`^Usage: npm run ${name} -- (?!.*\\bat )`, 's')),
    })
  )))
})
