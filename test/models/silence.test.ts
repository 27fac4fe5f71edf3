// A database that is gone without a word: its answers are not waited for without end, and its connections are not lent again.
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { asFault } from '../../commands/books/refusals.ts'
import { openEngine } from '../../gateways/temporal/engine.ts'
import { isEngineUnavailable } from '../../gateways/temporal/engine-unavailable.ts'
import type { Statement } from '../../models/connection.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { listen } from '../../models/listener.ts'
import { OutcomeUnknown } from '../../models/transaction.ts'
import { cloneDatabase, dropDatabase } from '../fixtures/template.ts'

const ONE: Statement = { name: '', text: 'SELECT 1 AS one', takesNoLock: true }

let url: string
let through: string
let wire: Server
const sockets = new Set<Socket>()
/** Nothing that is sent arrives any more, and no side gets an error. */
let isSilent = false
let database: Database

beforeAll(async () => {
  url = await cloneDatabase()
  const { hostname, port } = new URL(url)
  wire = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [[near, far], [far, near]] as const) {
      sockets.add(from)
      from.on('error', () => undefined).on('data', (chunk) => void (isSilent || to.write(chunk))).on('close', () => to.destroy())
    }
  })
  await new Promise<void>((listening) => wire.listen(0, '127.0.0.1', listening))
  through = Object.assign(new URL(url), { hostname: '127.0.0.1', port: String((wire.address() as AddressInfo).port) }).href
  database = openDatabase({ url: through, pool: 1, name: 'bahi test', answerMs: 1_000 })
})
afterAll(async () => {
  await database.close()
  for (const socket of sockets) socket.destroy()
  wire.close()
  await dropDatabase(url)
})

/** Repeats the query until it is answered: on a slow machine opening a connection may take longer than an answer may. */
async function untilAnswered(): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    const answered = await database.run(ONE, []).then(() => true, () => false)
    if (answered) return
    await delay(50)
  }
  throw new Error('the database does not answer')
}
beforeEach(async () => {
  isSilent = false
  await untilAnswered()
})

test('a query is given up, and the next one is sent on another connection', async () => {
  isSilent = true
  await expect(database.run(ONE, []).catch((error: unknown) => Promise.reject(asFault(error)))).rejects.toMatchObject({ code: 'service.unavailable' })
  isSilent = false
  await untilAnswered()
})

test('what still waits when its process shuts down finds the database unavailable', async () => {
  const closed = openDatabase({ url, pool: 1, name: 'closed' })
  await closed.close()
  await expect(closed.run(ONE, []).catch((error: unknown) => Promise.reject(asFault(error)))).rejects.toMatchObject({ code: 'service.unavailable' })
})

test('and the engine unavailable', async () => {
  const engine = openEngine({ address: '127.0.0.1:9', namespace: 'default', queueSuffix: '' })
  await engine.close()
  const found = await engine.client.workflow.getHandle('closed').describe().catch((error: unknown) => error)
  expect([String(found), isEngineUnavailable(found)]).toEqual([expect.any(String), true])
})

test('of a transaction whose commit is not answered the outcome is unknown', async () => {
  await expect(database.transaction(async (transaction) => {
    await transaction.run(ONE, [])
    isSilent = true
    await transaction.runLast(ONE, [])
  })).rejects.toThrow(OutcomeUnknown)
  isSilent = false
  await untilAnswered()
})

test('listeners are notified, and listen again when it is back', async () => {
  const input: boolean[] = []
  let turned = (): void => undefined
  const turn = () => new Promise<void>((resolve) => (turned = resolve))
  const first = turn()
  const hearing = (now: boolean) => {
    if (input.at(-1) !== now) turned()
    input.push(now)
  }
  const listener = listen(through, 'callers', () => undefined, hearing, { every: 50, answer: 1_000 })
  await first
  isSilent = true
  while (input.at(-1)) await turn()
  isSilent = false
  while (!input.at(-1)) await turn()
  expect([input.includes(false), input.at(-1)]).toEqual([true, true])
  await listener.close()
})
