// What a transaction requires is answered before anything that relies on it.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Statement } from '../../models/connection.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import type { Precondition } from '../../models/transaction.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let database: Database

beforeAll(async () => {
  service = await startService()
  await service.sql('CREATE TABLE notes (text text PRIMARY KEY)')
  await service.sql(`INSERT INTO notes VALUES ('kept')`)
  database = openDatabase({ url: service.databaseUrl, pool: 2, name: 'bahi test' })
})
afterAll(async () => {
  await database.close()
  await service.close()
})

class Refused extends Error {}
const READ: Statement = { name: '', text: 'SELECT text FROM notes', takesNoLock: true }
const LOCK: Statement = { name: '', text: 'SELECT text FROM notes FOR UPDATE' }
const ADD: Statement = { name: '', text: 'INSERT INTO notes VALUES ($1)' }
const BROKEN: Statement = { name: '', text: 'SELECT 1 / 0', takesNoLock: true }

const requirement = (holds: boolean, more: Partial<Precondition> = {}): Precondition => ({
  statement: [{ name: '', text: 'SELECT $1::boolean AS holds' }, [holds]],
  check([row]) {
    if (!(row as { holds: boolean }).holds) throw new Refused()
  },
  ...more,
})
const notes = async () => (await service.sql<{ text: string }>('SELECT text FROM notes ORDER BY text')).map(({ text }) => text)

describe('a requirement', () => {
  test('travels with the first statement: one round trip for both, and the answer is that statement\'s', async () => {
    const before = database.roundTrips()
    expect(await database.transaction(async (transaction) => {
      transaction.require(requirement(true))
      transaction.require(requirement(true))
      const rows = await transaction.run(READ, [])
      expect(database.roundTrips() - before).toBe(1)
      return rows
    })).toEqual([{ text: 'kept' }])
    expect(database.roundTrips() - before).toBe(2)
  })

  test('that does not hold ends the transaction, whatever its work makes of the error', async () => {
    await expect(database.transaction(async (transaction) => {
      transaction.require(requirement(false))
      await transaction.run(ADD, ['swallowed']).catch(() => undefined)
      await transaction.run(ADD, ['later']).catch(() => undefined)
    })).rejects.toThrow(Refused)
    expect(await notes()).toEqual(['kept'])
  })

  test('is checked before the last statement is sent', async () => {
    await expect(database.transaction(async (transaction) => {
      transaction.require(requirement(false))
      await transaction.runLast(ADD, ['last'])
    })).rejects.toThrow(Refused)
    expect(await notes()).toEqual(['kept'])
  })

  test('is checked also where the work sends nothing', async () => {
    await expect(database.transaction(async (transaction) => transaction.require(requirement(false)))).rejects.toThrow(Refused)
  })

  test('that does not hold is reported rather than the failure of the statement it travels with', async () => {
    const failing = (holds: boolean) => database.transaction(async (transaction) => {
      transaction.require(requirement(holds))
      await transaction.run(BROKEN, [])
    })
    await expect(failing(false)).rejects.toThrow(Refused)
    await expect(failing(true)).rejects.toThrow('division by zero')
  })

  test('marked beforeLocks is answered while another transaction holds the lock that the work wants', async () => {
    await database.transaction(async (holder) => {
      await holder.run(LOCK, [])
      await expect(database.transaction(async (transaction) => {
        transaction.require(requirement(false, { beforeLocks: true }))
        await transaction.run(LOCK, [])
      })).rejects.toThrow(Refused)
    })
  })
})
