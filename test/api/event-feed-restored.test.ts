// The change feed of a restored backup: readers that had read further are told, also once other events have the same positions.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { BASE_PATH, createApi } from '../../api/server.ts'
import { audit } from '../../audit/audit.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { removeOldEvents } from '../../models/event-retention.ts'
import { mintPartnerKey } from '../../models/partner-key.ts'
import { readSettings } from '../../settings.ts'
import { callAt, clientOf, type Answered, type Client, type Json } from '../fixtures/client.ts'
import { cloneDatabase, copyDatabase, dropDatabase } from '../fixtures/template.ts'

const FEED = '/webhooks/events'
const ENCRYPTION_KEY = randomBytes(32).toString('base64')
const databases: string[] = []
let closing: (() => Promise<void>)[] = []

beforeAll(async () => {
  databases.push(await cloneDatabase())
})
afterAll(async () => {
  await close()
  for (const url of databases) await dropDatabase(url)
})

/** Starts the API on a database, with the key that every one of them has. */
async function open(url: string): Promise<{ database: Database; at: ReturnType<typeof callAt> }> {
  const env = { PORT: '0', DATABASE_URL: url, DATABASE_POOL: '4', ENCRYPTION_KEY, RATE_LIMIT_DEFAULT: '100000', RATE_LIMIT_PARTNER: '100000' }
  const api = createApi(readSettings(env), pino({ level: 'silent' }))
  const database = openDatabase({ url, pool: 1, name: 'restored' })
  closing.push(() => api.close(), () => database.close())
  return { database, at: callAt(`http://127.0.0.1:${await api.listen()}${BASE_PATH}`) }
}

async function close(): Promise<void> {
  for (const end of closing) await end()
  closing = []
}

const read = (client: Client, cursor: string): Promise<Answered> => client.get(`${FEED}?cursor=${cursor}`)
const cursorsBehind = (client: Client, ...counts: number[]): Promise<string[]> =>
  Promise.all(counts.map(async (count) => (await client.get(`${FEED}?per_page=${count}`)).body.page_context.next_cursor as string))
const eventsOf = ({ status, body }: Answered): unknown => (status === 200 ? body.events.map(({ position, event_type: type }: Json) => `${position} ${type}`) : body)
const GONE = (reason: string) => ({ status: 410, body: { code: 'gone.cursor', field: 'cursor', details: { reason } } })

test('a reader with a cursor from after the backup is told, and one from before it goes on', async () => {
  const first = await open(databases[0]!)
  const partnerKey = await mintPartnerKey(first.database, 'Partner', new Date())
  const { body: { organization, token } } = await first.at('POST', '/partner/organizations', { partnerKey, key: 'org', body: { name: 'Restored Books', state_code: 'IN-KA' } })
  const at = (call: ReturnType<typeof callAt>) => clientOf(call, organization.org_id, token.token)
  const contact = async (client: Client) => (await client.post('/contacts', { contact_name: 'Meena' })).body
  const before = at(first.at)
  const { contact: { contact_id: customer_id } } = await contact(before)
  const announce = async (client: Client, path: string, count: number, body: object) => {
    for (let n = 0; n < count; n += 1) {
      const { status, text } = await client.post(path, { ...body, line_items: [{ name: 'Silk', rate: 100, quantity: 1 }] })
      if (status !== 201) throw new Error(text)
    }
  }
  const estimates = (client: Client, count: number) => announce(client, '/estimates', count, { customer_id })
  const orders = (client: Client, count: number) => announce(client, '/sales_orders', count, { customer_id })

  await estimates(before, 3)
  await close()
  databases.push(await copyDatabase(databases[0]!))
  const after = at((await open(databases[0]!)).at)
  await estimates(after, 2)
  const [one, three, four, five] = await cursorsBehind(after, 1, 3, 4, 5) as [string, string, string, string]
  await close()

  // The backup takes the place of the database.
  const { database, at: call } = await open(databases[1]!)
  const restored = at(call)
  const expectGone = async () => {
    for (const cursor of [four, five]) expect(await read(restored, cursor)).toMatchObject(GONE('RESTORED'))
  }
  expect(eventsOf(await read(restored, one))).toEqual(['2 ESTIMATE_CREATED', '3 ESTIMATE_CREATED'])
  expect(eventsOf(await read(restored, three))).toEqual([])
  await expectGone()
  for (let n = 0; n < 3; n += 1) {
    await orders(restored, 1)
    await expectGone()
  }
  expect(eventsOf(await read(restored, three))).toEqual([4, 5, 6].map((position) => `${position} SALES_ORDER_CREATED`))
  expect(await audit(database)).toEqual([])

  // Months later the events that took these positions are removed.
  expect(await removeOldEvents(database, organization.org_id, new Date(Date.now() + 1_000))).toBe(5)
  expect(await read(restored, four)).toMatchObject(GONE('REMOVED'))
  expect(await read(restored, five)).toMatchObject(GONE('RESTORED'))
  expect(await audit(database)).toEqual([])
})
