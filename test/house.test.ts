// The rules of the house that the linter does not know: who may import whom, how large things are, how they are called.
import { describe, expect, test } from '@jest/globals'
import { filesOf, functionsOf, GENERATED, read, roomOf, ROOMS, SOURCES, type Import, type Source } from './house/sources.ts'

const OUTSIDE_TESTS = SOURCES.filter(({ path }) => !path.startsWith('test/'))
const inRoom = (...rooms: string[]) => SOURCES.filter(({ path }) => rooms.some((room) => roomOf(path) === room || roomOf(path).startsWith(`${room}/`)))
const target = ({ target: path }: Import) => roomOf(path)

// CONTRIBUTING.md has this table in words. `types` are rooms of which only types may be imported.
const MAY_IMPORT: Record<string, { rooms: string[]; types?: string[] }> = {
  domain: { rooms: ['domain'] },
  models: { rooms: ['models', 'domain'] },
  reports: { rooms: ['reports', 'models', 'domain'] },
  audit: { rooms: ['audit', 'models', 'domain'] },
  gateways: { rooms: ['gateways', 'domain'] },
  commands: { rooms: ['commands', 'models', 'domain'], types: ['gateways'] },
  activities: { rooms: ['activities', 'commands', 'models', 'reports', 'gateways', 'domain'] },
  worker: { rooms: ['worker', 'activities', 'commands', 'models', 'gateways', 'domain', 'settings.ts'] },
  workflows: { rooms: ['workflows', 'domain'], types: ['activities'] },
  'api/shapes': { rooms: ['api/shapes', 'models', 'domain'], types: ['commands'] },
  'api/http': { rooms: ['api/http', 'api/shapes', 'commands', 'models', 'domain'], types: ['gateways'] },
  'api/resources': { rooms: ['api/http', 'api/shapes', 'api/resources', 'commands', 'models', 'reports', 'domain'], types: ['gateways'] },
  'api/pages': { rooms: ['api/pages', 'domain'] },
  'api/oauth': { rooms: ['api/oauth', 'api/http', 'api/pages', 'commands', 'models', 'domain'] },
  api: { rooms: ['api', 'api/http', 'api/oauth', 'api/pages', 'api/resources', 'commands', 'models', 'reports', 'gateways', 'domain', 'settings.ts'] },
  // It knows the service by its calls alone, as any other client does.
  'console/src': { rooms: ['console/src'] },
}

describe('every room imports only what it may', () => {
  test.each(Object.entries(MAY_IMPORT))('%s', (room, { rooms, types = [] }) => {
    const files = SOURCES.filter(({ path }) => roomOf(path) === room)
    expect(files.length).toBeGreaterThan(0)
    const strays = files.flatMap(({ path, imports }) => imports
      .filter((one) => one.ours && !rooms.includes(target(one)) && !(one.typeOnly && types.includes(target(one))))
      .map((one) => `${path} imports ${one.target}`))
    expect(strays).toEqual([])
  })

  test('every file is in a room of the table, or is no part of the house proper', () => {
    const rooms = new Set(SOURCES.map(({ path }) => roomOf(path)).filter((room) => /^[a-z]/.test(room)))
    for (const outside of ['bin', 'bench', 'test', 'docs', 'client', 'console', 'settings.ts', 'settings-temporal.ts', 'jest.config.js']) rooms.delete(outside)
    expect([...rooms].sort()).toEqual(Object.keys(MAY_IMPORT).sort())
  })

  test('what is imported exists', () => {
    const known = new Set([...SOURCES.map(({ path }) => path), ...GENERATED, ...filesOf('.json', '.d.ts', '.css')])
    const broken = SOURCES.flatMap(({ path, imports }) => imports.filter((one) => one.ours && !known.has(one.target)).map((one) => `${path}: ${one.target}`))
    expect(broken).toEqual([])
  })
})

