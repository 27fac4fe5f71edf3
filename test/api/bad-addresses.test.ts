// Paths, queries, methods and headers that nobody should send: refused in the envelope, and the service goes on.
import { describe, expect, test } from '@jest/globals'
import type { Json } from '../fixtures/client.ts'
import { openOrganizationWithItem } from '../fixtures/organization.ts'
import { sendBytes } from '../fixtures/raw-request.ts'
import { useService } from '../fixtures/use-service.ts'

const API = '/api/public/v1'

const service = await useService()
const org = await openOrganizationWithItem(service)

const send = (method: string, path: string, ...headers: string[]) =>
  sendBytes(service.port, [`${method} ${path} HTTP/1.1`, 'Host: t', `Authorization: Bearer ${org.client.token}`, ...headers, '', ''].join('\r\n'))

describe('paths', () => {
  test.each([
    '/', '/api', '/api/public', '/api/public/v1', '/api/public/v2/ping', `${API}/no_such`, `${API}/ping/more`, `${API}//ping`, `${API}/PING`,
    `${API}/..%2f..%2fetc%2fpasswd`, `${API}/%2e%2e/ping`, `${API}/pin%67%00`, '/health', '/health/ready/x',
    `${API}/${'x'.repeat(9_000)}`, `${API}/contacts/x/y/z`, '/%', '/%zz', '/%E0%A4%A', `${API}/%E0%A4%A`,
  ])('404 for %s', async (path) => {
    const { status, body, headers } = await send('GET', path)
    expect([status, body?.code]).toEqual([404, 'not_found.route'])
    expect(headers).toHaveProperty('x-request-id')
    expect(headers).toHaveProperty('x-ratelimit-limit')
  })

  test.each(['/docs/%2e%2e%2fpackage.json', '/docs/package.json', '/docs/swagger-ui-bundle.js.map', '/docs/constructor', '/docs/__proto__'])(
    '404 for %s: the documentation has its own few files', async (path) => {
      const { status, body } = await send('GET', path)
      expect([status, body?.code]).toEqual([404, 'not_found.route'])
    },
  )

  test.each(['%', '%zz', '%E0%A4%A', '%00', '%ff', '%F0%9F', 'a%2Fb', '..%2f', '%25', '*', '%0d%0aX-Evil:1', 'null', 'undefined', '[object Object]'.replaceAll(' ', '%20')])(
    'an id that is %s', async (id) => {
      for (const resource of ['contacts', 'items', 'invoices', 'accounts', 'taxes', 'journals', 'webhooks/endpoints', 'webhooks/deliveries']) {
        const { status, body, headers } = await send('GET', `${API}/${resource}/${id}`)
        expect([resource, status, body?.code]).toEqual([resource, 404, expect.stringMatching(/^not_found\.(resource|route)$/)])
        expect(headers).not.toHaveProperty('x-evil')
      }
    },
  )
})

describe('methods', () => {
  test.each([
    ['PATCH', `${API}/contacts`, 'GET, HEAD, POST'], ['DELETE', `${API}/contacts`, 'GET, HEAD, POST'], ['PUT', `${API}/invoices`, 'GET, HEAD, POST'],
    ['GET', `${API}/echo`, 'POST'], ['POST', `${API}/activity`, 'GET, HEAD'], ['DELETE', `${API}/ping`, 'GET, HEAD'], ['TRACE', `${API}/ping`, 'GET, HEAD'],
    ['POST', `${API}/taxes`, 'GET, HEAD'], ['PUT', `${API}/partner/organizations`, 'GET, HEAD, POST'], ['OPTIONS', `${API}/contacts`, 'GET, HEAD, POST'], ['POST', '/health/live', 'GET, HEAD'],
  ])('405 for %s %s, with Allow', async (method, path, allowed) => {
    const { status, body, headers } = await send(method, path, 'Content-Length: 0')
    expect([status, body?.code]).toEqual([405, 'request.method_not_allowed'])
    expect(headers.allow!.split(/, */).sort()).toEqual(allowed.split(', '))
  })

  test('HEAD of anything is answered, without a body and without a 5xx', async () => {
    for (const path of [`${API}/ping`, `${API}/contacts`, `${API}/no_such`, '/health/live']) {
      const response = await fetch(service.origin + path, { method: 'HEAD', headers: { authorization: `Bearer ${org.client.token}` } })
      const [status, text] = [response.status, await response.text()]
      expect([path, status < 500, text]).toEqual([path, true, ''])
    }
  })
})

