// Keyed calls under pressure: one key, one write, however often, at once, or broken off in the middle.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { blockedBy } from '../fixtures/blocked.ts'
import { invoiceBody } from '../fixtures/bodies.ts'
import type { Answered } from '../fixtures/client.ts'
import { openOrganizationWithItem } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService({ DATABASE_POOL: '40' })
const org = await openOrganizationWithItem(service)

const approved = (changes: Record<string, unknown> = {}) => invoiceBody(org, { auto_approve: true, ...changes })
const create = (key: string, changes: Record<string, unknown> = {}) => org.client.post('/invoices', approved(changes), key)
const replayed = ({ headers }: Answered) => headers['idempotency-replay'] === 'true'

/** How many invoices there are of a reference, and how many journals, events and log entries they have left. */
async function traces(reference: string) {
  const [found] = await service.sql<Record<string, number>>(
    `SELECT count(*)::integer AS invoices,
       sum((SELECT count(*) FROM journals AS j WHERE j.source_id = i.id))::integer AS journals,
       sum((SELECT count(*) FROM webhook_events AS e WHERE e.entity_id = i.id))::integer AS events,
       sum((SELECT count(*) FROM activity AS a WHERE a.entity_id = i.id))::integer AS activity
     FROM invoices AS i WHERE reference_number = $1`, reference,
  )
  return found
}
const ONE_DEED = { invoices: 1, journals: 1, events: 1, activity: 2 }

describe('at once', () => {
  test.each([2, 30])('%i calls with one key make one invoice', async (count) => {
    const [key, reference] = [randomUUID(), randomUUID()]
    const answers = await Promise.all(Array.from({ length: count }, () => create(key, { reference_number: reference })))
    const first = answers.filter((answer) => answer.status === 201 && !replayed(answer))
    expect(first).toHaveLength(1)
    for (const answer of answers) {
      if (answer.status === 201) expect(answer.text).toBe(first[0]!.text)
      else expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([409, 'idempotency.in_progress', '1'])
    }
    expect(await traces(reference)).toEqual(ONE_DEED)
    const after = await create(key, { reference_number: reference })
    expect([after.status, after.text, replayed(after)]).toEqual([201, first[0]!.text, true])
  })

  test('30 calls with 30 keys make 30', async () => {
    const reference = randomUUID()
    const answers = await Promise.all(Array.from({ length: 30 }, () => create(randomUUID(), { reference_number: reference })))
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(201))
    expect(new Set(answers.map(({ body }) => body.invoice.invoice_number)).size).toBe(30)
    expect((await traces(reference))!.invoices).toBe(30)
  })

  test('a call that waits for a lock holds its key meanwhile', async () => {
    const { invoice_id: id } = (await org.client.post('/invoices', invoiceBody(org))).body.invoice
    const key = randomUUID()
    const holder = new pg.Client(service.databaseUrl)
    await holder.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM invoices WHERE id = $1 FOR UPDATE', [id])
    const waiting = org.client.post(`/invoices/${id}/approve`, undefined, key)
    await blockedBy(holder)
    const second = await org.client.post(`/invoices/${id}/approve`, undefined, key)
    expect([second.status, second.body.code]).toEqual([409, 'idempotency.in_progress'])
    await holder.query('ROLLBACK')
    await holder.end()
    const first = await waiting
    expect([first.status, first.body.invoice.status]).toEqual([200, 'SENT'])
    const third = await org.client.post(`/invoices/${id}/approve`, undefined, key)
    expect([third.status, third.text, replayed(third)]).toEqual([200, first.text, true])
  })
})

describe('what is remembered', () => {
  test('a refusal by the rules of the books, even when it would succeed now', async () => {
    const key = randomUUID()
    const number = `N-${randomUUID().slice(0, 8)}`
    const taken = (await create(randomUUID(), { invoice_number: number, auto_approve: false })).body.invoice
    const refused = await create(key, { invoice_number: number })
    expect([refused.status, refused.body.field]).toEqual([400, 'invoice_number'])
    expect((await org.client.delete(`/invoices/${taken.invoice_id}`)).status).toBe(200)
    const again = await create(key, { invoice_number: number })
    expect([again.status, again.text, replayed(again)]).toEqual([400, refused.text, true])
    expect((await create(randomUUID(), { invoice_number: number })).status).toBe(201)
  })

  test('a 404', async () => {
    const key = randomUUID()
    const refused = await create(key, { customer_id: randomUUID() })
    expect(refused.status).toBe(404)
    const again = await create(key)
    expect([again.status, again.text, again.headers['idempotency-body-mismatch']]).toEqual([404, refused.text, 'true'])
  })

  test.each([
    [413, 'request.too_large', { raw: ' '.repeat(2 * 1024 * 1024 + 1) }],
    [415, 'request.unsupported_media_type', { raw: 'x', headers: { 'content-type': 'text/plain' } }],
    [400, 'request.malformed_json', { raw: '{' }],
  ])('a %i for the body: %s', async (status, code, sent) => {
    const key = randomUUID()
    const refused = await org.client.call('POST', '/invoices', { key, ...sent })
    expect([refused.status, refused.body.code, replayed(refused)]).toEqual([status, code, false])
    const same = await org.client.call('POST', '/invoices', { key, ...sent })
    expect([same.status, same.text, replayed(same), same.headers['idempotency-body-mismatch']]).toEqual([status, refused.text, true, undefined])
    for (const other of [await create(key), await org.client.call('POST', '/invoices', { key })]) {
      expect([other.status, other.text, replayed(other), other.headers['idempotency-body-mismatch']]).toEqual([status, refused.text, true, 'true'])
    }
  })

  test('nothing of 401, 403 and 400 for the key: the key stays free', async () => {
    const key = randomUUID()
    const reader = await service.token(org.client.orgId, { scopes: ['Svc.invoices.READ'] })
    const early = [
      await service.call('POST', '/invoices', { token: 'svc_pat_none', key, body: approved() }),
      await service.call('POST', '/invoices', { token: reader, key, body: approved() }),
      await org.client.call('POST', '/invoices', { key, body: approved(), headers: { 'x-svc-org': randomUUID() } }),
    ]
    expect(early.map(({ status }) => status)).toEqual([401, 403, 404])
    const done = await create(key)
    expect([done.status, replayed(done)]).toEqual([201, false])
  })

  test('nothing older than 24 hours', async () => {
    const key = randomUUID()
    const first = await create(key)
    const age = (by: string) => service.sql(`UPDATE idempotent_answers SET created_time = now() - $2::interval WHERE key = $1`, key, by)
    await age('23 hours 59 minutes')
    expect((await create(key)).text).toBe(first.text)
    await age('24 hours 1 second')
    const anew = await create(key)
    expect([anew.status, replayed(anew), anew.body.invoice.invoice_id === first.body.invoice.invoice_id]).toEqual([201, false, false])
    expect((await create(key)).text).toBe(anew.text)
  })
})

