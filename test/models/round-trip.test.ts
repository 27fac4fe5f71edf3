// The statements of one round trip: what a failure in one of them, or after the last, does to the others.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openDatabase, type Database } from '../../models/database.ts'
import { cloneDatabase, dropDatabase } from '../fixtures/template.ts'

let url: string
let database: Database
beforeAll(async () => {
  url = await cloneDatabase()
  database = openDatabase({ url, pool: 2, name: 'bahi round trip' })
  await database.run({ name: '', text: 'CREATE TABLE deferred (n integer UNIQUE DEFERRABLE INITIALLY DEFERRED)' }, [])
})
afterAll(async () => {
  await database.close()
  await dropDatabase(url)
})

const insert = (name: string) => ({ name, text: 'INSERT INTO deferred SELECT unnest($1::integer[]) RETURNING n' })
const rows = async () => (await database.run<{ n: number }>({ name: 'all', text: 'SELECT n FROM deferred ORDER BY n' }, [])).map(({ n }) => n)

test('a statement that is refused only when it is committed is not answered as done', async () => {
  await expect(database.run(insert('late'), [[1, 1]])).rejects.toMatchObject({ code: '23505' })
  expect(await rows()).toEqual([])
  expect(await database.run(insert('late'), [[1]])).toEqual([{ n: 1 }])
})

test('what follows a failed statement is not run, and the connection is used on', async () => {
  const wrong = { name: 'wrong', text: 'SELECT 1 / $1::integer AS n' }
  await expect(database.runBoth([wrong, [0]], [insert('second'), [[2]]])).rejects.toMatchObject({ code: '22012' })
  await expect(database.runBoth([insert('second'), [[3]]], [wrong, [0]])).rejects.toMatchObject({ code: '22012' })
  expect(await rows()).toEqual([1])
  expect(await database.runBoth([wrong, [1]], [insert('second'), [[4]]])).toEqual([[{ n: 1 }], [{ n: 4 }]])
  expect(await rows()).toEqual([1, 4])
})

test('a connection that the server has ended is not lent again', async () => {
  const ended = { name: 'end', text: 'SELECT pg_terminate_backend(pg_backend_pid())' }
  await expect(database.run(ended, [])).rejects.toThrow()
  for (let call = 0; call < 5; call += 1) expect(await rows()).toEqual([1, 4])
})
