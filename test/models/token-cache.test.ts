// Whose token is whose is remembered only as long as it is certain.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Connection } from '../../models/connection.ts'
import type { Database } from '../../models/database.ts'
import { rememberTokens, type TokenCache } from '../../models/token-cache.ts'
import type { Client } from '../fixtures/client.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let client: Client
let memory: TokenCache
let asked = 0

const counting = (): Connection & Pick<Database, 'observe'> => ({
  run: (statement, values) => {
    if (statement.name === 'token holder') asked += 1
    return service.database.run(statement, values)
  },
  runBoth: (first, second) => service.database.runBoth(first, second),
  runAll: (statements) => service.database.runAll(statements),
  observe: (statement, values) => service.database.observe(statement, values),
})
const find = (now = new Date()) => memory.find(client.token, now)
const inMs = (ms: number) => new Date(Date.now() + ms)

/** Repeats the check until it is true: a notification takes as long as PostgreSQL takes to send it. */
async function soon(question: () => Promise<boolean>): Promise<void> {
  const last = Date.now() + 90_000
  while (!(await question())) {
    if (Date.now() > last) throw new Error('it never came')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** The memory serves without asking, so it hears. */
async function remembers(): Promise<boolean> {
  await find()
  const before = asked
  await find()
  return asked === before
}

beforeAll(async () => {
  service = await startService()
  client = await service.organization()
  memory = rememberTokens(counting(), service.databaseUrl)
})
beforeEach(() => soon(remembers))
afterAll(async () => {
  await memory.close()
  await service.close()
})

describe('a token', () => {
  test('is looked up once, and again after five seconds', async () => {
    const now = inMs(60_000)
    await find(now)
    const before = asked
    for (let call = 0; call < 20; call += 1) await find(now)
    expect(asked).toBe(before)
    await find(new Date(now.getTime() + 5_100))
    expect(asked).toBe(before + 1)
  })

  test('that does not exist is looked up each time', async () => {
    const before = asked
    expect(await memory.find('svc_pat_nobody', new Date())).toBeNull()
    expect(await memory.find('svc_pat_nobody', new Date())).toBeNull()
    expect(asked).toBe(before + 2)
  })

  test('is forgotten when the organisation changes, whoever changes it', async () => {
    await service.sql(`UPDATE organizations SET name = 'Renamed' WHERE id = $1`, client.orgId)
    await soon(async () => (await find())?.organization.name === 'Renamed')
  })

  test('is not served past its end', async () => {
    const ends = inMs(300_000)
    await service.sql('UPDATE tokens SET expires_time = $2 WHERE org_id = $1', client.orgId, ends)
    await soon(async () => (await find())?.token.ends?.getTime() === ends.getTime())
    expect(await find(new Date(ends.getTime() + 1))).toBeNull()
    await service.sql('UPDATE tokens SET expires_time = NULL WHERE org_id = $1', client.orgId)
    await soon(async () => (await find())?.token.ends === null)
  })

  test('is remembered by nobody who cannot hear', async () => {
    await service.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bahi listens to callers' AND datname = current_database()`)
    await soon(async () => !(await remembers()))
    await soon(remembers)
  })
})
