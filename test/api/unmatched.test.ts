// What is no call of ours: answered in the envelope all the same, whatever it is.
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from '@jest/globals'
import { openEmptyOrganization } from '../fixtures/empty-organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()

/** Sends bytes as they are; answers the status, the headers and the JSON of what comes back before the connection ends. */
async function raw(bytes: string): Promise<{ status: number; headers: string; body: Record<string, unknown> }> {
  const socket = connect(service.port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => { text += chunk })
  socket.write(bytes)
  await once(socket, 'close')
  const [headers = '', body = ''] = text.split('\r\n\r\n')
  return { status: Number(headers.split(' ')[1]), headers, body: JSON.parse(body) }
}

const MALFORMED: [name: string, bytes: string, status: number, code: string][] = [
  ['no request at all', 'hello\r\n\r\n', 400, 'request.malformed'],
  ['a header with a NUL', 'GET /api/public/v1/ping HTTP/1.1\r\nHost: a\r\nX-A: \0\r\n\r\n', 400, 'request.malformed'],
  ['two lengths', 'POST /api/public/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}', 400, 'request.malformed'],
  ['headers without end', `GET /api/public/v1/ping HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'request.too_large'],
]

test.each(MALFORMED)('%s', async (_name, bytes, status, code) => {
  const answer = await raw(bytes)
  expect(answer).toMatchObject({ status, body: { code, message: expect.any(String), request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) } })
  expect(answer.headers).toMatch(/X-RateLimit-Limit: \d+/)
  expect(answer.headers).toContain(`X-Request-Id: ${answer.body.request_id}`)
  expect(answer.headers).toContain('Connection: close')
})

test.each([['GET', '/docs/nothing'], ['GET', '/nothing'], ['POST', '/metrics']])('%s %s has the headers of every answer', async (method, path) => {
  const answer = await fetch(`${service.origin}${path}`, { method })
  expect([404, 405]).toContain(answer.status)
  expect(answer.headers.get('x-ratelimit-limit')).toBe('1000000')
  expect(await answer.json()).toMatchObject({ request_id: answer.headers.get('x-request-id') })
})

test('an id that is far too long is an id that does not exist', async () => {
  const { client } = await openEmptyOrganization(service)
  for (const length of [101, 10_000]) {
    const { status, body } = await client.get(`/invoices/${'7'.repeat(length)}`)
    expect([status, body.code]).toEqual([404, 'not_found.resource'])
  }
})

test('the next caller is served', async () => {
  expect((await service.call('GET', '/ping')).status).toBe(200)
})
