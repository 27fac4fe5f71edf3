// Whatever is sent: an envelope comes back, never a 5xx, never a stack trace, and nothing is done by halves.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { invoiceBody } from '../fixtures/bodies.ts'
import type { Answered } from '../fixtures/client.ts'
import { openOrganizationWithItem } from '../fixtures/organization.ts'
import { hangUp, sendBytes, type RawAnswer } from '../fixtures/raw-request.ts'
import { useService } from '../fixtures/use-service.ts'

const API = '/api/public/v1'
const MEGABYTE = 1024 * 1024
let before: unknown

const service = await useService()
const org = await openOrganizationWithItem(service)

async function written() {
  return (await service.sql(`SELECT (SELECT count(*)::integer FROM contacts) AS contacts, (SELECT count(*)::integer FROM invoices) AS invoices,
    (SELECT count(*)::integer FROM invoice_lines) AS lines, (SELECT count(*)::integer FROM journals) AS journals,
    (SELECT count(*)::integer FROM activity) AS activity, (SELECT count(*)::integer FROM webhook_events) AS events,
    (SELECT sum(next_number)::integer FROM number_counters) AS numbers`))[0]
}

const post = (path: string, sent: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  service.call('POST', path, { token: org.client.token, raw: sent, key: randomUUID(), headers })
const contact = (sent: string) => post('/contacts', sent)
const head = (method: string, path: string, ...more: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: test', `Authorization: Bearer ${org.client.token}`, ...more, '', ''].join('\r\n')

function expectRefusal({ status, body, text }: Answered | RawAnswer, wanted: [number, string]): void {
  expect([status, body?.code, text.slice(0, 200)]).toEqual([...wanted, expect.any(String)])
  expect(body).toMatchObject({ message: expect.stringMatching(/\S/), request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  expect(text).not.toMatch(/\n\s+at |node_modules|\.ts:\d|SELECT |INSERT |Sequelize|postgres/i)
}

describe('bodies that are refused, and leave nothing behind', () => {
  beforeEach(async () => void (before = await written()))
  afterEach(async () => expect(await written()).toEqual(before))

  test.each([
    '{', '}', '{"contact_name":}', '{"contact_name":"A",}', "{'contact_name':'A'}", 'undefined', 'NaN', '{"contact_name":"A"} x',
    '{"contact_name":"\n"}', '{"contact_name":"\\x41"}', '{"contact_name":"\\u12"}', '"', '[', '\0', ' ', '{"a":01}', '{"a":+1}', '<a/>',
  ])('not JSON: %j', async (text) => expectRefusal(await contact(text), [400, 'request.malformed_json']))

  test.each([[[0xff, 0xfe, 0x7b, 0x7d]], [[0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]], [[0x22, 0xed, 0xa0, 0x80, 0x22]]])(
    'not UTF-8: %j', async (bytes) => expectRefusal(await post('/contacts', new Uint8Array(bytes)), [400, 'request.malformed_json']),
  )

  test.each(['{"a":'.repeat(65) + '1' + '}'.repeat(65), '['.repeat(200) + ']'.repeat(200), '['.repeat(900_000), '{"a":['.repeat(300_000)])(
    'too deep (%#)', async (text) => expectRefusal(await contact(text), [400, 'request.malformed_json']),
  )

  test.each<Record<string, string>>([
    { 'content-type': 'text/plain' }, { 'content-type': 'application/xml' }, { 'content-type': 'multipart/form-data; boundary=x' },
    { 'content-type': 'application/x-www-form-urlencoded' }, { 'content-type': 'application/jsonp' }, { 'content-type': '' },
    { 'content-type': 'application/json; charset=iso-8859-1' }, { 'content-type': 'application/json; charset=utf-16' },
    { 'content-encoding': 'gzip' }, { 'content-encoding': 'br' },
  ])('another media type: %j', async (headers) =>
    expectRefusal(await post('/contacts', '{"contact_name":"A"}', headers), [415, 'request.unsupported_media_type']))

  test.each([
    ['{"contact_name":"a\\u0000b"}', 'contact_name'],
    ['{"contact_name":"\\ud800"}', 'contact_name'], ['{"contact_name":"x\\udc00y"}', 'contact_name'],
    ['{"contact_name":"A","billing_address":{"city":"\\u0000"}}', 'billing_address.city'],
    ['{"contact_name":"A","contact_persons":[{"first_name":"\\ud83d"}]}', 'contact_persons.0.first_name'],
    ['{"contact_name":"A","unknown":{"deep":["\\u0000"]}}', 'unknown.deep.0'],
    ['{"contact_name":"A","credit_limit":1e400}', 'credit_limit'], ['{"contact_name":"A","opening_balance":-1e999}', 'opening_balance'],
  ])('text that cannot be kept, numbers that are none: %s', async (text, field) => {
    const answered = await contact(text)
    expectRefusal(answered, [422, 'validation.failed'])
    expect(answered.body.errors.map((problem: { field: string }) => problem.field)).toEqual([field])
  })

  test.each([
    { customer_id: 5 },
    { customer_id: { $ne: null } }, { customer_id: ['x'] }, { line_items: {} }, { line_items: [[]] }, { line_items: 'x' }, { line_items: [null] },
    { line_items: [] }, { date: {} }, { date: '2026-02-30' }, { date: '' }, { date: 'yesterday' }, { date: 20261110 }, { place_of_supply: 29 }, { auto_approve: 'true' },
    { round_off: '0' }, { exchange_rate: 0 }, { exchange_rate: -1 }, { tags: 'x' }, { line_items: [{ item_id: 'x', quantity: '2' }] },
    { line_items: [{ name: 'x', rate: 1, quantity: 0 }] }, { line_items: [{ name: 'x', rate: 1, quantity: 1e308 }] }, { line_items: [{ name: 'x', rate: -1, quantity: 1 }] },
    { line_items: [{ name: 'x', rate: 0.1234567, quantity: 1 }] }, { line_items: [{ quantity: 1 }] }, { line_items: [{ name: '', rate: 1, quantity: 1 }] },
    { line_items: Array.from({ length: 501 }, () => ({ name: 'x', rate: 1, quantity: 1 })) }, { notes: 'x'.repeat(5001) },
  ])('an invoice of the wrong shape: %j', async (changes) =>
    expectRefusal(await org.client.post('/invoices', invoiceBody(org, { auto_approve: true, ...changes })), [422, 'validation.failed']))

  test.each([
    ['customer_id', 404], ['branch_id', 404], ['line_items', 404], ['tags', 404],
  ] as const)('ids of other shapes in %s', async (field, status) => {
    for (const id of ['x', '1', '{00000000-0000-7000-8000-000000000000}', "'; --", '%00', '../..', randomUUID(), `${randomUUID()} `]) {
      const value = { line_items: [{ item_id: id, quantity: 1 }], tags: [id] }[field as string] ?? id
      expectRefusal(await org.client.post('/invoices', invoiceBody(org, { auto_approve: true, [field]: value })), [status, 'not_found.resource'])
    }
  })

  test.each([
    ['place_of_supply', 'IN-IN', 422], ['place_of_supply', 'Atlantis', 422], ['currency_code', 'ZZZ', 400], ['due_date', '2020-01-01', 400],
    ['exchange_rate', 2, 400], ['round_off', -999999, 400], ['line_items', [{ name: 'x', rate: 1e7, quantity: 1e7 }], 400],
    ['line_items', [{ name: 'x', rate: 1, quantity: 1, discount: 2 }], 400],
  ])('a well-formed value that is not acceptable: %s %j', async (field, value, status) =>
    expectRefusal(await org.client.post('/invoices', invoiceBody(org, { auto_approve: true, [field]: value })), [status, 'validation.invalid_value']))

  test('__proto__ and its like are fields like any other', async () => {
    expectRefusal(await contact('{"__proto__":{"contact_name":"A"}}'), [422, 'validation.failed'])
    expectRefusal(await contact('{"constructor":{"prototype":{"contact_name":"A"}}}'), [422, 'validation.failed'])
    expectRefusal(await contact('{"contact_name":"A","billing_address":{"__proto__":{"city":"\\u0000"}}}'), [422, 'validation.failed'])
    expect(({} as Record<string, unknown>).contact_name).toBeUndefined()
  })

  test('bodies that are too large', async () => {
    const large = `{"contact_name":"${'x'.repeat(2 * MEGABYTE)}"}`
    const answered = await contact(large)
    expectRefusal(answered, [413, 'request.too_large'])
    expect(answered.body.details).toEqual({ max_bytes: 2 * MEGABYTE })
    expectRefusal(await post('/echo', `{"x":"${'y'.repeat(64 * 1024)}"}`), [413, 'request.too_large'])
    expectRefusal(await sendBytes(service.port, head('POST', `${API}/contacts`, 'Content-Type: application/json', 'Content-Length: 999999999999'), '{'), [413, 'request.too_large'])
    const chunk = `100000\r\n${'x'.repeat(MEGABYTE)}\r\n`
    const chunked = head('POST', `${API}/contacts`, 'Content-Type: application/json', 'Transfer-Encoding: chunked')
    expectRefusal(await sendBytes(service.port, chunked, chunk, chunk, chunk, '0\r\n\r\n'), [413, 'request.too_large'])
  })

  test('connections that break off in the middle of a body', async () => {
    const halves = [
      head('POST', `${API}/contacts`, 'Content-Type: application/json', 'Content-Length: 500') + '{"contact_name":"A"}',
      head('POST', `${API}/contacts`, 'Content-Type: application/json', 'Transfer-Encoding: chunked') + '14\r\n{"contact_name":"A"}\r\n',
      head('POST', `${API}/contacts`, 'Content-Type: application/json', 'Content-Length: 500', `Idempotency-Key: ${randomUUID()}`),
    ]
    for (const half of halves) await hangUp(service.port, half)
    expect((await service.call('GET', '/ping')).status).toBe(200)
  })
})
