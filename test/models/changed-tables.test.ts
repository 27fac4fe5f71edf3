// A table that a migration changes under a running process: no call of the process fails, and none is carried out twice.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { openDatabase, type Database } from '../../models/database.ts'
import { cloneDatabase, dropDatabase } from '../fixtures/template.ts'

const POOL = 3
let url: string
let database: Database

beforeAll(async () => {
  url = await cloneDatabase()
})
afterAll(() => dropDatabase(url))

const plain = (text: string) => database.run({ name: '', text }, [])
const ALL = { name: 'all notes', text: 'SELECT * FROM notes ORDER BY text', takesNoLock: true as const }
const ADD = { name: 'add a note', text: 'INSERT INTO notes (text) VALUES ($1) RETURNING *' }
const ADD_ONE = { name: 'add without an answer', text: 'INSERT INTO notes (text) VALUES ($1)' }
const texts = (rows: unknown[]) => (rows as { text: string }[]).map(({ text }) => text)

// Each connection of the pool has prepared the statements before the table changes.
beforeEach(async () => {
  database = openDatabase({ url, pool: POOL, name: 'bahi changed' })
  await plain('DROP TABLE IF EXISTS notes')
  await plain('CREATE TABLE notes (text text)')
  await plain(`INSERT INTO notes VALUES ('kept')`)
  let met = 0
  let release = () => {}
  const all = new Promise<void>((resolve) => (release = resolve))
  class Undone extends Error {}
  await Promise.all(Array.from({ length: POOL }, () => database.transaction(async (transaction) => {
    await transaction.run(ALL, [])
    await transaction.run(ADD, ['undone'])
    if (++met === POOL) release()
    await all
    throw new Undone()
  }).catch((error) => { if (!(error instanceof Undone)) throw error })))
  await plain('ALTER TABLE notes ADD COLUMN colour text')
})
afterEach(() => database.close())

const connections = async () =>
  (await database.run<{ pid: number }>({ name: '', text: `SELECT pid FROM pg_stat_activity WHERE application_name = 'bahi changed'` }, [])).length

test('statements by themselves, in one round trip, and of one moment', async () => {
  expect(await database.run(ALL, [])).toEqual([{ text: 'kept', colour: null }])
  const [first, second] = await database.runBoth([ADD_ONE, ['one']], [ALL, []])
  expect([first, texts(second)]).toEqual([[], ['kept', 'one']])
  expect((await database.runAll([[ADD, ['two']], [ALL, []]])).map(texts)).toEqual([['two'], ['kept', 'one', 'two']])
  expect((await database.snapshot([[ALL, []], [ALL, []]])).map((rows) => rows.length)).toEqual([3, 3])
  expect(await database.observe(ALL, [])).toHaveLength(3)
})

test('calls at the same time, on every connection of the pool', async () => {
  const answers = await Promise.all(Array.from({ length: 4 * POOL }, (_, n) => database.run(ADD, [`note ${n}`])))
  expect(answers.flat()).toHaveLength(4 * POOL)
  expect(await database.run(ALL, [])).toHaveLength(4 * POOL + 1)
  expect(await connections()).toBeLessThanOrEqual(POOL)
})

test('the statement before it in the same round trip is not carried out twice', async () => {
  await database.runAll([[ADD_ONE, ['once']], [ALL, []]])
  expect(texts(await database.run(ALL, []))).toEqual(['kept', 'once'])
})

test.each([
  ['first', async () => database.transaction(async (transaction) => transaction.run(ADD, ['in']))],
  ['later', async () => database.transaction(async (transaction) => {
    await transaction.run(ADD_ONE, ['before'])
    return transaction.run(ADD, ['in'])
  })],
  ['last', async () => database.transaction(async (transaction) => {
    await transaction.run(ADD_ONE, ['before'])
    return transaction.runLast(ADD, ['in'])
  })],
  ['precondition', async () => database.transaction(async (transaction) => {
    transaction.require({ statement: [ALL, []], check: (rows) => expect(rows).toHaveLength(1) })
    return transaction.run(ADD, ['in'])
  })],
])('a transaction whose %s statement is refused is done once more', async (_, work) => {
  expect(texts(await work())).toEqual(['in'])
  expect(texts(await database.run(ALL, [])).filter((text) => text === 'in')).toHaveLength(1)
  expect(texts(await database.run(ALL, [])).filter((text) => text === 'before').length).toBeLessThanOrEqual(1)
})

test('another change after the first, and a portioned read', async () => {
  await database.run(ALL, [])
  await plain('ALTER TABLE notes ADD COLUMN size integer')
  expect(await database.run(ALL, [])).toEqual([{ text: 'kept', colour: null, size: null }])
  const portions = database.portions<object>([ALL, []], 10)
  expect((await portions.next()).value).toHaveLength(1)
  await portions.return()
})

test('what PostgreSQL cannot do for another reason fails as before', async () => {
  await expect(plain('SELECT count(*) FROM notes FOR UPDATE')).rejects.toMatchObject({ code: '0A000' })
})
