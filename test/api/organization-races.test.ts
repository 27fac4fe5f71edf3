// An organisation's state or financial year is changed by its partner while documents are written: each waits for the other.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { BASE_PATH } from '../../api/server.ts'
import { blockedBy } from '../fixtures/blocked.ts'
import { billBody } from '../fixtures/bodies.ts'
import { openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()

const put = (orgId: string, body: unknown) => service.call('PUT', `/partner/organizations/${orgId}`, { partnerKey: service.partnerKey, body })

/** Does the work while another connection holds what `lock` locks; `holder` is rolled back by the work. */
async function holding<T>(lock: string, values: unknown[], work: (holder: pg.Client) => Promise<T>): Promise<T> {
  const other = new pg.Client({ connectionString: service.databaseUrl })
  await other.connect()
  try {
    await other.query('BEGIN')
    await other.query(lock, values)
    return await work(other)
  } finally {
    await other.end()
  }
}

/** What a PUT that came in the middle of a call is answered, once the call has gone on. */
async function putAmidst<T>(org: TestOrganization, body: object, lock: [string, unknown[]], call: () => Promise<T>) {
  return holding(...lock, async (holder) => {
    const called = call()
    await blockedBy(holder)
    const changed = put(org.orgId, body)
    // It has its answer before, or waits as well.
    await Promise.race([changed, blockedBy(holder, 2)])
    await holder.query('ROLLBACK')
    return { called: await called, changed: await changed }
  })
}

const taxes = ({ line_items }: { line_items: { cgst: number; igst: number }[] }) => line_items.map(({ cgst, igst }) => [cgst, igst])

describe('a document in the middle of being written', () => {
  test('is posted under the state that it was taxed by', async () => {
    const org = await openOrganization(service, { state_code: 'IN-KA' })
    const { invoice_id } = await org.invoice()
    const { called, changed } = await putAmidst(org, { state_code: 'IN-TN' }, ['SELECT FROM invoices WHERE id = $1 FOR UPDATE', [invoice_id]],
      () => org.client.post(`/invoices/${invoice_id}/approve`))
    expect([called.status, changed.status, changed.body.code, changed.body.field]).toEqual([200, 409, 'conflict.in_use', 'state_code'])
  })

  test('has a number of the financial year as it is', async () => {
    const org = await openOrganization(service)
    const { called, changed } = await putAmidst(org, { fiscal_year_start_month: 1 }, ['LOCK TABLE contacts IN ACCESS EXCLUSIVE MODE', []],
      () => org.client.post('/bills', billBody(org, { date: '2026-02-10' })))
    expect([called.status, called.body.bill?.bill_number, changed.status, changed.body.field]).toEqual([201, 'BILL-2025-26-001', 409, 'fiscal_year_start_month'])
  })

  test('waits for a change that came before, and is taxed by it', async () => {
    const org = await openOrganization(service, { state_code: 'IN-KA' })
    const { taxes: rates } = await org.get('/taxes?shape=INTRA_STATE&per_page=200')
    const tax_id = rates.find(({ cgst, sgst }: { cgst: number; sgst: number }) => cgst + sgst === 18).tax_id
    // The caller is remembered from a moment ago.
    await org.invoice()
    const { changed, called } = await holding('SELECT FROM branches WHERE org_id = $1 FOR UPDATE', [org.orgId], async (holder) => {
      const changing = put(org.orgId, { state_code: 'IN-TN' })
      await blockedBy(holder)
      const calling = org.client.post('/invoices', {
        customer_id: org.customerId, date: '2026-11-10', place_of_supply: 'IN-KA', auto_approve: true,
        line_items: [{ name: 'Saree', quantity: 1, rate: 100, tax_id }],
      }, randomUUID())
      await blockedBy(holder, 2)
      await holder.query('ROLLBACK')
      return { changed: await changing, called: await calling }
    })
    expect([changed.status, called.status]).toEqual([200, 201])
    expect(taxes(called.body.invoice)).toEqual([[0, 18]])
  })
})

describe('a change of the organisation', () => {
  test('that revokes a token refuses the call that waited for it', async () => {
    const org = await openOrganization(service)
    // The caller is remembered from a moment ago.
    await org.invoice()
    const { reissued, called } = await holding('SELECT FROM tokens WHERE org_id = $1 FOR UPDATE', [org.orgId], async (holder) => {
      const reissuing = service.call('POST', `/partner/organizations/${org.orgId}/token`, { partnerKey: service.partnerKey, key: randomUUID(), body: {} })
      await blockedBy(holder)
      const calling = org.client.post('/contacts', { contact_name: 'Meena Sarees' })
      await blockedBy(holder, 2)
      await holder.query('ROLLBACK')
      return { reissued: await reissuing, called: await calling }
    })
    expect([reissued.status, called.status, called.body.code]).toEqual([200, 401, 'auth.invalid_token'])
  })

  test('that revokes a token refuses the call that had come before it and was not written yet', async () => {
    const org = await openOrganization(service)
    const body = JSON.stringify({ contact_name: 'Meena Sarees' })
    const left = async () => Number((await org.client.get('/whoami')).headers['x-ratelimit-remaining'])
    const before = await left()
    const call = request(`${service.origin}${BASE_PATH}/contacts`, {
      method: 'POST', headers: { Authorization: `Bearer ${org.client.token}`, 'Content-Type': 'application/json', 'Content-Length': body.length },
    })
    const answered = once(call, 'response')
    call.write(body.slice(0, 5))
    // Until it is counted, besides the questions for it; or a new minute is.
    for (let [asked, last] = [1, before]; ; asked += 1) {
      const now = await left()
      if (now < before - asked || now > last) break
      last = now
    }
    const reissued = await service.call('POST', `/partner/organizations/${org.orgId}/token`, { partnerKey: service.partnerKey, key: randomUUID(), body: {} })
    call.end(body.slice(5))
    const [answer] = await answered
    expect([reissued.status, answer.statusCode]).toEqual([200, 401])
    answer.resume()
  })

  test('is not passed by calls that come while it waits for others', async () => {
    const org = await openOrganization(service)
    const { invoice_id } = await org.invoice()
    const { passed, statuses } = await holding('SELECT FROM invoices WHERE id = $1 FOR UPDATE', [invoice_id], async (holder) => {
      const approving = org.client.post(`/invoices/${invoice_id}/approve`)
      await blockedBy(holder)
      const renaming = put(org.orgId, { name: 'Tiruppur Trading' })
      await blockedBy(holder, 2)
      const adding = org.client.post('/contacts', { contact_name: 'Meena Sarees' })
      const passed = await Promise.race([adding.then(() => true), blockedBy(holder, 3).then(() => false)])
      await holder.query('ROLLBACK')
      return { passed, statuses: (await Promise.all([approving, renaming, adding])).map(({ status }) => status) }
    })
    expect({ passed, statuses }).toEqual({ passed: false, statuses: [200, 200, 201] })
  })
})

test('documents and changes of names at once: every call gets an answer of its own', async () => {
  const org = await openOrganization(service)
  let over = false
  const renaming = (async () => {
    const statuses: number[] = []
    for (let n = 0; !over; n += 1) statuses.push((await put(org.orgId, { name: `Name ${n}` })).status)
    return statuses
  })()
  const written = await Promise.all(Array.from({ length: 8 }, async () => {
    const statuses: number[] = []
    for (let n = 0; n < 15; n += 1) statuses.push((await org.client.post('/contacts', { contact_name: 'Meena Sarees' })).status)
    return statuses
  }))
  over = true
  expect([...new Set(await renaming)]).toEqual([200])
  expect([...new Set(written.flat())]).toEqual([201])
})
