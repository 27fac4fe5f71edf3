// A blob store that does not answer says nothing of whether the books were restored: nobody takes them for whole because of that.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { pino } from 'pino'
import { openBlobStore } from '../../gateways/storage/azure-blobs.ts'
import { writeMark } from '../../gateways/storage/security-log.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { installationOf } from '../../models/installation.ts'
import { noteAlive } from '../../models/restoration.ts'
import { readSettings, storageOf } from '../../settings.ts'
import { createRestoreMarks } from '../../worker/restore-marks.ts'
import { untilBooksAreKnown } from '../../worker/starting.ts'
import { ROOT } from '../fixtures/root.ts'
import { cloneDatabase, dropDatabase } from '../fixtures/template.ts'
import { until } from '../start/local-run.ts'

jest.setTimeout(120_000)

const AWAY = 'DefaultEndpointsProtocol=http;AccountName=bahi;AccountKey=c2VjcmV0;BlobEndpoint=http://127.0.0.1:9/bahi;'
const CONTAINER = `away-${randomBytes(6).toString('hex')}`
let url: string
let database: Database
beforeAll(async () => {
  url = await cloneDatabase()
  database = openDatabase({ url, pool: 1, name: 'away' })
  await installationOf(database)
})
afterAll(async () => {
  await database.close()
  await dropDatabase(url)
})
beforeEach(async () => {
  await noteAlive(database)
  await sql(`UPDATE installation SET alive_time = now() - interval '1 hour'`)
})

const sql = (text: string) => database.run<{ alive_time: Date }>({ name: '', text }, [])
const aliveTime = async () => (await sql('SELECT alive_time FROM installation'))[0]!.alive_time
const envOf = (connectionString: string) => ({
  DATABASE_URL: url, ENCRYPTION_KEY: randomBytes(32).toString('base64'), AZURE_STORAGE_CONNECTION_STRING: connectionString, AZURE_STORAGE_CONTAINER: CONTAINER,
})
function listening() {
  const said: string[] = []
  return { said, log: pino({ level: 'warn' }, { write: (line: string) => void said.push((JSON.parse(line) as { msg: string }).msg) }) }
}
function marksWith(connectionString: string) {
  const { said, log } = listening()
  const blobs = openBlobStore(storageOf(readSettings(envOf(connectionString))))
  return { said, blobs, mark: createRestoreMarks({ connection: database, blobs, log, clock: () => new Date() }) }
}

test('a worker notes nothing on books that may be older than the note, until the store answers', async () => {
  const before = await aliveTime()
  const away = marksWith(AWAY)
  await away.mark()
  await away.mark()
  expect([await aliveTime(), away.said]).toEqual([before, [expect.stringMatching(/^The blob store does not answer.*\((?!.*c2VjcmV0).*\)$/)]])

  const { said, blobs, mark } = marksWith(process.env.TEST_AZURE_STORAGE_CONNECTION_STRING!)
  await writeMark(blobs, { id: (await installationOf(database)).id, time: new Date() })
  await mark()
  expect([await aliveTime(), said]).toEqual([before, [expect.stringMatching(/^The database is as of .*run npm run after-restore/)]])

  // On which the service has just run, they cannot be older by much.
  const just = (await noteAlive(database))!
  await away.mark()
  expect((await aliveTime()).getTime()).toBeGreaterThan(just.getTime())
})

test('a worker that starts waits for the store, says so, and not for ever', async () => {
  const settings = readSettings(envOf(AWAY))
  const patient = listening()
  let isKnown = false
  const known = untilBooksAreKnown(settings, patient.log, 600_000).then(() => (isKnown = true))
  await until(() => patient.said.length > 0, 60_000, () => 'the worker does not say that it waits')
  expect([isKnown, patient.said]).toEqual([false, [expect.stringMatching(/^The blob store does not answer.*The worker waits for it, 600 seconds at most$/)]])
  await noteAlive(database)
  await known

  await sql(`UPDATE installation SET alive_time = now() - interval '1 hour'`)
  const { said, log } = listening()
  await untilBooksAreKnown(settings, log, 0)
  expect(said).toEqual([expect.stringMatching(/waits for it/), expect.stringMatching(/The worker starts without it$/)])
})

test('operators are told, and what follows a restore is not done without it', async () => {
  const run = (program: string) => new Promise<{ code: number; said: string }>((resolve) => {
    execFile(process.execPath, [`bin/${program}.ts`], { cwd: ROOT, env: { ...process.env, ...envOf(AWAY) } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }))
  })
  const [audited, followed] = await Promise.all([run('audit'), run('after-restore')])
  expect(audited).toEqual({ code: 0, said: expect.stringMatching(/^The books are in order\.\nThe blob store does not answer, so a restore is seen by the database alone \(.*\)\.\n$/) })
  expect(followed).toEqual({ code: 1, said: expect.stringMatching(/^The blob store, with the security log, cannot be read \(.*\)\. Nothing was done\. Without it: --without-store\n$/) })
})
