// A namespace of Temporal serves the books of one database: a worker of others, or of a copy, is refused until it takes the namespace over.
import { execFile, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { engineOnDemand } from '../../api/engine.ts'
import { createNamespaceCheck } from '../../api/own-namespace.ts'
import { examineNamedTemporal } from '../../bin/services/named-temporal.ts'
import { freePort } from '../../bin/services/port.ts'
import { markId } from '../../domain/namespace-mark.ts'
import { openEngine, type Engine } from '../../gateways/temporal/engine.ts'
import { EngineRefused, unfitPlace } from '../../gateways/temporal/namespace-mark.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { readOperations } from '../../models/operations.ts'
import { booksIdentity } from '../../models/temporal-marks.ts'
import { markNamespace, UnfitNamespace } from '../../worker/namespace/marking.ts'
import { createNamespaceWatch } from '../../worker/namespace/watching.ts'
import { cloneDatabase, copyDatabase, dropDatabase } from '../fixtures/template.ts'
import { ROOT } from '../fixtures/root.ts'
import './quiet.ts'

const address = process.env.TEST_TEMPORAL_ADDRESS ?? '127.0.0.1:7233'
const queueSuffix = `mark${randomBytes(4).toString('hex')}`
const key = randomBytes(32).toString('base64')
const log = pino({ level: 'silent' })
const place = { address, namespace: 'default', queueSuffix }
const engines: Engine[] = []
const databases: { url: string; database: Database }[] = []

function engineWith(more: Partial<Parameters<typeof openEngine>[0]> = {}): Engine {
  const engine = openEngine({ ...place, encryptionKey: key, ...more })
  engines.push(engine)
  return engine
}
function opened(url: string): Database {
  const database = openDatabase({ url, pool: 2, name: 'marks' })
  databases.push({ url, database })
  return database
}
const mark = (connection: Database, engine: Engine) => markNamespace({ connection, engine, place, log })

let engine: Engine
let originalUrl: string
let original: Database
let copyUrl: string
let copy: Database
beforeAll(async () => {
  engine = engineWith()
  originalUrl = await cloneDatabase()
  // The copy is made while nobody is connected, and has the row of the installation.
  const first = openDatabase({ url: originalUrl, pool: 1, name: 'marks' })
  await booksIdentity(first)
  await first.close()
  copyUrl = await copyDatabase(originalUrl)
  original = opened(originalUrl)
  copy = opened(copyUrl)
})
afterAll(async () => {
  await engine.client.schedule.getHandle(markId(queueSuffix)).delete().catch(() => undefined)
  for (const one of engines) await one.close()
  for (const { url, database } of databases) {
    await database.close()
    await dropDatabase(url)
  }
})

const envOf = (url: string) => ({
  ...process.env, DATABASE_URL: url, ENCRYPTION_KEY: key, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: 'default', TEMPORAL_QUEUE_SUFFIX: queueSuffix, DATABASE_POOL: '3', PDF_WARM_UP: 'false',
})

/** Runs the worker's process to its end. */
async function endOfWorker(changes: Record<string, string>): Promise<{ code: number; fatal: string[] }> {
  const child = spawn(process.execPath, ['worker/worker.ts'], { cwd: ROOT, env: { ...envOf(originalUrl), ...changes }, stdio: ['ignore', 'pipe', 'inherit'] })
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const lines = said.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as { level: number; msg: string })
  return { code, fatal: lines.filter(({ level }) => level === 60).map(({ msg }) => msg) }
}

const run = (url: string, ...args: string[]) => new Promise<{ code: number; said: string }>((resolve) => {
  execFile(process.execPath, args, { cwd: ROOT, env: envOf(url) }, (error, stdout, stderr) =>
    resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }))
})

test('of two workers that begin at once, one marks the namespace, and both serve it; the first mark leaves nothing to take up', async () => {
  const marks = await Promise.all([mark(original, engine), mark(original, engineWith())])
  expect(new Set(marks.map(({ generation }) => generation)).size).toBe(1)
  expect(marks.map(({ isLeft }) => isLeft)).toEqual([false, false])
  expect(await mark(original, engine)).toEqual(marks[0])
  expect((await readOperations(original, new Date(), 0)).temporal_lost_at).toBeNull()
})

