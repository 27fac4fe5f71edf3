// Calls that meet others on the same rows: tried again, and refused in the end with 503.
import { describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { beginAttempts, recordAttemptResults } from '../../commands/webhooks/deliveries.ts'
import { blockedBy } from '../fixtures/blocked.ts'
import { invoiceBody } from '../fixtures/bodies.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)

/** A connection of the test's own, ended whatever happens. */
async function onConnection<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: service.databaseUrl })
  // A connection that a test has ended logs an error.
  client.on('error', () => undefined)
  await client.connect()
  return work(client).finally(() => client.end().catch(() => undefined))
}

/** PostgreSQL refuses the next so many statements that insert into the table, or update it, with the code, as if others had been in the way. */
async function failing<T>(table: string, code: string, times: number, work: () => Promise<T>, verb = 'INSERT'): Promise<T> {
  await service.sql('CREATE SEQUENCE IF NOT EXISTS refusals_made')
  await service.sql(`CREATE FUNCTION fail_now() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('refusals_made') <= ${times} THEN RAISE EXCEPTION 'in the way' USING ERRCODE = '${code}'; END IF;
      RETURN NULL;
    END $$`)
  await service.sql(`CREATE TRIGGER fail_now AFTER ${verb} ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION fail_now()`)
  try {
    return await work()
  } finally {
    await service.sql(`DROP TRIGGER fail_now ON ${table}`)
    await service.sql('DROP FUNCTION fail_now')
    await service.sql('DROP SEQUENCE refusals_made')
  }
}

describe('a deadlock', () => {
  test('with another connection is found by PostgreSQL, and the call made again', async () => {
    const [{ credit_note_id }, { invoice_id }] = [await ours.creditNote(), await ours.sentInvoice()]
    // The call locks the note, then the invoice; the other connection the invoice, then the note.
    const answered = await onConnection(async (other) => {
      await other.query(`SET deadlock_timeout = '1h'`)
      await other.query('BEGIN')
      await other.query('SELECT FROM invoices WHERE id = $1 FOR UPDATE', [invoice_id])
      const call = ours.client.post(`/credit_notes/${credit_note_id}/apply-to-invoice`, { invoice_id, amount: 10 })
      await blockedBy(other)
      // The API's connection, which waits longest, is the one that finds the circle and is refused.
      await other.query('SELECT FROM credit_notes WHERE id = $1 FOR UPDATE', [credit_note_id])
      await other.query('COMMIT')
      return call
    })
    expect([answered.status, answered.body.credit_note?.applied_amount]).toEqual([200, 10])
    expect(await ours.getCreditNote(credit_note_id)).toMatchObject({ applied_amount: 10, balance_amount: 90 })
  })
})

describe.each(['40P01', '40001', '55P03'])('%s', (code) => {
  const calls = async () => (await service.sql<{ made: number }>('SELECT last_value::integer AS made FROM refusals_made'))[0]!.made

  test('four times is got over', async () => {
    const [answered, made] = await failing('invoices', code, 4, async () => [
      await ours.client.post('/invoices', invoiceBody(ours)), await calls(),
    ] as const)
    expect([answered.status, made]).toEqual([201, 5])
  })

  test('five times is 503, and a repeat of the key does the work', async () => {
    const before = (await ours.get('/invoices')).invoices.length
    const [answered, made] = await failing('invoices', code, 1_000, async () => [
      await ours.client.post('/invoices', invoiceBody(ours), `busy-${code}`), await calls(),
    ] as const)
    expect([answered.status, answered.body.code, answered.headers['retry-after'], made]).toEqual([503, 'service.unavailable', '1', 5])
    expect((await ours.client.post('/invoices', invoiceBody(ours), `busy-${code}`)).status).toBe(201)
    expect((await ours.get('/invoices')).invoices.length).toBe(before + 1)
  })
})

test('a statement that takes too long is 503, and is not tried again', async () => {
  const answered = await failing('invoices', '57014', 1_000, () => ours.client.post('/invoices', invoiceBody(ours)))
  expect([answered.status, answered.body.code, answered.headers['retry-after']]).toEqual([503, 'service.unavailable', '5'])
})

test('a wait for a row has an end long before that of its statement', async () => {
  // The test's pool is opened as the API's is.
  expect(await service.sql(`SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement`))
    .toEqual([{ lock: '10s', statement: '1min' }])
})

describe('the outcome of a webhook', () => {
  const RULES = { failures: 20, firstWaitMs: 30_000, longestWaitMs: 60_000 }

  /** A delivery to a new endpoint whose attempt has begun, and how it is settled, as an outcome of this kind. */
  async function begun() {
    await service.sql('UPDATE webhook_endpoints SET status = $1', 'DELETED')
    const { endpoint: { endpoint_id: endpointId } } = await ours.send('POST', '/webhooks/endpoints', { url: 'http://127.0.0.1:9/', events: ['INVOICE_CREATED'] })
    await ours.sentInvoice()
    const [delivery] = (await ours.get(`/webhooks/deliveries?endpoint_id=${endpointId}`)).deliveries
    const key = { orgId: ours.orgId, deliveryId: delivery.delivery_id, series: 0, attempt: 1 }
    await beginAttempts(service.database, [key], new Date())
    const settle = (kind: 'delivered' | 'refused') => {
      const outcome = { kind, statusCode: kind === 'delivered' ? 200 : 500, error: null, responseBody: null, durationMs: 5 }
      return recordAttemptResults(service.database, [{ ...key, endpointId, outcome, endedAt: new Date(), waitMs: 30_000 }], RULES)
    }
    const circuit = () => service.sql('SELECT state, failures FROM webhook_circuits WHERE id = $1', endpointId)
    return { endpointId, settle, circuit, now: async () => (await ours.get(`/webhooks/deliveries/${delivery.delivery_id}`)).delivery }
  }

  test.each(['delivered', 'refused'] as const)('that met others is written all the same: %s', async (kind) => {
    const { settle, now } = await begun()
    await failing('webhook_deliveries', '40P01', 2, () => settle(kind), 'UPDATE')
    const after = await now()
    expect([after.status, after.attempts_made]).toEqual([kind === 'delivered' ? 'DELIVERED' : 'RETRYING', 1])
  })

  test('that is settled again counts as one failure, and an earlier outcome stands', async () => {
    const { settle, circuit, now } = await begun()
    await settle('refused')
    await settle('refused')
    expect(await circuit()).toEqual([{ state: 'CLOSED', failures: 1 }])
    expect(await now()).toMatchObject({ status: 'RETRYING', attempts_made: 1 })
  })

  test('that is settled again still closes the circuit, where the first time was cut off before', async () => {
    const { endpointId, settle, circuit } = await begun()
    await service.sql(`INSERT INTO webhook_circuits VALUES ($1, $2, 'HALF_OPEN', 20, 1, now(), false, false)`, ours.orgId, endpointId)
    await expect(failing('webhook_circuits', '40P01', 5, () => settle('delivered'), 'UPDATE')).rejects.toThrow('in the way')
    expect(await circuit()).toEqual([{ state: 'HALF_OPEN', failures: 20 }])
    await settle('delivered')
    expect(await circuit()).toEqual([{ state: 'CLOSED', failures: 0 }])
  })
})
