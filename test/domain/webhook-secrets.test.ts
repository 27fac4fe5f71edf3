// Which secrets deliveries are signed with, after rotations with overlaps of every length.
import { expect, test } from '@jest/globals'
import { formerAfter, goodAt, type FormerSecret } from '../../domain/webhook-secrets.ts'

const at = (seconds: number) => new Date(Date.parse('2026-11-22T10:00:00Z') + seconds * 1_000)
const secret = (sealed: string, seconds: number): FormerSecret => ({ sealed, until: at(seconds).toISOString() })

test.each<[string, FormerSecret[], number, number, FormerSecret[]]>([
  ['the present one overlaps', [], 0, 60, [secret('now', 60)]],
  ['an overlap of 0 ends it at once', [], 0, 0, []],
  ['an earlier one stays for the rest of its time', [secret('a', 30)], 0, 60, [secret('now', 60), secret('a', 30)]],
  ['no earlier one is good for longer than the new overlap', [secret('a', 3_600)], 0, 60, [secret('now', 60), secret('a', 60)]],
  ['an overlap of 0 ends earlier ones too', [secret('b', 3_600), secret('a', 60)], 0, 0, []],
  ['what has ended is left out', [secret('a', 30)], 30, 60, [secret('now', 90)]],
])('%s', (_name, former, seconds, overlap, after) => {
  expect(formerAfter('now', former, at(seconds), overlap)).toEqual(after)
})

test('a secret is good until its end, and not at it', () => {
  const former = [secret('a', 30)]
  expect(goodAt(former, at(29.999))).toEqual(former)
  expect(goodAt(former, at(30))).toEqual([])
})
