// Prepared statements name the columns that they return, so that processes of the version before live through a migration.
import { expect, test } from '@jest/globals'
import { filesOf, read, ROOMS, SOURCES } from './sources.ts'

const TABLES = new Set(filesOf('.sql').flatMap((path) => [...read(path).matchAll(/CREATE (?:UNLOGGED )?(?:TABLE|VIEW) (?:IF NOT EXISTS )?(\w+)/g)]).map(([, name]) => name))

// The audit is asked by a program that ends.
const ROOMS_OF_PROCESSES = ROOMS.filter((room) => room !== 'audit')
const LITERAL = /`(?:[^`\\]|\\.)*`|'(?:SELECT|WITH|INSERT|UPDATE|DELETE)[^'\n]*'/g

// Files whose statements with whole rows have no name.
const NOT_PREPARED: Record<string, string> = {
  'reports/print/printed.ts': 'it reads the tables of every kind, one of them for each document',
}

/** Where a statement returns whatever columns a table has. A table that is put into the text is taken for one. */
function wholeRows(sql: string): string[] {
  const isTable = (name: string | undefined) => name !== undefined && (TABLES.has(name) || name.startsWith('${'))
  const selected = [...sql.matchAll(/SELECT \* FROM (\w+\b(?!\s*\()|\$\{[^}]*\})/g)].filter(([, name]) => isTable(name)).map(([found]) => found)
  const returned = [...sql.matchAll(/RETURNING (?:\w+\.)?\*/g)].map(([found]) => found)
  // The FROM of an alias follows the columns; what it names may be a subquery, which names its own.
  const aliased = [...sql.matchAll(/\b(\w+)\.\*/g)].flatMap(({ 1: alias, index }) => {
    const source = new RegExp(`(?:(?:\\b(?:FROM|JOIN|INTO|UPDATE|USING)|,)\\s+(\\w+\\b(?!\\s*\\()|\\$\\{[^}]*\\})|\\))\\s+(?:AS\\s+)?${alias}\\b`)
    const named = (source.exec(sql.slice(index)) ?? source.exec(sql))?.[1]
    return isTable(named) || isTable(alias) ? [`${alias}.* of ${named ?? alias}`] : []
  })
  return [...selected, ...returned, ...aliased]
}

test.each([
  ['SELECT * FROM tokens WHERE id = $1', 1],
  ['SELECT s.*, 1 FROM a JOIN number_series AS s ON true', 1],
  ['UPDATE tokens SET scopes = $1 RETURNING *', 1],
  ['SELECT tokens.* FROM tokens', 1],
  [`SELECT l.* FROM \${lines} AS l`, 1],
  ['WITH k AS (SELECT * FROM unnest($1::uuid[]) AS u(id)) SELECT k.id FROM k', 0],
  ['SELECT s.* FROM (SELECT id FROM tokens) AS s', 0],
  ['WITH kept AS (SELECT id FROM tokens) SELECT x.* FROM kept AS x', 0],
])('%s', (sql, count) => {
  expect(wholeRows(sql)).toHaveLength(count)
})

test('no statement of a process that stays returns the whole rows of a table', () => {
  expect(TABLES.size).toBeGreaterThan(50)
  const found = SOURCES.filter(({ path }) => ROOMS_OF_PROCESSES.some((room) => path.startsWith(`${room}/`)))
    .flatMap(({ path, text }) => [...text.matchAll(LITERAL)].flatMap(([sql]) => wholeRows(sql).map((one) => `${path} ${one}`)))
  const isKnown = (one: string) => one.split(' ')[0]! in NOT_PREPARED
  expect(found.filter((one) => !isKnown(one))).toEqual([])
  expect([...new Set(found.filter(isKnown).map((one) => one.split(' ')[0]))].sort()).toEqual(Object.keys(NOT_PREPARED).sort())
})