// Types count too: a room that writes another's types knows it.
describe('packages stay where they are imported', () => {
  const HOMES: [RegExp, string[]][] = [
    [/^restify$/, ['api/mount.ts', 'api/server.ts']],
    [/^@node-oauth\/oauth2-server$/, ['commands/oauth']],
    [/^(sequelize|pg|umzug)$/, ['models']],
    [/^@temporalio\/client/, ['gateways/temporal']],
    [/^@temporalio\/worker/, ['worker']],
    [/^@temporalio\/activity/, ['activities']],
    [/^@temporalio\/(workflow|common)/, ['workflows', 'gateways/temporal']],
    [/^(ioredis|rate-limiter-flexible)$/, ['api/http/rate-limit.ts']],
    [/^node:(https?|http2|dns|net|tls)$/, ['gateways', 'api', 'worker/worker.ts']],
  ]
  test.each(HOMES)('%s', (name, homes) => {
    const strays = SOURCES.filter(({ path }) => ROOMS.some((room) => path.startsWith(`${room}/`)) && !homes.some((home) => path.startsWith(home)))
      .flatMap(({ path, imports }) => imports.filter((one) => name.test(one.target)).map((one) => `${path} imports ${one.target}`))
    expect(strays).toEqual([])
  })

  test('nobody imports the console, and it imports its own packages alone', () => {
    const { devDependencies } = JSON.parse(read('console/package.json')) as { devDependencies: Record<string, string> }
    const own = new Set([...Object.keys(devDependencies), '@bahi/client'])
    const nameOf = (name: string) => name.split('/').slice(0, name.startsWith('@') ? 2 : 1).join('/')
    const strays = inRoom('console/src').flatMap(({ path, imports }) => imports.filter(({ ours, target }) => !ours && !own.has(nameOf(target))).map((one) => `${path} imports ${one.target}`))
    expect(strays).toEqual([])
    const others = SOURCES.filter(({ path }) => !path.startsWith('console/'))
    expect(others.filter(({ imports }) => imports.some((one) => one.ours && one.target.startsWith('console/'))).map(({ path }) => path)).toEqual([])
  })

  test('the domain needs decimals and schemas and nothing else; the stories need the domain and the workflow library', () => {
    const packages = (room: string) => [...new Set(inRoom(room).flatMap(({ imports }) => imports
      .filter(({ ours, typeOnly }) => !ours && !typeOnly).map((one) => one.target)))].sort()
    expect(packages('domain')).toEqual(['decimal.js', 'typebox'])
    expect(packages('workflows')).toEqual(['@temporalio/common', '@temporalio/workflow'])
  })
})

test('every file is used: by the service, an operator, the console, a bench or a test', () => {
  const ofConsole = ['console/src/main.tsx', 'console/vite.config.ts']
  const entries = SOURCES.filter(({ path, text }) => ofConsole.includes(path) ||
    /^bin\/[^/]+$|^bench\/run\.ts$|^(workflows|client\/src)\/index\.ts$|^client\/src\/internal\.ts$|\.test\.ts$|config\.js$|^docs\/examples\//.test(path)
    || /^test\/(jest\/(sequencer|runtime)\.js|replay\/record\.ts)$/.test(path) || text.includes('import.meta.main'))
  const sources = new Map(SOURCES.map((source) => [source.path, source]))
  const used = new Set<string>()
  const use = ({ path, imports, text }: Source) => {
    if (used.has(path)) return
    used.add(path)
    // A process is started by the name of its file.
    const named = [...text.matchAll(/'([\w./-]+\.(?:ts|mjs|js))'/g)].map(([, name = '']) => name.replace(/^(\.\.?\/)+/, ''))
    const started = [...sources.values()].filter((other) => named.some((name) => other.path === name || other.path.endsWith(`/${name}`)))
    for (const next of [...imports.map((one) => sources.get(one.target)), ...started]) if (next) use(next)
  }
  entries.forEach(use)
  expect(SOURCES.map(({ path }) => path).filter((path) => !used.has(path))).toEqual([])
})

