// The customer ledger as a stream: at the reader's pace, whole or broken off, and never at the cost of other calls.
import { get, type ClientRequest, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { BASE_PATH } from '../../api/server.ts'
import { credit, debit } from '../../domain/posting/posting.ts'
import { addContact, openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

// More than the sockets between the two take while nobody reads.
const ENTRIES = 6_400
const MEMO = 'A long story. '.repeat(220)
/** Of the database's connections; half of them at most stream ledgers, and half of these those of one organisation. */
const POOL = 6

let service: Service
let ours: TestOrganization
let id: string

beforeAll(async () => {
  service = await startService({ DATABASE_POOL: String(POOL) })
  ours = await openOrganization(service)
  id = await addContact(ours)
  const [receivable, sales] = [ours.accounts['Accounts Receivable']!, ours.accounts.Sales!]
  for (let written = 0; written < ENTRIES; written += 800) {
    await ours.write((books) => {
      for (let n = written; n < written + 800; n += 1) {
        const lines = [debit(receivable, 100n, { contactId: id }), credit(sales, 100n)]
        books.post({ date: '2026-05-01', source: 'MANUAL', sourceId: null, memo: `${n} ${MEMO}`, contactId: id, branchId: null, lines })
      }
    })
  }
}, 180_000)
afterAll(() => service.close())

function request(contactId: string, onAnswer: (answer: IncomingMessage) => void): ClientRequest {
  const url = `${service.origin}${BASE_PATH}/reports/customer_ledger?contact_id=${contactId}`
  return get(url, { agent: false, headers: { authorization: `Bearer ${ours.client.token}` } }, onAnswer)
}

/** Asks for the ledger; the answer waits to be read. */
function ask(contactId = id): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(contactId, (answer) => resolve(answer.pause())).on('error', reject)
  })
}

/** What can be read until the answer ends, or is broken off. */
async function readOut(answer: IncomingMessage): Promise<{ text: string; whole: boolean }> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of answer) chunks.push(chunk as Buffer)
  } catch (error) {
    expect(error).toMatchObject({ code: 'ECONNRESET' })
  }
  return { text: Buffer.concat(chunks).toString('utf8'), whole: answer.complete }
}

/** The connections of the API that are in the middle of something. */
const underWay = () => service.sql<{ pid: number; state: string }>(
  `SELECT pid, state FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'bahi api' AND state <> 'idle'`,
)
const told = async (status: number) => {
  const line = new RegExp(`_count\\{method="GET",route="/reports/customer_ledger",status="${status}"\\} (\\d+)`)
  return Number(line.exec(await (await fetch(`${service.origin}/metrics`)).text())?.[1] ?? 0)
}

/** Asks again and again until the answer is as expected; fails with the last when the time is up. */
async function until<T>(look: () => Promise<T>, expected: T): Promise<void> {
  const end = Date.now() + 40_000
  for (let seen = await look(); ; seen = await look()) {
    if (JSON.stringify(seen) === JSON.stringify(expected) || Date.now() > end) return expect(seen).toEqual(expected)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
const nothingUnderWay = () => until(underWay, [])

test('it is sent in chunks, with the headers of every answer, and complete', async () => {
  const answer = await ask()
  expect(answer.statusCode).toBe(200)
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json', 'transfer-encoding': 'chunked', 'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'x-ratelimit-limit': expect.any(String), 'x-ratelimit-remaining': expect.any(String), 'x-ratelimit-reset': expect.any(String),
  })
  expect(answer.headers).not.toHaveProperty('content-length')
  const { text, whole } = await readOut(answer)
  expect(whole).toBe(true)
  const { code, message, customer_ledger: ledger } = JSON.parse(text)
  expect([code, message, ledger.total_debit, ledger.closing_balance]).toEqual([0, 'success', ENTRIES, ENTRIES])
  expect(ledger.transactions.map(({ balance }: { balance: number }) => balance)).toEqual(Array.from({ length: ENTRIES }, (_, n) => n + 1))
  await nothingUnderWay()
})

test('a reader who rests is waited for, with no more read than is on its way to him', async () => {
  const answer = await ask()
  await until(async () => (await underWay()).map(({ state }) => state), ['idle in transaction'])
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  expect(await underWay()).toHaveLength(1)
  const { text, whole } = await readOut(answer)
  expect([whole, JSON.parse(text).customer_ledger.transactions.length]).toEqual([true, ENTRIES])
})

