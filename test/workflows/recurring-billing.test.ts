// What a schedule does besides generating its documents: the payment links of its invoices.
import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { invoiceBody, scheduleBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { payableBy } from '../fixtures/payment-page.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { kill, spawnWorker } from '../fixtures/worker.ts'
import { removeSchedules } from './schedules.ts'

jest.setTimeout(180_000)

const SECRET = 'a secret of page and service'
let service: Service
let org: TestOrganization
let worker: ChildProcess

beforeAll(async () => {
  service = await startService()
  org = await openOrganization(service)
  worker = await spawnWorker({
    ...service.env, RECURRING_TICK_SECONDS: '1', PAYMENT_LINK_BASE_URL: 'https://pay.example.test/i', PAYMENT_LINK_SECRET: SECRET,
  })
})
afterAll(async () => {
  if (worker) await kill(worker)
  await removeSchedules(service.database, service.env.TEMPORAL_ADDRESS!, service.env.TEMPORAL_QUEUE_SUFFIX!)
  await service.close()
})

const add = async (changes: Json = {}): Promise<Json> => (await org.send('POST', '/recurring', scheduleBody(org, changes))).recurring
const run = (id: string): Promise<Json> => org.send('POST', `/recurring/${id}/run`)

test('with auto_charge an invoice, a draft too, has a payment link that the page can verify', async () => {
  const linkOf = async (changes: Json): Promise<[Json, string | null]> => {
    const { recurring_id } = await add({ start_date: '2027-01-31', ...changes })
    const { generated_entity_id } = await run(recurring_id)
    const { invoice } = await org.get(`/invoices/${generated_entity_id}`)
    return [invoice, invoice.payment_link_url]
  }
  for (const auto_approve of [true, false]) {
    const [invoice, link] = await linkOf({ auto_charge: true, auto_approve })
    expect(invoice.status).toBe(auto_approve ? 'SENT' : 'DRAFT')
    expect(link).toMatch(/^https:\/\/pay\.example\.test\/i\?organization_id=/)
    expect(payableBy(link!, SECRET)).toEqual({
      organization_id: org.orgId, invoice_id: invoice.invoice_id, amount: invoice.total.toFixed(2), currency: 'INR',
    })
  }
  expect((await linkOf({}))[1]).toBeNull()
  const free = { ...invoiceBody(org), line_items: [{ name: 'Given', quantity: 1, rate: 0 }] }
  expect((await linkOf({ auto_charge: true, template_payload: free }))[1]).toBeNull()
})
