// The request log: which calls it has, who finds them by what, that no call waits for it, and how long it is kept.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { Registry } from 'prom-client'
import { createRequestLog } from '../../api/http/request-log.ts'
import { equalTo, everything, hasId } from '../../models/condition.ts'
import { statementOfPage } from '../../models/page.ts'
import { requests, writeRequests } from '../../models/request.ts'
import { forgetOldRequests } from '../../worker/retention.ts'
import { callAt, type Client, type Json } from '../fixtures/client.ts'
import { OWN_PAGE, personWith, type Person } from '../fixtures/persons.ts'
import { codeOf } from '../fixtures/sign-ins.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
let client: Client
let owner: Person

beforeAll(async () => {
  client = await service.organization()
  owner = await personWith(service, client.orgId, 'OWNER')
})

const listed = async (query = '', by = owner) => (await by.call('GET', `/requests${query}`)).body.requests as Json[]
const idOf = ({ headers }: { headers: Record<string, string> }) => headers['x-request-id']!

/** The call with this id, once it is written. */
async function logged(id: string, by = owner): Promise<Json> {
  for (;;) {
    const [found] = await listed(`?request_id=${id}`, by)
    if (found) return found
    await delay(50)
  }
}

describe('a call', () => {
  test('is found by the id of its answer, with its route as declared and its token', async () => {
    const { token_id } = (await client.get('/whoami')).body.token
    const missing = await client.get(`/invoices/${randomUUID()}`)
    expect(await logged(idOf(missing))).toEqual({
      request_id: idOf(missing), time: expect.stringMatching(/Z$/), method: 'GET', route: '/invoices/{invoice_id}', status: 404,
      duration_ms: expect.any(Number), token_id,
    })
    const refused = await client.call('POST', '/invoices', { body: {}, key: 'a', headers: { 'x-svc-org': randomUUID() } })
    expect(await logged(idOf(refused))).toMatchObject({ method: 'POST', route: '/invoices', status: 404, token_id })
  })

  test('of a person has no token, whether it is of the public API or of the console', async () => {
    const read = await service.call('GET', '/contacts', { headers: { cookie: owner.cookie, ...OWN_PAGE } })
    const changed = await owner.call('PUT', '/preferences', { body: {} })
    expect([await logged(idOf(read)), await logged(idOf(changed))]).toEqual([
      expect.objectContaining({ route: '/contacts', token_id: null }), expect.objectContaining({ method: 'PUT', route: '/internal/v1/preferences', token_id: null }),
    ])
  })

  test("is its organisation's alone; one of nobody is in no log", async () => {
    const other = await service.organization()
    const stranger = await personWith(service, other.orgId, 'OWNER')
    const ours = await client.get('/contacts')
    const nobodys = await service.call('GET', '/contacts', { token: 'svc_pat_x' })
    await logged(idOf(ours))
    for (const id of [idOf(ours), idOf(nobodys), 'x', '']) expect(await listed(`?request_id=${id}`, stranger)).toEqual([])
    expect(await listed(`?request_id=${idOf(nobodys)}`)).toEqual([])
    expect(await service.sql('SELECT FROM requests WHERE id = $1', idOf(nobodys))).toEqual([])
  })

  test('above the rate limit is in no log', async () => {
    const narrow = await service.another({ RATE_LIMIT_DEFAULT: '1', RATE_LIMIT_PARTNER: '1' })
    const { orgId, token } = await service.organization()
    const call = () => callAt(`${narrow.origin}/api/public/v1`)('GET', '/contacts', { token })
    expect([(await call()).status, (await call()).status]).toEqual([200, 429])
    await narrow.close()
    expect(await service.sql('SELECT status FROM requests WHERE org_id = $1', orgId)).toEqual([{ status: 200 }])
  })

  test('is read by owners and accountants', async () => {
    const by = async (role: 'ACCOUNTANT' | 'VIEWER') => codeOf(await (await personWith(service, client.orgId, role)).call('GET', '/requests'))
    expect([await by('ACCOUNTANT'), await by('VIEWER')]).toEqual([[200, 0], [403, 'auth.insufficient_scope']])
  })
})

describe('the list', () => {
  let person: Person
  const tokens = [randomUUID(), randomUUID()]
  const at = (n: number) => new Date(Date.UTC(2026, 10, 20, 0, 0, n))

  beforeAll(async () => {
    const { orgId } = await service.organization()
    person = await personWith(service, orgId, 'ACCOUNTANT')
    await writeRequests(service.database, Array.from({ length: 24 }, (_, n) => ({
      org_id: orgId, id: randomUUID(), time: at(n >> 1), method: 'GET', route: n % 3 === 0 ? '/items' : '/contacts', status: n % 4 === 0 ? 404 : 200, duration_ms: n, token_id: tokens[n % 2]!,
    })))
  })
  // The reading of the log is logged too.
  const ofTokens = (rows: Json[]) => rows.filter(({ token_id }) => token_id !== null)

  test.each([
    ['route=/items', 8], ['route=/item', 0], ['route=%25', 0], ['status=404&route=/items', 2], [`token_id=${tokens[0]}`, 12], [`token_id=${tokens[0]}&status=404`, 6],
    [`token_id=${tokens[0]!.toUpperCase()}&route=/contacts`, 8], [`token_id=${randomUUID()}`, 0], ['token_id=x', 0], ['status=418', 0],
  ])('by %s has %i', async (query, count) => {
    expect(ofTokens(await listed(`?${query}`, person))).toHaveLength(count)
  })

  test('is in pages, the newest first, whatever comes meanwhile', async () => {
    const seen: Json[] = []
    for (let cursor = ''; ; ) {
      const { body } = await person.call('GET', `/requests?token_id=${tokens[1]}&per_page=5${cursor}`)
      seen.push(...body.requests)
      if (!body.page_context.has_more_page) break
      cursor = `&cursor=${body.page_context.next_cursor}`
    }
    expect(seen.map(({ duration_ms }) => duration_ms)).toEqual(Array.from({ length: 12 }, (_, n) => 23 - 2 * n))
    const { next_cursor } = (await person.call('GET', '/requests?per_page=1')).body.page_context
    expect(codeOf(await person.call('GET', `/requests?per_page=1&route=/items&cursor=${next_cursor}`))).toEqual([400, 'validation.invalid_value'])
    expect(codeOf(await owner.call('GET', `/requests?per_page=1&cursor=${next_cursor}`))).toEqual([400, 'validation.invalid_value'])
  })

  test.each(['status=x', 'status=99', 'per_page=201', `route=${'x'.repeat(201)}`])('refuses %s', async (query) => {
    expect([400, 422]).toContain((await person.call('GET', `/requests?${query}`)).status)
  })
})