describe('a key belongs to subject, method and path', () => {
  test('two tokens of one organisation, and two organisations', async () => {
    const key = randomUUID()
    const colleague = await service.token(org.client.orgId)
    const other = await openOrganizationWithItem(service)
    const answers = [
      await create(key),
      await service.call('POST', '/invoices', { token: colleague, key, body: approved() }),
      await other.client.post('/invoices', invoiceBody(other), key),
    ]
    expect(answers.map((answer) => [answer.status, replayed(answer)])).toEqual([[201, false], [201, false], [201, false]])
    expect(new Set(answers.map(({ body }) => body.invoice.invoice_id)).size).toBe(3)
  })

  test('two paths; a query is no part of the path', async () => {
    const key = randomUUID()
    const invoice = await create(key)
    const contact = await org.client.post('/contacts', { contact_name: 'A' }, key)
    expect([contact.status, replayed(contact)]).toEqual([201, false])
    const asked = await org.client.post(`/invoices?organization_id=${org.client.orgId}`, approved(), key)
    expect([asked.text, replayed(asked)]).toEqual([invoice.text, true])
  })

  test('two documents, one key each time', async () => {
    const key = randomUUID()
    for (let n = 0; n < 2; n += 1) {
      const { invoice_id: id } = (await create(randomUUID(), { auto_approve: false })).body.invoice
      const answer = await org.client.post(`/invoices/${id}/approve`, undefined, key)
      expect([answer.status, answer.body.invoice.invoice_id, replayed(answer)]).toEqual([200, id, false])
    }
  })

  test('a PUT and a DELETE mind no key', async () => {
    const { invoice_id: id } = (await create(randomUUID(), { auto_approve: false })).body.invoice
    const put = (notes: string) => org.client.call('PUT', `/invoices/${id}`, { body: { notes }, key: 'k' })
    expect([(await put('one')).body.invoice.notes, (await put('two')).body.invoice.notes]).toEqual(['one', 'two'])
    expect((await org.client.call('DELETE', `/invoices/${id}`, { key: 'k' })).status).toBe(200)
  })
})

describe('a crash in the middle', () => {
  test.each(['waits for a row', 'commits'])('frees the key and leaves nothing: the connection is cut while it %s', async (when) => {
    const [key, reference] = [randomUUID(), randomUUID()]
    const holder = new pg.Client(service.databaseUrl)
    await holder.connect()
    await holder.query('BEGIN')
    // The counter is taken by the last statement of the unit of work: what waits here has done all but commit.
    const row = when === 'commits' ? `number_counters WHERE org_id = $1` : `monthly_balances WHERE org_id = $1`
    await holder.query(`SELECT FROM ${row} FOR UPDATE`, [org.client.orgId])
    const cut = create(key, { reference_number: reference })
    const waiting = await blockedBy(holder)
    expect(waiting).toHaveLength(1)
    expect(await service.sql('SELECT pg_terminate_backend($1) AS killed', waiting[0])).toEqual([{ killed: true }])
    const answer = await cut
    expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([503, 'service.unavailable', '2'])
    await holder.query('ROLLBACK')
    await holder.end()
    expect((await traces(reference))!.invoices).toBe(0)
    const again = await create(key, { reference_number: reference })
    expect([again.status, replayed(again)]).toEqual([201, false])
    expect(await traces(reference)).toEqual(ONE_DEED)
  })

  test('a claim that a crash left expires', async () => {
    const key = randomUUID()
    const claim = (until: string) => service.sql(
      `INSERT INTO idempotent_answers (subject, method, path, key, body_hash, sealed, claimed_until, created_time)
       SELECT id, 'POST', '/api/public/v1/invoices', $2, '', false, now() + $3::interval, now() FROM tokens WHERE org_id = $1 LIMIT 1
       ON CONFLICT (subject, method, path, key) DO UPDATE SET claimed_until = excluded.claimed_until`, org.client.orgId, key, until,
    )
    const [token] = await service.sql<{ id: string }>('SELECT id FROM tokens WHERE org_id = $1 ORDER BY created_time LIMIT 1', org.client.orgId)
    await claim('60 seconds')
    await service.sql('UPDATE idempotent_answers SET subject = $1 WHERE key = $2', token!.id, key)
    const early = await create(key)
    expect([early.status, early.body.code]).toEqual([409, 'idempotency.in_progress'])
    await service.sql(`UPDATE idempotent_answers SET claimed_until = now() - interval '1 second' WHERE key = $1`, key)
    expect((await create(key)).status).toBe(201)
  })
})
