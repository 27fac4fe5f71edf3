// Bulk creation over HTTP: results row by row, what is refused whole, what is read later, and what is announced.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { BATCH } from '../../domain/bulk.ts'
import { billBody, invoiceBody, type Body } from '../fixtures/bodies.ts'
import type { Answered, Json } from '../fixtures/client.ts'
import { created, openOrganizationWithItem, type OrganizationWithItem } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'
import { until } from '../start/local-run.ts'

const service = await useService()
const org = await openOrganizationWithItem(service)
await service.startWorker()

const post = (path: string, body: unknown, key: string = randomUUID(), at = org) => at.client.post(path, body, key)
const invoices = (...changes: Body[]) => ({ invoices: changes.map((change) => invoiceBody(org, change)) })
const replayed = ({ headers }: Answered) => headers['idempotency-replay'] === 'true'
const numbersOf = (results: Json[]): string[] => results.map(({ invoice }) => invoice.invoice_number)

async function completed(bulkId: string, at: OrganizationWithItem = org): Promise<Json> {
  let read: Answered | undefined
  await until(async () => {
    read = await at.client.get(`/bulk/${bulkId}`)
    return read.body.bulk.status === 'COMPLETED'
  }, 90_000, () => read!.text)
  return read!.body
}

const events = (bulkId: string, type: string) => service.sql<Json>(
  `SELECT data FROM webhook_events WHERE entity_id = $1 AND event_type = $2`, bulkId, type)