test('of workers of two databases that begin at once, those of one mark the namespace, and the others are refused', async () => {
  const other = opened(await cloneDatabase())
  for (let round = 0; round < 3; round += 1) {
    const at = { ...place, queueSuffix: `${queueSuffix}r${round}` }
    const begin = (connection: Database) => markNamespace({ connection, engine: engineWith(at), place: at, log })
    const outcomes = await Promise.allSettled([original, other, copy, original, other, copy].map(begin))
    const generations = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.generation : null))
    const winners = generations.flatMap((generation, place) => (generation === null ? [] : [place % 3]))
    expect([new Set(winners).size, winners.length]).toEqual([1, 2])
    expect(new Set(generations).size).toBe(2)
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    expect(refused.filter((reason) => !(reason instanceof UnfitNamespace))).toEqual([])
    await engine.client.schedule.getHandle(markId(at.queueSuffix)).delete()
  }
})

test('a copy with a suffix that begins with its original is refused, whoever marks first', async () => {
  const own = await booksIdentity(copy)
  const theirs = { ...(await booksIdentity(original)), generation: randomUUID() }
  // The original sets its mark between the look of the copy and its own mark.
  let beside: typeof theirs | null = null
  const racing = {
    namespaceId: async () => '', registerSearchAttributes: async () => [], readMark: async () => null, readMarkBeside: async () => beside,
    setMark: async (set: typeof theirs) => {
      beside = theirs
      return set
    },
  }
  await expect(markNamespace({ connection: copy, engine: racing, place, log })).rejects.toThrow('serves these books in another database')
  expect(own.installation).toBe(theirs.installation)
})

test('the mark is read without the key, and its schedule stays paused', async () => {
  const clear = engineWith({ encryptionKey: undefined })
  expect(await clear.readMark()).toMatchObject(await booksIdentity(original))
  const { state } = await clear.client.schedule.getHandle(markId(queueSuffix)).describe()
  expect(state.paused).toBe(true)
  // What an operator pauses by hand has another note.
  await clear.client.schedule.getHandle(markId(queueSuffix)).pause('looked at')
  expect(await clear.readMark()).toMatchObject(await booksIdentity(original))
})

test('a copy of the books and other books are refused, and their worker ends with a line', async () => {
  await expect(mark(copy, engine)).rejects.toThrow(UnfitNamespace)
  const other = opened(await cloneDatabase())
  await expect(mark(other, engine)).rejects.toThrow('serves other books')
  const { code, fatal } = await endOfWorker({ DATABASE_URL: copyUrl })
  expect({ code, fatal }).toEqual({ code: 1, fatal: [expect.stringContaining('serves these books in another database')] })
})

test('a copy is refused with a suffix too, where the original has none: its workflows would have the same ids', async () => {
  const own = await booksIdentity(copy)
  const { installation, database } = await booksIdentity(original)
  const marked = { readMark: async () => null, readMarkBeside: async () => ({ installation, database, generation: '1' }) }
  expect(await unfitPlace(marked, own, place)).toMatch(/^(?!.*SUFFIX).*serves these books in another database.*give this service a namespace of its own;/)
  expect(await unfitPlace(marked, { installation, database }, place)).toBeNull()
  expect(await unfitPlace({ ...marked, readMarkBeside: async () => ({ installation: 'other', database, generation: '1' }) }, own, place)).toBeNull()
})

test('the API of a copy starts no workflow, and the books of a copy are not reconciled', async () => {
  const said: string[] = []
  const check = (connection: Database) => createNamespaceCheck(connection, place, { error: (line: string) => void said.push(line) } as never)
  const api = (connection: Database) => engineOnDemand({ ...place, encryptionKey: key }, check(connection))
  const [own, foreign] = [api(original), api(copy)]
  const ask = { orgId: randomUUID(), scheduleId: randomUUID(), entityType: 'EXPENSE' } as const
  await expect(foreign.runScheduleNow(ask, {} as never)).rejects.toMatchObject({ code: 'service.unavailable', retryAfter: 60 })
  expect(said).toEqual([expect.stringContaining('serves these books in another database')])
  await expect(own.convert({ orgId: '' } as never, async () => false)).rejects.not.toMatchObject({ retryAfter: 60 })
  expect([await own.isRefused(), await foreign.isRefused()]).toEqual([false, true])
  await Promise.all([own.close(), foreign.close()])
  expect(await run(copyUrl, 'bin/reconcile.ts', '--anew')).toMatchObject({ code: 1, said: expect.stringContaining('serves these books in another database') })
})

