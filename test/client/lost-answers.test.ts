// Answers of the service that are lost on their way: the client sends the same call again, and nothing is done twice.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Bahi } from '../../client/src/index.ts'
import { BASE_PATH } from '../../api/server.ts'
import { openOrganization, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()

/** Passes requests on; the answers of the first two to each write are dropped when they are complete. */
const dropped = new Map<string, number>()
const proxy = createServer(async (request, response) => pass(request, response).catch(() => response.destroy()))

async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray())
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !['host', 'connection', 'content-length', 'transfer-encoding', 'expect'].includes(name))) as Record<string, string>
  const answer = await fetch(service.origin + request.url, { method: request.method!, headers, ...(body.length > 0 ? { body } : {}) })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const call = `${request.method} ${request.headers['idempotency-key'] ?? request.url}`
  const times = dropped.get(call) ?? 0
  if (request.method !== 'GET' && times < 2) {
    dropped.set(call, times + 1)
    return void response.destroy()
  }
  // Restify's writeHead, which every answer of this process has, returns nothing.
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
  response.end(bytes)
}

let org: TestOrganization
let bahi: Bahi

beforeAll(async () => {
  org = await openOrganization(service)
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
  bahi = new Bahi({ baseUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${BASE_PATH}`, token: org.client.token, backoffMs: 1 })
})
afterAll(() => {
  proxy.closeAllConnections()
  proxy.close()
})

test('writes are done once', async () => {
  const lines = { line_items: [{ name: 'Silk thread', quantity: 1, rate: 100 }] }
  const made = await Promise.all(Array.from({ length: 5 }, () => bahi.post('/invoices', { body: { customer_id: org.customerId, date: TODAY, place_of_supply: 'IN-KA', ...lines } })))
  expect(dropped.size).toBe(5)
  const invoices = await Array.fromAsync(bahi.pages('/invoices'))
  expect(invoices.map(({ invoice_id }) => invoice_id).sort()).toEqual(made.map(({ invoice }) => invoice.invoice_id).sort())
})

test('so are approvals, payments, files, changes and deletions', async () => {
  const [first, second] = await Array.fromAsync(bahi.pages('/invoices'))
  const path = { invoice_id: first!.invoice_id }
  expect((await bahi.put('/invoices/{invoice_id}', { path, body: { notes: 'Fragile' } })).invoice.notes).toBe('Fragile')
  expect((await bahi.post('/invoices/{invoice_id}/approve', { path })).invoice.status).toBe('SENT')
  const receipt = { ...org.receiptBody({ amount: 100 }), allocations: [{ ...path, amount: 100 }] } as never
  await bahi.post('/payments', { body: receipt })
  expect((await bahi.get('/invoices/{invoice_id}', { path })).invoice).toMatchObject({ status: 'PAID', payment_made: 100 })
  expect(await Array.fromAsync(bahi.pages('/payments'))).toHaveLength(1)
  const file = new File(['sl,no\n'], 'list.csv', { type: 'text/csv' })
  await bahi.post('/attachments', { body: { entity_type: 'INVOICE', entity_id: path.invoice_id, file } })
  expect(await Array.fromAsync(bahi.pages('/attachments'))).toHaveLength(1)
  await bahi.delete('/invoices/{invoice_id}', { path: { invoice_id: second!.invoice_id } })
  expect(await Array.fromAsync(bahi.pages('/invoices'))).toHaveLength(4)
})
