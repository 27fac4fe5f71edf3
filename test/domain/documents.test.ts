// The registry of document kinds agrees with itself.
import { describe, expect, test } from '@jest/globals'
import { DOCUMENT_KINDS, DOCUMENTS, ENTITY_TYPES, factsOf, kindsThatHave, type DocumentFacts } from '../../domain/documents.ts'

const FACTS = DOCUMENT_KINDS.map((kind): [string, DocumentFacts] => [kind, factsOf(kind)])

describe.each(FACTS)('%s', (kind, facts) => {
  test('is called by its name wherever it is named', () => {
    const name = kind.toLowerCase()
    expect(facts).toMatchObject({ id: `${name}_id`, number: `${name}_number`, path: `/${facts.table}`, scope: facts.table.replaceAll('_', '') })
    expect(facts.noun).toBe(name.replaceAll('_', ' '))
    if (facts.lines) expect(facts.lines).toBe(`${name}_lines`)
  })

  test('announces events of its own name alone', () => {
    expect(facts.events.filter((type) => !type.startsWith(`${kind}_`))).toEqual([])
  })

  test('begins as a draft, where it has states', () => {
    if (facts.statuses) expect(facts.statuses[0]).toBe('DRAFT')
    expect(facts.moves === undefined).toBe(facts.statuses === undefined)
  })

  test('points to kinds of the registry', () => {
    const named = [...(facts.becomes ? [facts.becomes] : []), ...(facts.against ?? []), ...Object.keys(facts.settledBy ?? {})]
    expect(named.filter((other) => !(other in DOCUMENTS))).toEqual([])
  })
})

test('no two kinds share a name, a number or an event', () => {
  for (const fact of ['noun', 'table', 'id', 'number', 'prefix', 'scope'] as const) {
    expect(new Set(FACTS.map(([, facts]) => facts[fact])).size).toBe(DOCUMENT_KINDS.length)
  }
  const events = FACTS.flatMap(([, { events: own }]) => own)
  expect(new Set(events).size).toBe(events.length)
})

test('every kind is an entity type', () => {
  expect([...ENTITY_TYPES].sort()).toEqual([...DOCUMENT_KINDS, 'RECEIPT'].sort())
})

test('what settles a document says where it is put, and what is converted in parts what its lines become', () => {
  const settling = kindsThatHave('settledBy').flatMap((kind) => Object.keys(DOCUMENTS[kind].settledBy))
  expect([...new Set(settling)]).toEqual(kindsThatHave('applications'))
  for (const kind of kindsThatHave('converted')) {
    expect(factsOf(DOCUMENTS[kind].becomes).linesPointTo).toContain(DOCUMENTS[kind].id.replace('_id', '_line_id'))
  }
})