test('every filter has an index in the order of the list', async () => {
  const orgId = randomUUID()
  await service.sql(`INSERT INTO requests SELECT CASE WHEN n % 2 = 0 THEN $1::uuid ELSE gen_random_uuid() END, gen_random_uuid(), now() - n * interval '1 second', 'GET', '/r' || n % 50,
    200 + n % 7, 1, ('00000000-0000-7000-8000-' || lpad(to_hex(n % 40), 12, '0'))::uuid FROM generate_series(1, 20000) AS n`, orgId)
  await service.sql('ANALYZE requests')
  const filters = { requests_by_time: everything, requests_by_route: equalTo('route', '/r2'), requests_by_status: equalTo('status', 203),
    requests_by_token: hasId('token_id', '00000000-0000-7000-8000-000000000002'), requests_pkey: hasId('id', randomUUID()) }
  for (const [index, where] of Object.entries(filters)) {
    for (const after of [null, { time: new Date(Date.now() - 9_000_000).toISOString(), id: randomUUID() }]) {
      const { text } = await statementOfPage({ connection: service.database, orgId }, requests, { where, perPage: 50, after, by: 'time' })
      const plan = (await service.sql<Record<string, string>>(`EXPLAIN ${text}`)).map((row) => row['QUERY PLAN']).join('\n')
      expect(plan).toContain(`using ${index} on`)
      if (index !== 'requests_pkey') expect(plan).not.toContain('Sort')
    }
  }
})

describe('no call waits for it', () => {
  const row = () => ({ requestId: randomUUID(), orgId: client.orgId, subject: null, ip: null, method: 'GET', route: '/waiting', status: 200, durationMs: 1, time: new Date(), tokenId: null, isOverLimit: false })
  const written = async () => Number((await service.sql<{ count: bigint }>(`SELECT count(*) FROM requests WHERE org_id = $1 AND route = '/waiting'`, client.orgId))[0]!.count)
  const droppedIn = async (registry: Registry) => Number(/^bahi_request_log_dropped_total (\d+)$/m.exec(await registry.metrics())?.[1])

  test('while its table is locked, and all are written afterwards', async () => {
    const ids = await service.database.transaction(async (transaction) => {
      await transaction.run({ name: '', text: 'LOCK TABLE requests IN ACCESS EXCLUSIVE MODE' }, [])
      const answers = [await client.get('/contacts'), await client.get('/items')]
      await delay(1_500)
      answers.push(await client.get('/bills'))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      return answers.map(idOf)
    })
    for (const id of ids) await logged(id)
  })

  test('a process that ends writes what is left', async () => {
    const other = await service.another()
    const answer = await callAt(`${other.origin}/api/public/v1`)('GET', '/contacts', { token: client.token })
    await other.close()
    expect(await service.sql('SELECT FROM requests WHERE id = $1', idOf(answer))).toHaveLength(1)
  })

  test('what finds no room is dropped and counted; the rest is written when the process ends, once', async () => {
    const registry = new Registry()
    const log = createRequestLog(service.database, registry)
    const twice = row()
    for (let n = 0; n < 19_998; n += 1) log.note(row())
    for (let n = 0; n < 5; n += 1) log.note(twice)
    log.note({ ...row(), orgId: null })
    log.note({ ...row(), isOverLimit: true })
    await log.close()
    expect([await written(), await droppedIn(registry)]).toEqual([19_999, 3])
  })

  test("of one organisation's flood, another's calls are not missing", async () => {
    const registry = new Registry()
    const log = createRequestLog(service.database, registry)
    const other = (await service.organization()).orgId
    for (let n = 0; n < 30_000; n += 1) log.note(row())
    for (let n = 0; n < 100; n += 1) log.note({ ...row(), orgId: other })
    await log.close()
    expect(await service.sql('SELECT FROM requests WHERE org_id = $1', other)).toHaveLength(100)
    expect(await droppedIn(registry)).toBe(10_000)
  })
})

test('is kept for the days of the setting', async () => {
  const forget = async (retainRequestsDays: number) => {
    await forgetOldRequests({ connection: service.database, clock: () => new Date(), isStopping: () => false, retainRequestsDays })
    return (await service.sql('SELECT FROM requests WHERE id = ANY ($1)', ids)).length
  }
  const ids = [randomUUID(), randomUUID()]
  const days = (count: number) => new Date(Date.now() - count * 86_400_000)
  await writeRequests(service.database, ids.map((id, n) => ({ org_id: client.orgId, id, time: days(n === 0 ? 6.99 : 7.01), method: 'GET', route: '/old', status: 200, duration_ms: 1, token_id: null })))
  expect([await forget(0), await forget(8), await forget(7), await forget(6)]).toEqual([2, 2, 1, 0])
})
