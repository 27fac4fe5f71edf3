// Bulks while the organisation is suspended, changed or stuck; rows that fail for ever; how many bulks there may be, and how long they are kept.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, expect, jest, test } from '@jest/globals'
import { Suspended, workThrough, type BulkWork } from '../../activities/bulk-rows.ts'
import { fairSemaphore } from '../../gateways/semaphore.ts'
import { BATCH, MAX_BULKS } from '../../domain/bulk.ts'
import { findBulk, findPending } from '../../models/bulk.ts'
import { forgetOldBulks } from '../../worker/retention.ts'
import { billBody, invoiceBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { postingsOf, whileLocked } from '../hammer/two-servers.ts'
import { until } from '../start/local-run.ts'
import { openBulkSetup, rowsOf } from './bulk-setup.ts'

jest.setTimeout(240_000)

const setup = await openBulkSetup()
const { service, engine, openPosting, accepted, read, completed, expectEachOnce, progressOf } = setup
afterEach(() => setup.afterEach())
afterAll(() => setup.close())

test('a suspended organisation: its rows wait, and go on when it is active again', async () => {
  const org = await openPosting()
  await service.startWorker()
  let id = ''
  await whileLocked(service.database, postingsOf(org), async (waiting) => {
    id = await accepted(org, rowsOf(org, 100))
    await waiting(1)
    await service.sql(`UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1`, org.client.orgId)
    return []
  })
  await until(async () => (await progressOf(id)).state === 'SUSPENDED', 90_000, () => 'not suspended')
  const { succeeded, failed } = await progressOf(id)
  expect([succeeded < 100, failed]).toEqual([true, 0])
  const [{ attribute }] = await service.sql<Json>(`SELECT count(*)::integer AS attribute FROM bulk_items WHERE bulk_id = $1 AND status = 'PENDING'`, id) as [Json]
  expect(attribute).toBe(100 - succeeded)
  await service.sql(`UPDATE organizations SET status = 'ACTIVE' WHERE id = $1`, org.client.orgId)
  await engine.client.workflow.getHandle(`bulk/${id}`).signal('lookAgain')
  await until(async () => (await progressOf(id)).state === 'COMPLETED', 90_000, () => 'not completed')
  expect((await service.sql<Json>('SELECT status, succeeded FROM bulks WHERE id = $1', id))[0]).toEqual({ status: 'COMPLETED', succeeded: 100 })
})

test('the token is revoked, and the organisation changed again and again: what was accepted is done', async () => {
  const org = await openPosting()
  const token = await service.token(org.client.orgId)
  const { body } = await service.call('POST', '/bulk/invoices?async=true', { token, key: randomUUID(), body: rowsOf(org, 60) })
  await service.sql('UPDATE tokens SET revoked_time = now() WHERE org_id = $1 AND token_hash = sha256($2::bytea)', org.client.orgId, token)
  await service.startWorker()
  let changes = 0
  const changing = (async () => {
    for (; (await read(org, body.bulk_id)).bulk.status === 'RUNNING'; changes += 1) await org.setPreferences({ strictPaymentDedupe: changes % 2 === 0 })
  })()
  await expectEachOnce(org, body.bulk_id, 60)
  await changing
  expect(changes).toBeGreaterThan(0)
})

test('an organisation whose rows are stuck does not hold up another', async () => {
  const [stuck, other] = [await openPosting(), await openPosting()]
  await service.startWorker()
  const ids: string[] = []
  await whileLocked(service.database, postingsOf(stuck), async (waiting) => {
    for (let n = 0; n < 6; n += 1) ids.push(await accepted(stuck, rowsOf(stuck, 10)))
    await waiting(1)
    const { body } = await other.client.post('/bulk/invoices', rowsOf(other, 10))
    expect(body.summary).toEqual({ total: 10, succeeded: 10, failed: 0 })
    return []
  })
  for (const id of ids) await expectEachOnce(stuck, id, 10)
})

test('a row that always fails with an error of our own has failed, and the others are done', async () => {
  const org = await openPosting()
  await service.sql(`CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.notes = 'poison' THEN RAISE EXCEPTION 'poisoned'; END IF; RETURN NEW; END $$`)
  await service.sql('CREATE TRIGGER poison BEFORE INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION poison()')
  await service.startWorker()
  const { body } = await org.client.post('/bulk/invoices', { invoices: ['a', 'poison', 'b'].map((notes) => invoiceBody(org, { notes })) })
  await service.sql('DROP FUNCTION poison CASCADE')
  expect(body.results.map(({ ok, error }: Json) => (ok ? 'ok' : error.code))).toEqual(['ok', 'internal.error', 'ok'])
})

test('rows that fail with an error of our own beside a suspension wait for its end, and none of them has failed', async () => {
  const org = await openPosting()
  await service.sql(`CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_advisory_xact_lock_shared(4711); RAISE EXCEPTION 'poisoned'; END $$`)
  await service.sql(`CREATE TRIGGER poison BEFORE INSERT ON invoices FOR EACH ROW WHEN (NEW.notes = 'row 1') EXECUTE FUNCTION poison()`)
  const id = await accepted(org, rowsOf(org, 3))
  const decided: unknown[] = []
  const unexpected: unknown[] = []
  const work: BulkWork = {
    writeContext: { database: service.database, wakeRelay: () => undefined, forgetCallers: () => undefined, clock: () => new Date() },
    places: fairSemaphore({ places: 1, placesPerKey: 1 }),
    onDecided: (counts) => void decided.push(counts),
    onUnexpected: (error) => void unexpected.push(error),
  }
  const bulk = (await findBulk({ connection: service.database, orgId: org.orgId }, id))!
  const [ended] = await whileLocked(service.database, { text: 'SELECT pg_advisory_xact_lock(4711)', values: [] }, async (waiting) => {
    const working = workThrough(work, bulk, () => false).catch((error: unknown) => error)
    await waiting(1)
    await service.sql(`UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1`, org.orgId)
    return [working]
  })
  expect([ended, unexpected, decided]).toEqual([expect.any(Suspended), [], []])
  await service.sql('DROP FUNCTION poison CASCADE')
  await service.sql(`UPDATE organizations SET status = 'ACTIVE' WHERE id = $1`, org.orgId)
  await service.startWorker()
  await expectEachOnce(org, id, 3)
})

test('rows that wait are read a batch at a time: twenty, or two hundred lines after the first row', async () => {
  const [id, orgId] = [randomUUID(), (await openPosting()).orgId]
  await service.sql(`INSERT INTO bulks SELECT $1, $2, 'INVOICE', 60, 'RUNNING', 0, 0, NULL, '{}', now(), NULL`, orgId, id)
  await service.sql(
    `INSERT INTO bulk_items (org_id, bulk_id, index, status, body)
     SELECT $1, $2, n, 'PENDING', jsonb_build_object('line_items',
       (SELECT jsonb_agg(m) FROM generate_series(1, CASE WHEN n = 0 THEN 500 WHEN n < 10 THEN 90 ELSE 1 END) AS m))
     FROM generate_series(0, 59) AS n`, orgId, id)
  const read = async (after: number) => (await findPending({ connection: service.database, orgId }, id, after, BATCH)).map(({ index }) => index)
  expect(await read(-1)).toEqual([0])
  expect(await read(0)).toEqual([1, 2])
  expect(await read(8)).toEqual(Array.from({ length: 20 }, (_, n) => 9 + n))
  await service.sql('DELETE FROM bulks WHERE id = $1', id)
})

test(`an organisation has at most ${MAX_BULKS} bulks under way`, async () => {
  const org = await openPosting()
  await service.sql(
    `INSERT INTO bulks SELECT $1, gen_random_uuid(), 'INVOICE', 1, 'RUNNING', 0, 0, NULL, '{}', now(), NULL FROM generate_series(1, $2)`, org.orgId, MAX_BULKS)
  const key = randomUUID()
  const refused = await org.client.post('/bulk/invoices?async=true', rowsOf(org, 1), key)
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '10'])
  await service.sql('DELETE FROM bulks WHERE id IN (SELECT id FROM bulks WHERE org_id = $1 LIMIT 1)', org.orgId)
  // They can count, and not store; and no worker completes one meanwhile.
  const atOnce = await whileLocked(service.database, { text: 'LOCK TABLE bulks IN SHARE MODE', values: [] }, async (waiting) => {
    const calls = Array.from({ length: 8 }, () => org.client.post('/bulk/bills?async=true', { bills: [billBody(org)] }))
    await waiting(2)
    return calls
  })
  expect(atOnce.map(({ status }) => status).sort()).toEqual([202, ...Array.from({ length: 7 }, () => 503)])
  await service.startWorker()
  await completed(org, atOnce.find(({ status }) => status === 202)!.body.bulk_id)
  await service.sql(`DELETE FROM bulks WHERE org_id = $1 AND status = 'RUNNING'`, org.orgId)
  const { status, body } = await org.client.post('/bulk/invoices?async=true', rowsOf(org, 1), key)
  expect(status).toBe(202)
  await expectEachOnce(org, body.bulk_id, 1)
})

