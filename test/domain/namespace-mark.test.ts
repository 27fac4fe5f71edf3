// The mark of a Temporal namespace: whose it is, and what an operator reads where it is that of others.
import { describe, expect, test } from '@jest/globals'
import { markId, markIn, markText, unfitNamespace } from '../../domain/namespace-mark.ts'

const OWN = { installation: '01980000-0000-7000-8000-000000000001', database: '7571000000000000001/16384' }
const PLACE = { address: '127.0.0.1:7233', namespace: 'default', queueSuffix: '' }

test('the text of a mark is read again, and others are not', () => {
  const mark = { ...OWN, generation: '01980000-0000-7000-8000-00000000000a' }
  expect(markIn(markText(mark))).toEqual(mark)
  for (const text of ['', 'housekeeping', 'bahi-installation/', 'bahi-installation/a/b/c', `${markText(mark)}/more`]) expect(markIn(text)).toBe(null)
})

test('two installations of one namespace have a mark each', () => {
  expect([markId(''), markId('b')]).toEqual(['bahi-installation', 'bahi-installation-b'])
})

describe('a worker serves a namespace', () => {
  test('of its own books alone', () => {
    expect(unfitNamespace(OWN, { ...OWN }, PLACE)).toBe(null)
  })

  test.each([
    ['of other books', { ...OWN, installation: '01980000-0000-7000-8000-000000000002' }, /serves other books \(installation 0198.*2\), these are of installation 0198.*1:/],
    ['of a copy on another server', { ...OWN, database: '7571000000000000002/16384' }, /serves these books in another database \(7571000000000000002\/16384\), this one is 75/],
    ['of a copy on the same server', { ...OWN, database: '7571000000000000001/16385' }, /in another database \(7571000000000000001\/16385\)/],
  ])('not one %s', (_, mark, line) => {
    const why = unfitNamespace(OWN, mark, PLACE)
    expect(why).toMatch(line)
    expect(why).toContain('npm run after-restore -- --take-namespace')
    expect(why).toContain('unset TEMPORAL_ADDRESS')
    expect(why).not.toContain('\n')
  })

  test('and names the suffix, where there is one', () => {
    const mark = { ...OWN, database: 'x/1' }
    expect(unfitNamespace(OWN, mark, { ...PLACE, queueSuffix: 'b' })).toContain('Temporal at 127.0.0.1:7233 (namespace default, TEMPORAL_QUEUE_SUFFIX b) serves')
  })
})