describe('POST /bulk/invoices', () => {
  test('answers each row in its place, and numbers the documents in the order of the rows', async () => {
    const answer = await post('/bulk/invoices', invoices(...Array.from({ length: 20 }, (_, n) => ({ notes: `row ${n}`, auto_approve: n % 2 === 0 }))))
    expect([answer.status, answer.body.message, answer.body.summary]).toEqual(
      [200, '20 of 20 invoices created, 0 failed.', { total: 20, succeeded: 20, failed: 0 }])
    const { results } = answer.body
    expect(results.map(({ index, ok, invoice, warnings }: Json) => [index, ok, invoice.notes, invoice.status, warnings])).toEqual(
      Array.from({ length: 20 }, (_, n) => [n, true, `row ${n}`, n % 2 === 0 ? 'SENT' : 'DRAFT', []]))
    expect(numbersOf(results)).toEqual(numbersOf(results).toSorted())
    const [{ invoice }] = results
    expect((await org.client.get(`/invoices/${invoice.invoice_id}`)).body.invoice).toEqual(invoice)
  })

  test('a row that fails leaves the others alone; its error counts from the row, whatever is wrong with it', async () => {
    const good = invoiceBody(org)
    const taken = invoiceBody(org, { invoice_number: 'OWN-1' })
    const { status, body } = await post('/bulk/invoices', {
      invoices: [
        good, 7, null, [], {}, invoiceBody(org, { customer_id: randomUUID() }), invoiceBody(org, { line_items: [{ quantity: 0, rate: -1 }] }),
        taken, taken, invoiceBody(org, { place_of_supply: 'Atlantis' }), good,
      ],
    })
    expect([status, body.summary]).toEqual([200, { total: 11, succeeded: 3, failed: 8 }])
    expect(body.results.map(({ ok, error }: Json) => (ok ? 'ok' : [error.code, error.field]))).toEqual([
      'ok', ['validation.failed', null], ['validation.failed', null], ['validation.failed', null], ['validation.failed', 'customer_id'],
      ['not_found.resource', 'customer_id'], ['validation.failed', 'line_items.0.quantity'], 'ok',
      ['validation.invalid_value', 'invoice_number'], ['validation.invalid_value', 'place_of_supply'], 'ok',
    ])
    expect(body.results[6].error.errors.map(({ field }: Json) => field).sort()).toEqual(
      ['line_items.0.name', 'line_items.0.quantity', 'line_items.0.rate'])
    expect(body.message).toBe('3 of 11 invoices created, 8 failed.')
  })

  test('a row with a value that cannot be stored has failed, and the others are created', async () => {
    const good = JSON.stringify(invoiceBody(org))
    const odd = [good.replace('{', '{"notes":"\\ud800",'), good.replace('{', '{"notes":"a\\u0000b",'), good.replace('{', '{"x":1e999,'), good.replace('{', '{"\\u0000":1,')]
    const { status, body } = await org.client.call('POST', '/bulk/invoices', { raw: `{"invoices":[${[good, ...odd, good].join()}]}` })
    expect([status, body.summary]).toEqual([200, { total: 6, succeeded: 2, failed: 4 }])
    expect(body.results.filter(({ ok }: Json) => !ok).map(({ error }: Json) => [error.code, error.field, error.errors[0].code])).toEqual(
      [['validation.failed', 'notes', 'text'], ['validation.failed', 'notes', 'text'], ['validation.failed', 'x', 'number'], ['validation.failed', null, 'text']])
    const whole = await org.client.call('POST', '/bulk/invoices', { raw: `{"invoices":[${good}],"y":"\\u0000"}` })
    expect([whole.status, whole.body.errors[0].field]).toEqual([422, 'y'])
  })

  test('a single row is refused with the same error as the single call', async () => {
    const wrong = invoiceBody(org, { place_of_supply: 'Atlantis' })
    const alone = (await post('/invoices', wrong)).body
    const { code, message, field } = (await post('/bulk/invoices', { invoices: [wrong] })).body.results[0].error
    expect({ code, message, field }).toEqual({ code: alone.code, message: alone.message, field: alone.field })
  })

  test('the same key answers the same bytes, and creates nothing more', async () => {
    const key = randomUUID()
    const body = invoices({}, { place_of_supply: 'Atlantis' })
    const first = await post('/bulk/invoices', body, key)
    const again = await post('/bulk/invoices', body, key)
    expect([again.text, replayed(first), replayed(again)]).toEqual([first.text, false, true])
    const [{ made }] = await service.sql<Json>('SELECT count(*)::integer AS made FROM bulk_items WHERE bulk_id = $1', first.body.bulk_id) as [Json]
    expect(made).toBe(2)
  })

  test('many callers with one key at once make one bulk', async () => {
    const key = randomUUID()
    const body = invoices({}, {})
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('/bulk/invoices', body, key)))
    for (const { status, body: told } of answers) expect([200, 409]).toContain(status === 409 ? (told.code === 'idempotency.in_progress' ? 409 : 0) : status)
    expect(new Set(answers.filter(({ status }) => status === 200).map(({ body: told }) => told.bulk_id)).size).toBe(1)
    const last = await post('/bulk/invoices', body, key)
    expect(last.body.summary).toEqual({ total: 2, succeeded: 2, failed: 0 })
  })

  test('works without a key', async () => {
    const { status, body } = await org.client.call('POST', '/bulk/invoices', { body: invoices({}) })
    expect([status, body.summary.succeeded]).toEqual([200, 1])
  })

  test('announces each document and, once, the bulk; the log says by which bulk', async () => {
    const { body } = await post('/bulk/invoices', invoices({}, { place_of_supply: 'Atlantis' }, {}))
    expect(await events(body.bulk_id, 'INVOICE_BULK_CREATED')).toEqual([{ data: { count: 2, failed: 1, batch_size: 3 } }])
    for (const { invoice } of body.results.filter(({ ok }: Json) => ok)) {
      expect(await events(invoice.invoice_id, 'INVOICE_CREATED')).toHaveLength(1)
      const { activity } = (await org.client.get(`/invoices/${invoice.invoice_id}/activity`)).body
      expect(activity[0]).toMatchObject({ action: 'INVOICE_CREATED', metadata: { bulk_id: body.bulk_id, source: 'PUBLIC_API' } })
    }
    const { activity } = (await org.client.get(`/activity?entity_id=${body.bulk_id}`)).body
    expect(activity).toEqual([expect.objectContaining({ action: 'INVOICE_BULK_CREATED', metadata: expect.objectContaining({ count: 2, failed: 1, batch_size: 3 }) })])
  })

  test.each([
    ['none', [], 'too_few'], ['one too many', 51, 'too_many'],
  ] as const)('%s: 422 with errors[], and nothing is stored', async (_name, rows, code) => {
    const list = typeof rows === 'number' ? Array.from({ length: rows }, () => invoiceBody(org)) : rows
    const { status, body } = await post('/bulk/invoices', { invoices: list })
    expect([status, body.code, body.errors.map((error: Json) => [error.field, error.code])]).toEqual([422, 'validation.failed', [['invoices', code]]])
  })

  test('more than 5,000 are refused asynchronously too; and a body of more than 10 MB', async () => {
    const many = await post('/bulk/invoices?async=true', { invoices: Array.from({ length: 5_001 }, () => 1) })
    expect([many.status, many.body.errors[0].code]).toEqual([422, 'too_many'])
    const large = await post('/bulk/invoices', { invoices: ['x'.repeat(10 * 1024 * 1024)] })
    expect([large.status, large.body.code]).toEqual([413, 'request.too_large'])
  })
})