test('one connection serves one ledger after the other', async () => {
  const small = await addContact(ours)
  const before = service.unhandledErrors.length
  for (let n = 0; n < 4 * POOL; n += 1) expect((await ours.get(`/reports/customer_ledger?contact_id=${small}`)).customer_ledger.transactions).toEqual([])
  expect(service.unhandledErrors).toHaveLength(before)
})

describe('a reader who goes away', () => {
  test('in the middle of the answer gives the connection back', async () => {
    const gone = await told(499)
    const answer = await ask()
    await until(async () => (await underWay()).length, 1)
    answer.destroy()
    await nothingUnderWay()
    await until(() => told(499), gone + 1)
  })

  test('before the first byte ends the question', async () => {
    const gone = await told(499)
    await service.database.transaction(async (connection) => {
      await connection.run({ name: '', text: 'LOCK TABLE journal_lines IN ACCESS EXCLUSIVE MODE' }, [])
      const asking = request(id, () => undefined).on('error', () => undefined)
      await until(async () => (await underWay()).map(({ state }) => state), ['active'])
      asking.destroy()
      // The lock is still held: the question is not over by itself.
      await nothingUnderWay()
    })
    await until(() => told(499), gone + 1)
    expect((await readOut(await ask())).whole).toBe(true)
  })
})

test('readers who do not read hold up neither other calls nor, for long, other readers', async () => {
  const gone = await told(499)
  const places = Math.ceil(POOL / 4)
  const idle = await Promise.all(Array.from({ length: places }, () => ask()))
  await until(async () => (await underWay()).length, places)
  const late = ask()
  for (let n = 0; n < 20; n += 1) await ours.get('/contacts')
  // They are answered while all of these readers still have their connections.
  await until(async () => (await underWay()).length, places)
  // Another organisation has places of its own.
  const theirs = await openOrganization(service)
  expect((await theirs.get(`/reports/customer_ledger?contact_id=${theirs.customerId}`)).code).toBe(0)
  // Who waited for a place and went is no longer waited for.
  const leaving = request(id, () => undefined).on('error', () => undefined)
  await new Promise((resolve) => setTimeout(resolve, 500))
  leaving.destroy()
  await until(() => told(499), gone + 1)
  const refused = await late
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '5'])
  expect(JSON.parse((await readOut(refused)).text)).toMatchObject({ code: 'service.unavailable', request_id: refused.headers['x-request-id'] })
  await nothingUnderWay()
  for (const answer of idle) {
    const { text, whole } = await readOut(answer)
    expect(whole).toBe(false)
    expect(() => JSON.parse(text)).toThrow()
  }
  await until(() => told(499), gone + places + 1)
  expect((await readOut(await ask())).whole).toBe(true)
})

describe('what fails', () => {
  test('before the first byte is answered in the envelope', async () => {
    const refused = await ask('nobody')
    expect([refused.statusCode, refused.headers['content-length']]).toEqual([404, expect.any(String)])
    expect(JSON.parse((await readOut(refused)).text).code).toBe('not_found.resource')
    await service.sql('ALTER TABLE journals RENAME TO journals_away')
    const failed = await ask().finally(() => service.sql('ALTER TABLE journals_away RENAME TO journals'))
    expect([failed.statusCode, JSON.parse((await readOut(failed)).text).code]).toEqual([500, 'internal.error'])
    expect(service.unhandledErrors.splice(0)).toEqual([expect.stringContaining('journals')])
    await nothingUnderWay()
  })

  test('later breaks the connection, is logged, and hurts nobody else', async () => {
    const answer = await ask()
    await until(async () => (await underWay()).map(({ state }) => state), ['idle in transaction'])
    await service.sql('SELECT pg_terminate_backend($1)', (await underWay())[0]!.pid)
    const { text, whole } = await readOut(answer)
    expect([answer.statusCode, whole]).toEqual([200, false])
    expect(() => JSON.parse(text)).toThrow()
    expect(service.unhandledErrors.splice(0)).toEqual([expect.stringContaining(answer.headers['x-request-id'] as string)])
    expect(await told(500)).toBeGreaterThan(0)
    expect((await readOut(await ask())).whole).toBe(true)
  })
})
