// What the client repeats, with which key, after which wait, and when it gives up: against a server that breaks every promise.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, test } from '@jest/globals'
import {
  Bahi, BahiError, ConflictError, ConnectionError, InvalidAnswerError, NotFoundError, RateLimitedError, ServerError, type ClientOptions,
} from '../../client/src/index.ts'
import { DEFAULTS } from '../../client/src/api.ts'
import { textOf } from '../docs/examples.ts'
import { cut, cutInChunks, hanging, hangingBody, json, lost, openHostileServer, refusal, text, type Step } from './hostile-server.ts'

const server = await openHostileServer()
afterAll(() => server.close())

const FINE = json(200, { code: 0, message: 'success', contacts: [], page_context: { has_more_page: false, next_cursor: null } })
const MADE = json(201, { code: 0, message: 'Made.', contact: { contact_id: 'c' }, warnings: [] })
const contact = { contact_name: 'Meena' }
const clientWith = (options: Partial<ClientOptions> = {}) => new Bahi({ baseUrl: server.baseUrl, token: 'svc_pat_x', backoffMs: 1, timeoutMs: 20_000, ...options })
const bahi = clientWith()

const rejection = async (call: Promise<unknown>): Promise<BahiError> => call.then(
  () => { throw new Error('it succeeded') }, (error: unknown) => { expect(error).toBeInstanceOf(BahiError); return error as BahiError },
)

describe('is repeated', () => {
  const PASSING: [string, Step][] = [
    ['a connection that is lost', lost],
    ['an answer that is cut', cut],
    ['an answer that is cut, without a length', cutInChunks],
    ['a whole answer that is not whole JSON', text(200, '{"code": 0, "contacts": [')],
    ['an answer without a body', text(200, '')],
    ['a page of a proxy', text(200, '<html>Sign in to the hotel</html>')],
    ['429', refusal(429, 'rate_limit.exceeded', { 'retry-after': '0' })],
    ['503', refusal(503, 'service.unavailable')],
    ['503 of a proxy', text(503, 'busy')],
    ['502 of a proxy', text(502, 'bad gateway')],
    ['504 of a proxy', text(504, 'timeout')],
    ['502 of a store', refusal(502, 'storage.upload_failed')],
    ['408', refusal(408, 'request.timeout')],
    ['409 while the key is in use', refusal(409, 'idempotency.in_progress', { 'retry-after': '0' })],
  ]

  test.each(PASSING)('%s: a read', async (_name, step) => {
    server.script(step, step, FINE)
    await bahi.get('/contacts')
    expect(server.sent.map(({ method, key }) => [method, key])).toEqual(Array(3).fill(['GET', undefined]))
  })

  test.each(PASSING)('%s: a write, with its key and its bytes', async (_name, step) => {
    server.script(step, step, MADE)
    await bahi.post('/contacts', { body: contact })
    const [first] = server.sent
    expect(first!.key).toMatch(/^[0-9a-f]{32}$/)
    expect(server.sent.map(({ key, body }) => [key, body])).toEqual(Array(3).fill([first!.key, JSON.stringify(contact)]))
  })
})

test('every call has a key of its own, or the one that it is given', async () => {
  server.script(MADE)
  await bahi.post('/contacts', { body: contact })
  await bahi.post('/contacts', { body: contact })
  await bahi.post('/contacts', { body: contact, idempotencyKey: 'order-1' })
  await bahi.put('/contacts/{contact_id}', { path: { contact_id: 'c' }, body: { contact_name: 'M' } }).catch(() => undefined)
  const keys = server.sent.map(({ key }) => key)
  expect(new Set(keys).size).toBe(4)
  expect(keys.slice(2)).toEqual(['order-1', undefined])
})

test('a form is sent again whole', async () => {
  server.script(lost, json(201, { code: 0, message: 'Made.', attachment: {} }))
  const file = new File(['a'.repeat(1000)], 'list.csv', { type: 'text/csv' })
  await bahi.post('/attachments', { body: { file, entity_type: 'CONTACT', entity_id: '01a1fddd-0000-7000-8000-000000000000' } })
  const [first, second] = server.sent
  expect([second!.key, second!.body.includes('a'.repeat(1000))]).toEqual([first!.key, true])
})

