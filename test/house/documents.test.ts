// One more kind of document touches the places that CONTRIBUTING.md names, and nothing is left behind that nobody uses.
import { describe, expect, test } from '@jest/globals'
import { DOCUMENTS } from '../../domain/documents.ts'
import { filesOf, GENERATED, read, SOURCES } from './sources.ts'

const codeOf = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*(?:\/\/|--).*$/gm, '')

describe('a debit note is spoken of where CONTRIBUTING.md says', () => {
  // The example of "How to add a resource": a kind that nothing is made of, and that settles nothing.
  const PLACES = [
    'domain/documents.ts', 'domain/posting/debit-note.ts',
    'models/debit-note.ts', 'models/service-role.ts', /^models\/migrations\/\d+_\w+\.sql$/,
    'commands/purchases/debit-notes.ts',
    'api/shapes/debit-note.ts', 'api/resources/debit-notes.ts', 'api/routes.ts', 'api/http/named-shapes.ts',
    'domain/print/printed-document.ts',
    // The month of the demonstration, for who wants to see one.
    'bin/month/returns.ts',
    // Its pages in the console.
    'console/src/documents/kinds.ts', 'console/src/documents/actions.ts', 'console/src/documents/columns.tsx', 'console/src/app/pages.ts',
  ]
  const isPlace = (path: string) => PLACES.some((place) => (typeof place === 'string' ? place === path : place.test(path)))
  const spoken = filesOf('.ts', '.tsx', '.mjs', '.js', '.sql').filter((path) => !path.startsWith('test/') && !GENERATED.includes(path))
    .filter((path) => /debit[ _-]?note/i.test(path) || /debit[ _-]?note/i.test(codeOf(read(path))))

  test('and nowhere else', () => {
    expect(spoken.filter((path) => !isPlace(path))).toEqual([])
  })

  test('and there', () => {
    expect(PLACES.filter((place) => typeof place === 'string' && !spoken.includes(place))).toEqual([])
  })

  test('and CONTRIBUTING.md names these places', () => {
    const told = read('CONTRIBUTING.md').split('## How to add a resource')[1]!.split('\n## ')[0]!
    const named = PLACES.filter((place) => typeof place === 'string').map((place) => place.replace(/[\w-]*debit-note[\w-]*\.ts$|returns\.ts$|(?<=^console\/src\/).*/, ''))
    expect(named.filter((place) => !told.includes(`\`${place}\``))).toEqual([])
  })
})

test('the kinds of the registry are the tables, models and resources that there are', () => {
  const files = new Set(filesOf('.ts'))
  for (const { table, path } of Object.values(DOCUMENTS)) {
    const plural = table.replaceAll('_', '-')
    expect([path, files.has(`api/resources/${plural}.ts`), files.has(`models/${plural.replace(/s$/, '')}.ts`)]).toEqual([path, true, true])
  }
})

test('what is exported is used: by another file, or at home and by a test', () => {
  const VALUE = /^export (?:async )?(?:const|function\*?|class) (\w+)/gm
  // How often each file says each word, by word and path.
  const said = new Map<string, Map<string, number>>()
  for (const { path, text } of SOURCES) {
    for (const [word] of codeOf(text).matchAll(/\w+/g)) {
      const places = said.get(word) ?? new Map<string, number>()
      said.set(word, places.set(path, (places.get(path) ?? 0) + 1))
    }
  }
  const unused = SOURCES.filter(({ path }) => !/^(test|docs|client)\//.test(path)).flatMap(({ path, text }) => (
    [...text.matchAll(VALUE)].flatMap(([declaration, name = '']) => {
      const places = said.get(name)!
      const users = [...places.keys()].filter((other) => other !== path)
      // A table is defined whether or not anything but SQL reads it.
      const isModel = path.startsWith('models/') && new RegExp(`const ${name} = model\\(`).test(text)
      // A part of another shape is exported for its name in the OpenAPI document.
      const isPart = path.startsWith('api/shapes/') && text.includes(`const ${name} = Type.Object(`) && places.get(path)! > 1
      const isTold = isModel || isPart || users.some((other) => !other.startsWith('test/')) || (users.length > 0 && places.get(path)! > 1)
      return isTold ? [] : [`${path}: ${declaration}`]
    })
  ))
  expect(unused).toEqual([])
})
