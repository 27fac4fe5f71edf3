// The documents say nothing that the code does not do: their tables, settings, links, paths, and sizes.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { DOCUMENTS, filled } from '../../bin/docs.ts'
import { routesOf } from '../../api/routes.ts'
import { EVENT_TYPES } from '../../domain/events.ts'
import { FAULTS } from '../../domain/faults.ts'
import { readLocalRun, readSettings } from '../../settings.ts'
import { fencesOf, ROOT, textOf } from './examples.ts'

const ALL = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...readdirSync(join(ROOT, 'docs')).filter(isDocument).map((name) => `docs/${name}`)]
const scripts = Object.keys((JSON.parse(textOf('package.json')) as { scripts: object }).scripts)

function isDocument(name: string): boolean {
  return name.endsWith('.md')
}

const proseOf = (document: string) => textOf(document).replace(/^```[\s\S]*?^```$/gm, '')

describe('tables', () => {
  test.each(DOCUMENTS)('%s is as `npm run docs` writes it', (document) => {
    expect(textOf(document)).toBe(filled(textOf(document)))
  })

  test('the documents list every call, error code and event', () => {
    const said = DOCUMENTS.map(textOf).join('\n')
    const calls = routesOf({ publicUrl: '' }).map(({ method, path }) => `\`${method} ${path}\``)
    const missing = [...calls, ...Object.keys(FAULTS), ...EVENT_TYPES].filter((name) => !said.includes(name))
    expect(missing).toEqual([])
  })

  test('a document with a table of ours is among those that are written anew', () => {
    expect(ALL.filter((name) => textOf(name).includes('<!-- from the code: '))).toEqual([...DOCUMENTS])
  })
})

describe('settings', () => {
  const rows = [...textOf('README.md').matchAll(/^\| `([A-Z_]+)` \| (?:`([^`]*)`|none) \|/gm)].map(([, name, value]) => [name!, value ?? null] as const)
  const code = readFileSync(join(ROOT, 'settings.ts'), 'utf8')

  test('README lists every variable that is read', () => {
    const read = [...code.matchAll(/(?:env\.|number\('|list\('|flag\(')([A-Z][A-Z_]+)/g)].map(([, name]) => name!)
    // Those of the machine and of npm, which nobody sets for this service.
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
  const required = { DATABASE_URL: 'x', ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') }
  if (variable in required) {
    expect(() => readSettings({ ...required, [variable]: undefined })).toThrow(variable)
    return null
  }
  if (variable === 'DATA_DIR') return readLocalRun({ npm_lifecycle_event: 'start' }).dataDir.slice(process.cwd().length + 1)
  const name = variable.toLowerCase().replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())
  const value = (readSettings(required) as Record<string, unknown>)[name]
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
    const named = [...textOf(document).matchAll(/(?<![\w./{*-])((?:api|activities|bench|bin|commands|docs|domain|gateways|models|reports|test|workflows)\/[\w./-]*\w)/g)]
    const missing = [...new Set(named.map(([, path]) => path!))].filter((path) => !existsSync(join(ROOT, path)) && !isRoute(path))
    expect(missing).toEqual([])
  })

  test.each(ALL)('the npm scripts that %s names are there', (document) => {
    const named = [...textOf(document).matchAll(/npm run ([a-z-]+)/g)].map(([, name]) => name!)
    expect(named.filter((name) => !scripts.includes(name))).toEqual([])
  })

  test.each(ALL)('the calls that %s names are routes', (document) => {
    const routes = new Set(routesOf({ publicUrl: '' }).map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`))
    for (const path of ['/health/live', '/health/ready', '/metrics', '/docs']) routes.add(`GET ${path}`)
    const named = [...proseOf(document).matchAll(/`(GET|POST|PUT|DELETE) (\/[\w/{}.-]+)/g)].map(([, method, path]) => `${method} ${path!.replaceAll(/\{\w+\}/g, '{}')}`)
    expect(named.filter((call) => !routes.has(call))).toEqual([])
  })
})

// `activity/...` of a path such as /invoices/{invoice_id}/activity is no folder of ours.
function isRoute(path: string): boolean {
  return routesOf({ publicUrl: '' }).some((route) => route.path.endsWith(`/${path}`))
}

function anchorsOf(document: string): string[] {
  return [...proseOf(document).matchAll(/^#+ (.*)$/gm)].map(([, title]) => title!.toLowerCase().replaceAll(/[^\w\s-]/g, '').replaceAll(' ', '-'))
}

test('README stays below 200 lines', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThan(200)
})

test('webhooks.md names the events that commands announce', () => {
  const sources = readdirSync(join(ROOT, 'commands')).map((name) => readFileSync(join(ROOT, 'commands', name), 'utf8')).join('\n')
  const announced = EVENT_TYPES.filter((type) => new RegExp(`announce\\w*\\(books, '${type}'`).test(sources))
  const [, sentence] = /Announced today: ([^]*?)\. The others/.exec(textOf('docs/webhooks.md'))!
  expect(sentence!.match(/[A-Z]+_[A-Z_]+/g)).toEqual(announced)
})

test('every answer that is shown is JSON', () => {
  const broken = ALL.flatMap((document) => fencesOf(document).filter(({ info }) => info[0] === 'json').filter(({ text }) => !isJson(text)).map(({ line }) => `${document}:${line}`))
  expect(broken).toEqual([])
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