test('what the caller changes meanwhile is not sent', async () => {
  server.script(lost, MADE)
  const body = { ...contact }
  const call = bahi.post('/contacts', { body })
  body.contact_name = 'Other'
  await call
  expect(server.sent.map(({ body: sent }) => sent)).toEqual(Array(2).fill(JSON.stringify(contact)))
})

describe('is not repeated', () => {
  const FINAL: [string, Step, new (...args: never[]) => BahiError][] = [
    ['400', refusal(400, 'validation.invalid_value'), BahiError],
    ['409', refusal(409, 'conflict.invalid_state'), ConflictError],
    ['500', refusal(500, 'internal.error'), ServerError],
    ['502 of the mail provider', refusal(502, 'email.send_failed'), ServerError],
    ['a redirection', text(302, '', { location: 'https://evil.example/' }), InvalidAnswerError],
    ['429 for longer than is waited', refusal(429, 'rate_limit.exceeded', { 'retry-after': '61' }), RateLimitedError],
    ['429 until a date that is far', refusal(429, 'rate_limit.exceeded', { 'retry-after': 'Fri, 01 Jan 2100 00:00:00 GMT' }), RateLimitedError],
  ]
  test.each(FINAL)('%s', async (_name, step, Kind) => {
    server.script(step)
    expect(await rejection(bahi.post('/contacts', { body: contact }))).toBeInstanceOf(Kind)
    expect(server.sent.length).toBe(1)
  })
})

describe('an end is reached', () => {
  test('after the repeats', async () => {
    server.script(lost)
    const error = await rejection(bahi.post('/contacts', { body: contact }))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ code: 'client.connection_lost', status: null, attempts: 5, idempotencyKey: server.sent[0]!.key })
    expect(server.sent.length).toBe(5)
    await rejection(bahi.get('/contacts', { retries: 1 }))
    expect(server.sent.length).toBe(7)
    await rejection(clientWith({ retries: 0 }).get('/contacts'))
    expect(server.sent.length).toBe(8)
  })

  test.each([['no answer', hanging], ['no end of an answer', hangingBody]])('with %s', async (_name, step) => {
    server.script(step)
    const error = await rejection(bahi.get('/contacts', { timeoutMs: 50, retries: 1 }))
    expect(error).toMatchObject({ code: 'client.timed_out', attempts: 2 })
    expect(error).toBeInstanceOf(ConnectionError)
  })

  test('where nobody listens', async () => {
    const gone = await openHostileServer()
    await gone.close()
    expect(await rejection(clientWith({ baseUrl: gone.baseUrl }).get('/contacts'))).toMatchObject({ code: 'client.connection_lost', attempts: 5 })
  })

  test('while a key is in use for ever', async () => {
    server.script(refusal(409, 'idempotency.in_progress'))
    const error = await rejection(clientWith({ timeoutMs: 40, backoffMs: 10, retries: 0 }).post('/contacts', { body: contact }))
    expect(error).toBeInstanceOf(ConflictError)
    expect(error.attempts).toBeGreaterThan(2)
  })
})

test('a deletion whose answer was lost has succeeded where nothing is left', async () => {
  const path = { contact_id: 'c' }
  server.script(text(504, 'timeout'), refusal(404, 'not_found.resource'))
  expect(await bahi.delete('/contacts/{contact_id}', { path })).toMatchObject({ code: 0 })
  server.script(lost, refusal(404, 'not_found.resource'))
  expect(await bahi.delete('/contacts/{contact_id}', { path })).toMatchObject({ code: 0 })
  server.script(refusal(503, 'service.unavailable'), refusal(404, 'not_found.resource'))
  expect(await rejection(bahi.delete('/contacts/{contact_id}', { path }))).toBeInstanceOf(NotFoundError)
  server.script(lost, refusal(404, 'not_found.resource'))
  expect(await rejection(bahi.get('/contacts/{contact_id}', { path }))).toBeInstanceOf(NotFoundError)
})