describe('queries', () => {
  const HOSTILE = [
    "'", "''", '"', "' OR '1'='1", "'; DROP TABLE contacts; --", '\\', '\\\\', '%', '_', '%_%', "\\'", '$1', '$$', '/*', '--', '\t', "E'\\x00'", '{{7*7}}', '<script>', '⁄', 'ﷺ', 'İ',
    '\u202e', 'Σ', 'ẞ', 'x'.repeat(180), '🙏'.repeat(90), '(', ')', '[a-z]', '.*', '~', ':name', '?', '??', '@>', 'null', 'true',
  ]
  test.each(HOSTILE)('a search for %j finds what holds it, and no more', async (text) => {
    const named = await org.client.post('/contacts', { contact_name: `before ${text} after`, company_name: 'plain' })
    expect([named.status, named.body.contact?.contact_name]).toEqual([201, `before ${text} after`])
    const { status, body } = await org.client.get(`/contacts?per_page=200&search=${encodeURIComponent(text)}`)
    expect(status).toBe(200)
    const found = (body.contacts as Json[]).map(({ contact_name }) => contact_name as string)
    expect(found).toContain(`before ${text} after`)
    // Nothing but what was named in this test file is in the organisation, and few of the names hold another.
    expect(found.length).toBeLessThan(HOSTILE.length / 2)
  })

  test.each(['%', '%zz', '%E0%A4%A', '%ff%fe', '&&&', '=', '==', '?', '&=', '%26', 'a=b=c', 'search', 'search=%', 'search[]=x', 'search[a]=x', '+', ';'])(
    'a query of %s', async (query) => expect((await send('GET', `${API}/contacts?${query}`)).status).toBe(200),
  )

  test('a thousand parameters, and a very long one', async () => {
    const many = Array.from({ length: 1000 }, (_, n) => `p${n}=1`).join('&')
    expect((await send('GET', `${API}/contacts?${many}`)).status).toBe(200)
    const long = await send('GET', `${API}/contacts?search=${'x'.repeat(9_000)}`)
    expect([long.status, long.body.code, long.body.field]).toEqual([400, 'validation.invalid_value', 'search'])
  })
})

describe('headers', () => {
  test.each([
    [`Idempotency-Key: ${'k'.repeat(201)}`], ['Idempotency-Key: '], ['Idempotency-Key: ä'], ['Idempotency-Key: a b'], ['Idempotency-Key: a.b'], ['Idempotency-Key: a', 'Idempotency-Key: b'],
  ])('a key that is none: %s', async (...keys) => {
    const { status, body } = await send('POST', `${API}/echo`, ...keys, 'Content-Length: 0')
    expect([status, body?.code, body?.field]).toEqual([400, 'validation.invalid_value', 'Idempotency-Key'])
  })

  test.each(['a', 'k'.repeat(200), 'a-b_c:D9', ':', '-'])('a key that is one: %s', async (key) => {
    expect((await send('POST', `${API}/echo`, `Idempotency-Key: ${key}`, 'Content-Length: 0')).status).toBe(200)
  })

  test('what is not HTTP is refused, and the next request is served', async () => {
    const nonsense = [
      'GET\r\n\r\n', 'NONSENSE / HTTP/1.1\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', '\0\0\0\0\r\n\r\n', `GET / HTTP/1.1\r\nHost: t\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`,
      'POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 'GET / HTTP/1.1\r\nHost: t\r\nContent-Length: -1\r\n\r\n', 'GET / HTTP/1.1\r\nBad Header: x\r\n\r\n',
    ]
    for (const bytes of nonsense) {
      const { status } = await sendBytes(service.port, bytes)
      expect([bytes.slice(0, 30), status]).toEqual([bytes.slice(0, 30), expect.any(Number)])
      expect([400, 404, 431]).toContain(status)
    }
    expect((await service.call('GET', '/ping')).status).toBe(200)
  })

  test('a user agent of any bytes is logged without harm', async () => {
    for (const agent of ['x'.repeat(5_000), '\u00ff\u00fe', "'; --"]) {
      const { status } = await sendBytes(service.port, Buffer.from(
        `POST ${API}/contacts HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer ${org.client.token}\r\nUser-Agent: ${agent}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 20\r\n\r\n{"contact_name":"A"}', 'latin1'))
      expect(status).toBe(201)
    }
  })
})
