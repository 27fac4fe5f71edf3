// What one caller's bodies may cost: answers that do not outgrow their requests, and turns for what is large.
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { createFairShare, type Release } from '../../api/http/fair-share.ts'
import { invoiceBody } from '../fixtures/bodies.ts'
import type { Answered } from '../fixtures/client.ts'
import { openOrganizationWithItem } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const MEGABYTE = 1024 * 1024

const service = await useService()
const org = await openOrganizationWithItem(service)

const send = (path: string, raw: string) => service.call('POST', path, { token: org.client.token, raw, key: randomUUID() })

describe('an answer does not grow with its request', () => {
  const long = 'k'.repeat(200_000)
  const filled = (text: string, size = MEGABYTE) => text.repeat(Math.floor(size / text.length))

  test.each<[string, string, string]>([
    ['values that cannot be stored under one long name', '/contacts', `{"${long}":[${filled('1e999,')}1]}`],
    ['texts that cannot be stored under long names', '/contacts', `{"${long}":{"${long}":["\\u0000","\\ud800"]}}`],
    ['names that cannot be stored', '/contacts', `{"${long}":{${Array.from({ length: 500 }, (_, n) => `"\\u0000${n}":1`).join()}}}`],
    ['lines of nothing', '/invoices', `{"line_items":[${filled('0,')}0]}`],
    ['empty lines', '/invoices', `{"line_items":[${filled('{},')}{}]}`],
    ['as many lines as may be, all wrong', '/invoices', JSON.stringify({ line_items: Array.from({ length: 500 }, () => ({ name: 1, rate: '', quantity: [], tax_id: {} })) })],
    ['a scope of a megabyte', '/contacts', JSON.stringify({ contact_name: 'x'.repeat(MEGABYTE), currency_code: 'y'.repeat(MEGABYTE / 2) })],
    ['text that is no JSON', '/contacts', filled('x')],
    ['a value of a list that is not in it', '/contacts', JSON.stringify({ contact_name: 'A', contact_type: 'z'.repeat(MEGABYTE) })],
  ])('%s', async (_what, path, raw) => {
    const { status, text, body } = await send(path, raw)
    expect([400, 422]).toContain(status)
    expect(text.length).toBeLessThan(50_000)
    const errors: { field: string; message: string }[] = body.errors ?? []
    expect(errors.length).toBeLessThanOrEqual(100)
    for (const { field, message } of errors) expect([field.length <= 200, message.length <= 500]).toEqual([true, true])
  })

  test('it says that there are more problems than it lists, and those of the body itself come first', async () => {
    const wrong = { line_items: Array.from({ length: 500 }, () => ({})), notes: 5, tags: 'x' }
    const { body } = await send('/invoices', JSON.stringify(wrong))
    expect(body.errors).toHaveLength(100)
    expect(body.message).toMatch(/first 100 of its problems/)
    expect(body.errors.slice(0, 5).map(({ field }: { field: string }) => field).sort()).toEqual(['customer_id', 'date', 'notes', 'place_of_supply', 'tags'])
    const few = await send('/invoices', '{}')
    expect([few.body.errors.length, few.body.message]).toEqual([4, expect.not.stringMatching(/first/)])
  })

  test('the length of a list is reported before what is in it', async () => {
    const lines = Array.from({ length: 501 }, () => ({ name: 'x', rate: 1, quantity: 1 }))
    const { status, body } = await send('/invoices', JSON.stringify(invoiceBody(org, { line_items: lines })))
    expect([status, body.errors]).toEqual([422, [{ field: 'line_items', code: 'too_many', message: 'must not have more than 500 items' }]])
  })

  test('a field of the caller in a message is shortened', async () => {
    const { status, body } = await org.client.post('/webhooks/endpoints', { url: 'https://example.com/x', events: ['X'.repeat(100)] })
    expect([status, body.message.length < 500]).toEqual([400, true])
    const refused = await service.call('POST', '/partner/organizations', { partnerKey: service.partnerKey, key: randomUUID(), body: { name: 'A', scopes: ['s'.repeat(5_000)] } })
    expect([refused.status, refused.body.errors.map(({ field }: { field: string }) => field)]).toEqual([422, ['scopes.0']])
  })
})