test('a copy that takes the namespace over has all to take up, and the worker of the other database stops', async () => {
  const refused: string[] = []
  const watch = createNamespaceWatch({ connection: original, engine, place, log, takeUp: null, refuse: (why) => void refused.push(why) })
  await watch()
  expect(refused).toEqual([])

  expect(await run(copyUrl, 'bin/after-restore.ts', '--nothing-lost', '--take-namespace')).toEqual({
    code: 0, said: `The service runs on this database from now on.\nTemporal at ${address} (namespace default) serves this database from now on.\n`,
  })
  expect(await mark(copy, engine)).toMatchObject({ isLeft: true })
  const afterwards = createNamespaceWatch({ connection: original, engine, place, log, takeUp: null, refuse: (why) => void refused.push(why) })
  await afterwards()
  expect(refused).toEqual([expect.stringContaining('serves these books in another database')])
  // Taken back: nothing looks restored there, so that nothing else is done.
  expect(await run(originalUrl, 'bin/after-restore.ts', '--nothing-lost')).toMatchObject({ code: 0 })
  expect(await run(originalUrl, 'bin/after-restore.ts', '--take-namespace')).toEqual({ code: 0, said: `Temporal at ${address} (namespace default) serves this database from now on.\n` })
  expect(await mark(original, engine)).toMatchObject({ isLeft: true })
  expect((await readOperations(original, new Date(), 0)).temporal_lost_at).toBeInstanceOf(Date)
})

test('npm start ends before its worker where TEMPORAL_ADDRESS names the server of another run, and says it where nothing answers', async () => {
  const lines: string[] = []
  const examine = (url: string, more = {}) => examineNamedTemporal({ ...envOf(url), ...more }, (line) => void lines.push(line))
  await examine(originalUrl)
  await expect(examine(copyUrl)).rejects.toThrow(/serves these books in another database.*unset TEMPORAL_ADDRESS$/)
  expect(lines).toEqual([])
  await examine(copyUrl, { TEMPORAL_ADDRESS: '127.0.0.1:9' })
  expect(lines).toEqual(['nothing answers at 127.0.0.1:9, which TEMPORAL_ADDRESS names; if it is of an earlier run: unset TEMPORAL_ADDRESS'])
})

test('a namespace that does not exist ends the worker at once, with the command that makes it', async () => {
  const missing = engineWith({ namespace: 'no-such-namespace' })
  await expect(missing.namespaceId()).rejects.toThrow(EngineRefused)
  const { code, fatal } = await endOfWorker({ TEMPORAL_NAMESPACE: 'no-such-namespace' })
  expect({ code, fatal }).toEqual({
    code: 1, fatal: [`Temporal at ${address} has no namespace no-such-namespace: create it (temporal operator namespace create), or change TEMPORAL_NAMESPACE`],
  })
})

test('a worker without Temporal says so at once, is live and not ready, and goes on waiting', async () => {
  const port = await freePort(undefined)
  const env = { ...envOf(originalUrl), TEMPORAL_ADDRESS: '127.0.0.1:9', HEALTH_PORT: String(port) }
  const child = spawn(process.execPath, ['worker/worker.ts'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (chunk) => { said += chunk })
  while (!said.includes('the worker waits for 127.0.0.1:9')) {
    if (child.exitCode !== null) throw new Error(`the worker has ended: ${said}`)
    await delay(50)
  }
  const statuses = await Promise.all(['live', 'ready'].map(async (probe) => (await fetch(`http://127.0.0.1:${port}/health/${probe}`)).status))
  expect(statuses).toEqual([200, 503])
  child.kill('SIGTERM')
  await once(child, 'exit')
})
