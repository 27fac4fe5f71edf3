// A database that is lost in the middle of a write: the answer says so, and nothing is done twice.
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { BASE_PATH } from '../../api/server.ts'
import { blockedBy } from '../fixtures/blocked.ts'
import { callAt, clientOf, type Client } from '../fixtures/client.ts'
import { openEmptyOrganization, type EmptyOrganization } from '../fixtures/empty-organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let wire: Wire
let ours: EmptyOrganization
/** The same organisation, through an API whose database is at the end of the wire. */
let client: Client
let closeSecond: () => Promise<void>

beforeAll(async () => {
  service = await startService()
  wire = await layWire(new URL(service.databaseUrl))
  const second = await service.another({ DATABASE_URL: wire.url })
  closeSecond = second.close
  ours = await openEmptyOrganization(service)
  client = clientOf(callAt(second.origin + BASE_PATH), ours.client.orgId, ours.client.token)
})
afterAll(async () => {
  await closeSecond()
  await wire.close()
  await service.close()
})

interface Wire {
  url: string
  /** What becomes of the next COMMIT: it does not arrive, or its answer does not come back. The connection is cut. */
  cutAt: 'COMMIT' | 'answer' | null
  close(): Promise<void>
}

/** A TCP connection to PostgreSQL that can be cut. */
async function layWire(database: URL): Promise<Wire> {
  const open = new Set<Socket>()
  const server: Server = createServer((near) => {
    const far = connect(Number(database.port), database.hostname)
    let isCut = false
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => undefined).on('close', () => open.delete(socket))
    }
    near.on('data', (chunk) => {
      if (wire.cutAt === null || !chunk.includes('COMMIT')) return void far.write(chunk)
      isCut = true
      if (wire.cutAt === 'answer') far.write(chunk)
      else near.destroy()
    })
    far.on('data', (chunk) => (isCut ? chunk.includes('COMMIT') && near.destroy() : near.write(chunk)))
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const wire: Wire = {
    url: Object.assign(new URL(database), { hostname: '127.0.0.1', port: String((server.address() as AddressInfo).port) }).href,
    cutAt: null,
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
  return wire
}

const named = async (contact_name: string) => (await ours.listAll('/contacts', 'contacts', 50)).filter((each) => each.contact_name === contact_name)
const AWAY = { status: 503, body: { code: 'service.unavailable' }, headers: { 'retry-after': '2' } }
const UNKNOWN = { ...AWAY, body: { code: 'service.unavailable', message: expect.stringContaining('it may have been carried out') } }

describe.each(['COMMIT', 'answer'] as const)('the connection is lost with the %s', (cut) => {
  test('of a call without a key: 503 that says so, and not tried again', async () => {
    wire.cutAt = cut
    const contact_name = `Unkeyed, ${cut.toLowerCase()}`
    expect(await client.call('POST', '/contacts', { body: { contact_name } }).finally(() => (wire.cutAt = null))).toMatchObject(UNKNOWN)
    expect(await named(contact_name)).toHaveLength(cut === 'answer' ? 1 : 0)
  })

  test('of a call with a key: a repeat does it once', async () => {
    wire.cutAt = cut
    const contact_name = `Keyed, ${cut.toLowerCase()}`
    const call = () => client.post('/contacts', { contact_name }, `lost-${cut.toLowerCase()}`)
    expect(await call().finally(() => (wire.cutAt = null))).toMatchObject(UNKNOWN)
    const repeated = await call()
    expect([repeated.status, repeated.headers['idempotency-replay']]).toEqual([201, cut === 'answer' ? 'true' : undefined])
    expect(await named(contact_name)).toEqual([repeated.body.contact])
  })
})

describe('the backend is terminated', () => {
  /** Ends the API's connection that waits for the row which `lock` holds, while `call` is at work. */
  async function whileHeld(lock: string, value: string, call: () => Promise<unknown>): Promise<unknown> {
    return service.database.transaction(async (held) => {
      await held.run({ name: '', text: lock }, [value])
      const calling = call()
      for (const pid of await blockedBy(held)) await service.sql('SELECT pg_terminate_backend($1)', pid)
      return calling
    })
  }

  test('while a command reads: 503, nothing is written, a repeat of the key does it', async () => {
    const id = (await ours.send('POST', '/contacts', { contact_name: 'Held' })).contact.contact_id
    const call = () => client.post(`/contacts/${id}/archive`, undefined, 'held-read')
    expect(await whileHeld('SELECT FROM contacts WHERE id = $1 FOR UPDATE', id, call)).toMatchObject(AWAY)
    expect((await ours.get(`/contacts/${id}`)).contact.status).toBe('ACTIVE')
    expect((await call()).body.contact.status).toBe('INACTIVE')
  })

  test('while it writes, the COMMIT behind it: 503, a repeat of the key does it once', async () => {
    const contact_id = (await ours.send('POST', '/contacts', { contact_name: 'Numbered' })).contact.contact_id
    const body = { customer_id: contact_id, line_items: [{ name: 'Slates', quantity: 1, rate: 5 }] }
    await ours.send('POST', '/estimates', body)
    const call = () => client.post('/estimates', body, 'held-write')
    expect(await whileHeld('SELECT FROM number_counters WHERE org_id = $1 FOR UPDATE', ours.client.orgId, call)).toMatchObject(UNKNOWN)
    const repeated = await call()
    expect([repeated.status, repeated.headers['idempotency-replay']]).toEqual([201, undefined])
    expect((await ours.get('/estimates')).estimates).toHaveLength(2)
  })
})
