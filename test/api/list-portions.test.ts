// A list whose rows may be large is shown in portions that are small from the first on, and keeps nothing of what it has sent.
import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, test } from '@jest/globals'
import { answerList } from '../../api/http/list-answer.ts'
import type { Reply } from '../../api/http/envelope.ts'
import { createShares } from '../../api/http/concurrency-shares.ts'

const LARGE = 'x'.repeat(400_000)
let reply: Reply | undefined
afterEach(() => reply?.rest?.over.abort())

/** The reply to a list of `count` rows that are shown with this text; `portions` are the numbers of rows shown at once. */
async function listed(count: number, text: string) {
  const portions: number[] = []
  const shown: WeakRef<object>[] = []
  const show = async (rows: unknown[]) => {
    portions.push(rows.length)
    return rows.map((id) => {
      const row = { id, text }
      shown.push(new WeakRef(row))
      return row
    })
  }
  const rows = Array.from({ length: count }, (_, id) => id)
  const list = async () => ({ answer: { rows: [] }, key: 'rows', rows, show })
  const request = { socket: Object.assign(new EventEmitter(), { destroyed: false }) } as unknown as IncomingMessage
  const house = { shares: createShares({ pool: 20, writers: 5 }) } as Parameters<typeof answerList>[0]
  const caller = { organization: { id: 'a' }, partnerId: null } as unknown as Parameters<typeof answerList>[1]
  reply = await answerList(house, caller, request, list)
  return { portions, shown, texts: reply.rest?.texts }
}

test('large rows are shown one by one, once it is known how large they are', async () => {
  const { portions, texts } = await listed(20, LARGE)
  let told = 0
  for await (const text of texts!) told += (JSON.parse(`[${text}]`) as unknown[]).length
  expect([told, portions]).toEqual([20, [2, ...Array<number>(18).fill(1)]])
})

test('rows of ordinary size are shown in two portions', async () => {
  const { portions, texts } = await listed(200, 'x'.repeat(1_000))
  expect([texts, portions]).toEqual([undefined, [2, 198]])
})

test('while its reader rests nothing is kept of the rows that are shown but their text', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const { shown } = await listed(20, LARGE)
  expect(shown).toHaveLength(3)
  // What a WeakRef was made of lives until the end of the turn.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  expect(shown.filter((row) => row.deref() !== undefined)).toEqual([])
})