test('an address of a partner\'s organisation has a bound, whatever its fields', async () => {
  const create = (address: unknown): Promise<Answered> =>
    service.call('POST', '/partner/organizations', { partnerKey: service.partnerKey, key: randomUUID(), body: { name: 'A', address } })
  expect((await create({ city: 'Mysuru', lines: ['1', '2'] })).status).toBe(201)
  for (const address of [{ city: 'x'.repeat(5_000) }, { deep: Array.from({ length: 3_000 }, () => 1) }, Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, 1]))]) {
    const { status, body } = await create(address)
    expect([status, body.errors?.map(({ field }: { field: string }) => field)]).toEqual([422, ['address']])
  }
})

describe('a body that nobody reads', () => {
  // Sends without end; returns what was answered and whether the connection was closed.
  function sendOn(head: string): Promise<{ answer: string; sent: number }> {
    return new Promise((resolve) => {
      const socket = connect(service.port, '127.0.0.1')
      let [answer, sent] = ['', 0]
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
      const more = setInterval(() => {
        sent += chunk.length
        socket.write(chunk)
      }, 20)
      socket.on('data', (part) => (answer += String(part)))
      socket.on('error', () => undefined)
      socket.on('close', () => {
        clearInterval(more)
        resolve({ answer, sent })
      })
      socket.write(head)
    })
  }

  test.each([[413, () => org.client.token], [401, () => 'svc_pat_nobody_at_all']])('is answered with %i, and its connection closed', async (status, token) => {
    const head = ['POST /api/public/v1/contacts HTTP/1.1', 'Host: test', `Authorization: Bearer ${token()}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked', '', '']
    const { answer } = await sendOn(head.join('\r\n'))
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })
})

describe('a share', () => {
  const shareOf = (total: number, each: number, waitSeconds = 30) => createFairShare({ total, each, waitSeconds, message: 'Too many.' })

  test('nobody holds more than their part, and who waits is served in turn', async () => {
    const share = shareOf(4, 2)
    const served: string[] = []
    const held: Release[] = []
    const ask = (owner: string) => Promise.resolve(share.take(owner)).then((release) => {
      served.push(owner)
      held.push(release)
    })
    for (const owner of ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'b', 'c', 'c']) void ask(owner)
    await new Promise(setImmediate)
    expect([served.join(''), share.taken()]).toEqual(['aabb', 4])
    for (let n = 0; n < 6; n += 1) {
      held.shift()!()
      await new Promise(setImmediate)
      expect(share.taken()).toBe(Math.min(4, 10 - 1 - n))
    }
    // The two of c are not kept waiting until all of a are served.
    expect(served.join('')).toBe('aabbacbaca'.slice(0, served.length))
    for (const release of held.splice(0)) release()
    expect(share.taken()).toBe(0)
  })

  test('a large amount is not passed by small ones for ever', async () => {
    const share = shareOf(10, 8)
    const small = [1, 2, 3, 4, 5].map(() => share.take('a', 1) as Release)
    const large = Promise.resolve(share.take('b', 8))
    const late = share.take('c', 1)
    expect(late).toBeInstanceOf(Promise)
    for (const release of small) release()
    const release = await large
    expect((await late) instanceof Function).toBe(true)
    release()
  })

  test('a wait has an end, and gives back what it did not get', async () => {
    const share = shareOf(1, 1, 0.05)
    const release = share.take('a') as Release
    await expect(share.take('b')).rejects.toMatchObject({ code: 'service.unavailable', retryAfter: 0.05 })
    const over = new AbortController()
    const leaving = share.take('c', 1, over.signal)
    over.abort(new Error('gone'))
    await expect(leaving).rejects.toThrow('gone')
    release()
    release()
    expect(share.taken()).toBe(0)
    expect(share.take('b')).toBeInstanceOf(Function)
  })
})