describe('an abort', () => {
  test('ends an attempt', async () => {
    server.script(hanging)
    const reason = new Error('the page was left')
    const ending = new AbortController()
    const call = bahi.get('/contacts', { signal: ending.signal })
    while (server.sent.length === 0) await delay(5)
    ending.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect(server.sent.length).toBe(1)
  })

  test('ends a wait', async () => {
    server.script(refusal(429, 'rate_limit.exceeded', { 'retry-after': '60' }))
    const ending = new AbortController()
    const reason = new Error('the page was left')
    const call = clientWith({ onRetry: () => setTimeout(() => ending.abort(reason), 5) }).get('/contacts', { signal: ending.signal })
    await expect(call).rejects.toBe(reason)
    expect(server.sent.length).toBe(1)
  })

  test('before the call sends nothing', async () => {
    server.script(FINE)
    await expect(bahi.get('/contacts', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
    expect(server.sent).toEqual([])
  })
})

test('the waits are those that were asked for, or grow and differ', async () => {
  const waits: number[] = []
  const watched = clientWith({ backoffMs: 4, retries: 5, onRetry: ({ waitMs }) => waits.push(waitMs) })
  server.script(lost)
  await rejection(watched.get('/contacts'))
  expect(waits.length).toBe(5)
  waits.forEach((waitMs, place) => {
    const most = 4 * 2 ** place
    expect(waitMs).toBeGreaterThanOrEqual(most / 2)
    expect(waitMs).toBeLessThanOrEqual(most)
  })
  waits.length = 0
  server.script(refusal(429, 'rate_limit.exceeded', { 'retry-after': '1' }), FINE)
  await watched.get('/contacts')
  expect(waits[0]).toBeGreaterThanOrEqual(1000)
  expect(waits[0]).toBeLessThanOrEqual(1002)
})

test('the document says how often, how long and how soon', () => {
  const { retries, backoffMs, longestRetryAfterMs, timeoutMs } = DEFAULTS
  const figure = (ms: number) => ms.toLocaleString('en')
  expect(textOf('docs/client.md')).toContain(`: ${retries} times, from ${backoffMs} ms, up to ${figure(longestRetryAfterMs)} ms |`)
  expect(textOf('docs/client.md')).toContain(`how long one attempt may take: ${figure(timeoutMs)} ms,`)
})

test('a redirection as browsers show it is not repeated', async () => {
  let calls = 0
  const hidden = async () => {
    calls += 1
    return Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' })
  }
  expect(await rejection(clientWith({ fetch: hidden }).get('/contacts'))).toBeInstanceOf(InvalidAnswerError)
  expect(calls).toBe(1)
})

test('the token goes to the API alone', async () => {
  const other = await openHostileServer()
  other.script(FINE)
  server.script(text(307, '', { location: `${other.baseUrl}/contacts` }))
  await rejection(clientWith({ partnerKey: 'svc_prt_x' }).get('/contacts'))
  expect(other.sent).toEqual([])
  await other.close()
  expect(JSON.stringify(bahi) + String(bahi)).not.toContain('svc_pat')
})

test('what cannot be sent is a mistake of the caller, and no lost connection', async () => {
  server.script(FINE)
  await expect(bahi.post('/contacts', { body: contact, idempotencyKey: 'a\nb' })).rejects.toThrow(TypeError)
  await expect(bahi.post('/contacts', { body: { ...contact, big: 1n } as never })).rejects.toThrow(TypeError)
  expect(() => clientWith({ token: 'svc_\npat' })).toThrow(TypeError)
  expect(() => clientWith({ baseUrl: '/api/public/v1' })).toThrow(TypeError)
  expect(server.sent).toEqual([])
})

test('a file is what the API calls one', async () => {
  const path = { invoice_id: 'i' }
  server.script(text(200, '<html>Sign in to the hotel</html>'), text(200, '%PDF-1.7', { 'content-type': 'application/pdf', etag: '"a"' }))
  const file = await bahi.file('/invoices/{invoice_id}/pdf', { path })
  expect([new TextDecoder().decode(file!.bytes), file!.etag, server.sent.length]).toEqual(['%PDF-1.7', '"a"', 2])
  server.script(text(304, ''))
  expect(await bahi.file('/invoices/{invoice_id}/pdf', { path, etag: '"a"' })).toBeNull()
  expect(server.sent[0]!.headers['if-none-match']).toBe('"a"')
})