describe('POST /bulk/bills', () => {
  test('a bill that an earlier row makes a duplicate is refused, the first is not', async () => {
    const same = billBody(org, { reference_number: 'TM/1', auto_approve: true })
    const draft = billBody(org, { reference_number: 'TM/1' })
    const { body } = await post('/bulk/bills', { bills: [same, draft, same, billBody(org)] })
    expect(body.results.map(({ ok, error }: Json) => (ok ? 'ok' : [error.code, error.field]))).toEqual(
      ['ok', ['validation.invalid_value', 'reference_number'], ['validation.invalid_value', 'reference_number'], 'ok'])
    expect(body.results[0].bill).toMatchObject({ status: 'OPEN', vendor_id: org.vendorId })
    expect(await events(body.bulk_id, 'BILL_BULK_CREATED')).toEqual([{ data: { count: 2, failed: 2, batch_size: 4 } }])
  })
})

test('rows are written many at a time, and a batch with a row that PostgreSQL refuses one by one', async () => {
  const written = async (rows: Body[]) => {
    const { body } = await post('/bulk/invoices', invoices(...rows))
    const [{ commits }] = await service.sql<Json>(
      'SELECT count(DISTINCT xmin::text)::integer AS commits FROM invoices WHERE id IN (SELECT document_id FROM bulk_items WHERE bulk_id = $1)', body.bulk_id) as [Json]
    return [body.summary.succeeded, body.results.filter(({ ok }: Json) => !ok).map(({ index }: Json) => index), commits]
  }
  const rows = Array.from({ length: BATCH.rows }, () => ({ auto_approve: true }))
  expect(await written([...rows, ...rows])).toEqual([2 * BATCH.rows, [], 2])
  await service.sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.notes = 'refused' THEN RAISE EXCEPTION 'too large' USING ERRCODE = '22003'; END IF; RETURN NEW; END $$`)
  await service.sql('CREATE TRIGGER refuse BEFORE INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION refuse()')
  const last = await written([...rows.slice(1), { notes: 'refused' }, ...rows])
  await service.sql('DROP FUNCTION refuse CASCADE')
  expect(last).toEqual([2 * BATCH.rows - 1, [BATCH.rows - 1], BATCH.rows])
})

test('a number that a row brings along is not given to a row after it', async () => {
  const next = (number: string) => number.replace(/\d+$/, (digits) => String(Number(digits) + 1).padStart(digits.length, '0'))
  const { bill } = (await org.client.post('/bills', billBody(org))).body
  const own = next(bill.bill_number)
  const bills = (await post('/bulk/bills', { bills: [billBody(org, { bill_number: own }), billBody(org)] })).body
  expect(bills.results.map(({ bill: made }: Json) => made.bill_number)).toEqual([own, next(own)])
  const { invoice } = (await org.client.post('/invoices', invoiceBody(org))).body
  const taken = next(invoice.invoice_number)
  const made = (await post('/bulk/invoices', invoices({ invoice_number: taken }, {}, { invoice_number: next(next(taken)) }))).body
  expect(numbersOf(made.results)).toEqual([taken, next(taken), next(next(taken))])
})

describe('?async=true', () => {
  test('answers 202 with the bulk, which is read until it is completed, page by page', async () => {
    const rows = Array.from({ length: 120 }, (_, n) => (n % 40 === 7 ? { place_of_supply: 'Atlantis' } : { notes: `row ${n}` }))
    const key = randomUUID()
    const { status, body } = await post('/bulk/invoices?async=true', invoices(...rows), key)
    expect([status, body.bulk.bulk_id, body.bulk.total]).toEqual([202, body.bulk_id, 120])
    const whole = await completed(body.bulk_id)
    expect(whole.bulk).toMatchObject({ entity_type: 'INVOICE', total: 120, succeeded: 117, failed: 3, pending: 0 })

    const seen: Json[] = []
    for (let cursor = ''; ; ) {
      const page = (await org.client.get(`/bulk/${body.bulk_id}?per_page=50${cursor}`)).body
      seen.push(...page.results)
      if (!page.page_context.has_more_page) break
      cursor = `&cursor=${page.page_context.next_cursor}`
    }
    expect(seen.map(({ index }) => index)).toEqual(Array.from({ length: 120 }, (_, n) => n))
    const numbers = numbersOf(seen.filter(({ ok }) => ok))
    expect(numbers).toEqual(numbers.toSorted())
    const failed = (await org.client.get(`/bulk/${body.bulk_id}?ok=false`)).body
    expect(failed.results.map(({ index, ok }: Json) => [index, ok])).toEqual([[7, false], [47, false], [87, false]])
    const again = await post('/bulk/invoices?async=true', invoices(...rows), key)
    expect([again.status, again.body, replayed(again)]).toEqual([202, body, true])
  })

  test('a draft that is deleted later leaves its place', async () => {
    const { body } = await post('/bulk/invoices', invoices({}))
    await org.client.delete(`/invoices/${body.results[0].invoice.invoice_id}`)
    expect((await org.client.get(`/bulk/${body.bulk_id}`)).body.results).toEqual([{ index: 0, ok: true, invoice: null, warnings: [] }])
  })

  test('a cursor of another bulk, of another filter, and a bulk of nobody', async () => {
    const [one, two] = [(await post('/bulk/invoices', invoices({}, {}))).body.bulk_id, (await post('/bulk/invoices', invoices({}, {}))).body.bulk_id]
    const { next_cursor: cursor } = (await org.client.get(`/bulk/${one}?per_page=1`)).body.page_context
    for (const path of [`/bulk/${two}?cursor=${cursor}`, `/bulk/${one}?ok=true&cursor=${cursor}`, '/invoices?cursor=' + cursor]) {
      const { status, body } = await org.client.get(path)
      expect([path, status, body.field]).toEqual([path, 400, 'cursor'])
    }
    expect((await org.client.get(`/bulk/${randomUUID()}`)).status).toBe(404)
    const stranger = await service.organization()
    expect((await stranger.get(`/bulk/${one}`)).body).toMatchObject({ code: 'not_found.resource', message: 'There is no such bulk.' })
  })

  test('is read with the scope of its kind', async () => {
    const { bulk_id: id } = (await post('/bulk/invoices', invoices({}))).body
    const ask = async (...scopes: string[]) => (await service.call('GET', `/bulk/${id}`, { token: await service.token(org.client.orgId, { scopes }) })).status
    expect(await Promise.all([ask('Svc.invoices.READ'), ask('Svc.invoices.CREATE'), ask('Svc.bills.READ'), ask()])).toEqual([200, 200, 403, 403])
    const unknown = async (scope: string) => (await service.call('GET', `/bulk/${randomUUID()}`, { token: await service.token(org.client.orgId, { scopes: [scope] }) })).status
    expect(await Promise.all([unknown('Svc.contacts.READ'), unknown('Svc.bills.READ')])).toEqual([403, 404])
  })
})

test('a row may warn as a single call does', async () => {
  const { body } = await post('/bulk/invoices', invoices({ currency_code: 'USD' }))
  expect(body.results[0].warnings).toEqual([expect.objectContaining({ code: 'validation.exchange_rate_assumed' })])
  expect((await created(org.client.post('/invoices', invoiceBody(org, { currency_code: 'USD' })))).warnings).toHaveLength(1)
})
