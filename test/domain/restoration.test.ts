// Which signs of a restore are certain, so that a worker waits, and which are only said.
import { expect, test } from '@jest/globals'
import { accessChangesIn, isSurelyRestored, needsNoteOutside, signOfRestore } from '../../domain/restoration.ts'

const at = (time: string) => new Date(`2026-11-23T${time}:00Z`)
const marks = { server: '7/16384/00000001', current: '7/16384/00000001', alive_time: at('10:00'), restore_begun_time: null }

test.each([
  ['nothing', {}, null, false, false],
  ['a note of the same minute', {}, at('10:01'), false, false],
  ['a database that no worker has run on', { server: null, alive_time: null }, at('10:30'), false, false],
  ['a new timeline: a standby was promoted, and may have lost nothing', { current: '7/16384/00000002' }, at('10:01'), true, false],
  ['a new timeline, and what the service did afterwards is missing', { current: '7/16384/00000002' }, at('10:30'), true, true],
  ['a dump, which is another database', { current: '7/16999/00000001' }, null, true, true],
  ['another server', { current: '8/16384/00000001' }, null, true, true],
  ['a copied folder that is older than the note outside', {}, at('10:30'), true, true],
  ['after-restore that was broken off', { restore_begun_time: at('11:00') }, null, true, true],
])('%s', (_sign, changes, seenAlive, isSaid, isSure) => {
  const found = { ...marks, ...changes }
  expect([signOfRestore(found, seenAlive) !== null, isSurelyRestored(found, seenAlive)]).toEqual([isSaid, isSure])
})

test('the note outside is needed on books on which the service has not just run', () => {
  expect([needsNoteOutside(marks, at('10:05')), needsNoteOutside(marks, at('10:06')), needsNoteOutside({ alive_time: null }, at('10:06'))]).toEqual([false, true, false])
})

test('of the lines of a security log, the changes that were made', () => {
  const change = (id: string) => ({ change: 'PARTNER_KEY_REVOKED', id: `018f0000-0000-7000-8000-00000000000${id}`, time: at('10:00').toISOString() })
  const lines = [change('1'), { level: 30, access_change: change('2'), msg: 'access changes' }, change('3'), { access_change: { not_made: change('2') } }, { not_made: change('1') }, { change: 'NONE' }]
  expect(accessChangesIn(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"change"\n`)).toEqual([change('3')])
})