describe('sizes', () => {
  // The linter counts those of the code.
  test('no migration has more than 250 lines', () => {
    const long = filesOf('.sql').map((path) => ({ path, lines: read(path).trimEnd().split('\n').length }))
    expect(long.filter(({ lines }) => lines > 250)).toEqual([])
  })

  test('no function has more than 60 lines of its own, outside of tests and benches', () => {
    const all = OUTSIDE_TESTS.filter(({ path }) => !path.startsWith('bench/'))
      .flatMap((source) => functionsOf(source).map((one) => ({ ...one, path: source.path })))
    expect(all.length).toBeGreaterThan(300)
    expect(all.filter(({ length }) => length > 60).map(({ path, name, length }) => `${path} ${name}: ${length}`)).toEqual([])
  })

  test('no line is longer than 170, in the tables of tests 210', () => {
    const long = SOURCES.flatMap(({ path, lines }) => lines.map((line, place) => ({ path, at: `${path}:${place + 1}`, length: line.length })))
      .filter(({ path, length }) => length > (path.startsWith('test/') ? 210 : 170))
    expect(long.map(({ at, length }) => `${at}: ${length}`)).toEqual([])
  })

  test('a folder of commands, activities, the worker, the audit or the gateways has at most 20 files', () => {
    const folders = Map.groupBy(inRoom('commands', 'activities', 'worker', 'audit', 'gateways'), ({ path }) => path.slice(0, path.lastIndexOf('/')))
    expect([...folders].filter(([, files]) => files.length > 20).map(([folder]) => folder)).toEqual([])
    expect(SOURCES.filter(({ path }) => /^commands\/[^/]+$/.test(path))).toEqual([])
  })

  test('folders are at most two deep', () => {
    expect(OUTSIDE_TESTS.map(({ path }) => path).filter((path) => path.replace(/^console\//, '').split('/').length > 3)).toEqual([])
  })
})

describe('names and words', () => {
  test('no file or folder has a name that says nothing', () => {
    const empty = /^(utils?|helpers?|common|shared|misc|core|lib|base|managers?|dto|types)$/i
    const named = SOURCES.map(({ path }) => path).filter((path) => path.split(/[/.-]/).some((word) => empty.test(word)))
    expect(named).toEqual([])
  })

  test('no type or class does either', () => {
    const empty = /\b(?:class|interface|type) (I[A-Z][a-z]\w*|\w+(?:Utils?|Helpers?|Manager|DTO|Dto|Impl|Base)|\w+Service|Abstract\w+)\b/g
    expect(SOURCES.flatMap(({ path, text }) => [...text.matchAll(empty)].map(([, name]) => `${path}: ${name}`))).toEqual([])
  })

  // What is exported from a file of the service, with what it names; a schema and the type of its values share a name.
  test('no exported type names two things', () => {
    const EXPORTED = /^export (?:declare )?(?:abstract )?(?:class|interface|type) (\w+)/gm
    const service = SOURCES.filter(({ path }) => ROOMS.some((room) => path.startsWith(`${room}/`)))
    const homes = Map.groupBy(
      service.flatMap(({ path, text }) => [...text.matchAll(EXPORTED)].map(([, name = '']) => ({ name, path }))), ({ name }) => name,
    )
    expect(homes.size).toBeGreaterThan(300)
    expect([...homes].filter(([, found]) => found.length > 1).map(([name, found]) => `${name}: ${found.map(({ path }) => path).join(', ')}`)).toEqual([])
  })

  const SENTENCE = /^\/\/ \S.{10,}[.:?!]$/
  test('the first line of every file says in a sentence what it is for', () => {
    const mark: Record<string, RegExp> = { sql: /^-- \S.{10,}[.:]$/, ts: SENTENCE, tsx: SENTENCE, mjs: SENTENCE, js: SENTENCE }
    const silent = [...SOURCES.map(({ path, lines }) => ({ path, first: lines[0] ?? '' })), ...filesOf('.sql').map((path) => ({ path, first: read(path).split('\n')[0] ?? '' }))]
      .filter(({ path, first }) => !mark[path.split('.').at(-1)!]!.test(first))
    expect(silent.map(({ path, first }) => `${path}: ${first}`)).toEqual([])
  })

  // In pieces, so that this file does not hold the words itself.
  const FORBIDDEN = [['TO', 'DO'], ['FIX', 'ME'], ['@ts-', 'expect-error'], ['@ts-', 'nocheck']]
  test.each(FORBIDDEN.map((pieces) => pieces.join('')))('nobody writes %s', (word) => {
    const pattern = new RegExp(/^\w/.test(word) ? `\\b${word}` : word)
    expect(SOURCES.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual([])
  })

  test('the linter is silenced in one place', () => {
    const silenced = SOURCES.filter(({ text }) => text.includes(['biome', 'ignore'].join('-'))).map(({ path }) => path)
    expect(silenced).toEqual(['test/fixtures/client.ts'])
  })

  // Tests that are skipped or run alone are found by the linter.
  test('no test is put off, and nothing of ours is mocked', () => {
    const left = /\b(?:test|it|describe)\.(?:todo|failing)\b|\bjest\.(?:mock|unstable_mockModule|spyOn|fn)\(/
    const own = 'test/house.test.ts'
    expect(SOURCES.filter(({ path, text }) => path !== own && left.test(text)).map(({ path }) => path)).toEqual([])
  })
})

describe('what a room must not touch', () => {
  const findings = (sources: Source[], pattern: RegExp) => sources.flatMap(({ path, lines }) =>
    lines.flatMap((line, place) => (pattern.test(line.replace(/\/\/.*$|^\s*\*.*$/, '')) ? [`${path}:${place + 1}: ${line.trim()}`] : [])))

  test('the domain: no clock, no randomness, no machine', () => {
    const pattern = /Date\.now|new Date\(\)|performance\.|Math\.random|randomUUID|randomBytes|uuidv[147]|setTimeout|setInterval|fetch\(|process\.|console\./
    expect(findings(inRoom('domain'), pattern)).toEqual([])
  })

  // Date and Math.random are the engine's own there, and replay alike.
  test('the stories: no clock, chance or timer that is not replayed', () => {
    expect(findings(inRoom('workflows'), /performance\.|randomUUID|randomBytes|setTimeout|fetch\(|process\.|console\./)).toEqual([])
  })

  test('commands take the time from their books, models and reports from who asks', () => {
    const known = findings(inRoom('commands', 'models', 'reports'), /Date\.now\(|new Date\(\)|\bnow\(\)/)
    expect(known.filter((line) => !/^models\/(migrate|migrations)/.test(line))).toEqual([])
  })

  test('entries are written in one place, and documents are given their dates in one: what holds of dates in general goes there', () => {
    expect(findings(inRoom('commands'), /insert\((?:journals|journalLines)\b/).map((at) => at.split(':')[0])).toEqual(['commands/books/books.ts', 'commands/books/books.ts'])
    const dated = findings(inRoom('commands'), /parseDocumentDate\(/).map((at) => at.split(':')[0])
    // A series is for a date, and has none.
    expect(dated).toEqual(['commands/documents/drafting.ts', 'commands/masters/series.ts'])
  })
})
