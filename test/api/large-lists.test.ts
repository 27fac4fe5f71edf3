// A page of large documents: sent in portions at the reader's pace, whole and in order, without keeping a connection.
import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { BASE_PATH } from '../../api/server.ts'
import { invoiceBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganizationWithItem, type OrganizationWithItem } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

const [DOCUMENTS, LINES] = [14, 300]
let service: Service
let org: OrganizationWithItem
const ids: string[] = []

beforeAll(async () => {
  service = await startService()
  org = await openOrganizationWithItem(service)
  const line_items = Array.from({ length: LINES }, (_, n) => ({ name: `Line ${n}`, description: 'As ordered. '.repeat(80), quantity: 1, rate: n + 1 }))
  for (let n = 0; n < DOCUMENTS; n += 1) {
    const { status, body } = await org.client.post('/invoices', invoiceBody(org, { auto_approve: false, line_items }))
    expect(status).toBe(201)
    ids.unshift(body.invoice.invoice_id)
  }
}, 120_000)
afterAll(() => service.close())

function ask(query: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${org.client.token}` }
    get(`${service.origin}${BASE_PATH}/invoices?${query}`, { agent: false, headers }, (answer) => resolve(answer.pause())).on('error', reject)
  })
}

async function read(answer: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

const underWay = () => service.sql(
  `SELECT pid, state FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'bahi api' AND state <> 'idle'`,
)

test('the whole page, with the headers of every answer, and the cursor to the next', async () => {
  const answer = await ask('per_page=13')
  expect([answer.statusCode, answer.headers['transfer-encoding'], answer.headers['content-length']]).toEqual([200, 'chunked', undefined])
  expect(answer.headers).toMatchObject({ 'x-request-id': expect.any(String), 'x-ratelimit-limit': expect.any(String), 'content-type': 'application/json' })
  const { code, message, invoices, page_context } = await read(answer)
  expect([code, message, page_context]).toEqual([0, 'success', { per_page: 13, has_more_page: true, next_cursor: expect.any(String) }])
  expect(invoices.map(({ invoice_id }: Json) => invoice_id)).toEqual(ids.slice(0, 13))
  for (const { line_items } of invoices) expect(line_items.map(({ rate }: Json) => rate)).toEqual(Array.from({ length: LINES }, (_, n) => n + 1))
  expect(invoices[11]).toEqual((await org.client.get(`/invoices/${ids[11]}`)).body.invoice)
  const rest = await read(await ask(`per_page=13&cursor=${page_context.next_cursor}`))
  expect([rest.invoices.length, rest.invoices[0].invoice_id, rest.page_context.has_more_page]).toEqual([1, ids[13], false])
})

test('a page of ordinary size is answered with its length', async () => {
  const answer = await ask('per_page=1')
  expect([answer.headers['transfer-encoding'], Number(answer.headers['content-length']) > 0]).toEqual([undefined, true])
  expect((await read(answer)).invoices).toHaveLength(1)
})

test('readers who rest keep no connection, and those who go are forgotten', async () => {
  const idle = await Promise.all(Array.from({ length: 8 }, () => ask('per_page=14')))
  for (let n = 0; (await underWay()).length > 0; n += 1) {
    if (n > 100) throw new Error('a resting reader keeps a connection')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect((await org.client.get('/contacts')).status).toBe(200)
  for (const answer of idle.splice(0, 4)) answer.destroy()
  for (const answer of idle) expect((await read(answer)).invoices).toHaveLength(14)
  // All places are free again.
  const again = await Promise.all(Array.from({ length: 8 }, async () => read(await ask('per_page=14'))))
  expect(again.map(({ invoices }) => invoices.length)).toEqual(Array.from({ length: 8 }, () => 14))
})