test('bills of many bulks at once: a duplicate is refused wherever it stands', async () => {
  const org = await openPosting()
  const same = billBody(org, { reference_number: 'TM/7', auto_approve: true })
  const ids = await Promise.all(Array.from({ length: 6 }, () => accepted(org, { bills: [same, billBody(org), same] }, '/bulk/bills')))
  await service.startWorker()
  const done = await Promise.all(ids.map((id) => completed(org, id)))
  expect(done.map(({ summary }) => summary.succeeded).reduce((sum, n) => sum + n, 0)).toBe(6 + 1)
})

test('bulks are kept as long as the setting says, and their documents for ever', async () => {
  const org = await openPosting()
  await service.startWorker()
  const { body } = await org.client.post('/bulk/invoices', rowsOf(org, 2))
  const job = { connection: service.database, clock: () => new Date(Date.now() + 91 * 24 * 3_600_000), isStopping: () => false }
  await forgetOldBulks({ ...job, retainBulkDays: 0 })
  expect((await org.client.get(`/bulk/${body.bulk_id}`)).status).toBe(200)
  await service.stopWorker()
  const open = await accepted(org, rowsOf(org, 1))
  await forgetOldBulks({ ...job, retainBulkDays: 90 })
  expect((await org.client.get(`/bulk/${body.bulk_id}`)).status).toBe(404)
  expect((await org.client.get(`/invoices/${body.results[0].invoice.invoice_id}`)).status).toBe(200)
  await service.startWorker()
  await expectEachOnce(org, open, 1)
})
