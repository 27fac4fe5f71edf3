// The codec server speaks Temporal's remote codec protocol, to its own UI's pages and to programs, and to no other page.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { defaultPayloadConverter } from '@temporalio/common'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { CODEC_BODY_BYTES, openCodecServer, type CodecServer } from '../../gateways/temporal/codec-server.ts'
import { createPayloadCodec, keyIdsOf } from '../../gateways/temporal/payload-codec.ts'

const KEY = randomBytes(32).toString('base64')
const OTHER_KEY = randomBytes(32).toString('base64')
const UI = 'http://127.0.0.1:8233'
const value = { metadata: { encoding: base64('json/plain') }, data: base64('{"a":"₹"}') }

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

let server: CodecServer
let url: string
beforeAll(async () => {
  server = await openCodecServer({ host: '127.0.0.1', port: 0, codec: createPayloadCodec(KEY), origins: [UI] })
  url = `http://127.0.0.1:${server.port}`
})
afterAll(() => server.close())

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(url + path, { method: 'POST', body: text, headers: { 'content-type': 'application/json', ...headers } })
  return { status: response.status, headers: response.headers, body: (await response.json()) as { message: string; payloads: { metadata: Record<string, string> }[] } }
}

test('encodes and decodes', async () => {
  const encoded = await post('/encode', { payloads: [value] })
  expect([encoded.status, encoded.body.payloads[0]?.metadata.encoding]).toEqual([200, base64('binary/encrypted')])
  expect((await post('/decode', encoded.body)).body).toEqual({ payloads: [value] })
  // An endpoint may have a path, and Temporal's UI adds the namespace as a header.
  expect((await post('/default/decode', encoded.body, { 'x-namespace': 'default' })).body).toEqual({ payloads: [value] })
  expect(encoded.headers.get('cache-control')).toBe('no-store')
})

test('decodes what a worker has stored, and leaves what it has not encrypted', async () => {
  const [stored] = await createPayloadCodec(KEY).encode([defaultPayloadConverter.toPayload({ a: '₹' })!])
  const metadata = Object.fromEntries(Object.entries(stored!.metadata!).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]))
  const { body } = await post('/decode', { payloads: [{ metadata, data: Buffer.from(stored!.data!).toString('base64') }, value] })
  expect(body.payloads).toEqual([value, value])
})

test('another key is a clear error', async () => {
  const other = await openCodecServer({ host: '127.0.0.1', port: 0, codec: createPayloadCodec(OTHER_KEY), origins: [] })
  const encoded = await fetch(`http://127.0.0.1:${other.port}/encode`, { method: 'POST', body: JSON.stringify({ payloads: [value] }) })
  const { status, body } = await post('/decode', await encoded.text())
  expect([status, body.message]).toEqual([400, `A payload cannot be read: encrypted with the key ${keyIdsOf(OTHER_KEY)[0]}, and ENCRYPTION_KEY has only ${keyIdsOf(KEY)[0]}.`])
  await other.close()
})

test('outlives clients that are gone before their request has arrived', async () => {
  const socket = connect(server.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('POST /decode HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"pay')
  // The answer to a later request shows that the server has read the part.
  await post('/encode', { payloads: [value] })
  socket.destroy()
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect((await post('/encode', { payloads: [value] })).status).toBe(200)
})

describe('pages', () => {
  test('of the UI may ask, with the sign-in of a proxy in front', async () => {
    const asked = await fetch(`${url}/decode`, { method: 'OPTIONS', headers: { origin: UI, 'access-control-request-headers': 'x-namespace,content-type' } })
    expect([asked.status, asked.headers.get('access-control-allow-origin'), asked.headers.get('access-control-allow-credentials')]).toEqual([204, UI, 'true'])
    expect(asked.headers.get('access-control-allow-headers')).toMatch(/Authorization.*Content-Type.*X-Namespace/)
    const answered = await post('/decode', { payloads: [value] }, { origin: UI })
    expect([answered.status, answered.headers.get('access-control-allow-origin'), answered.headers.get('vary')]).toEqual([200, UI, 'Origin'])
  })

  test.each(['https://evil.example', 'http://127.0.0.1:9999', 'null', `${UI}.evil.example`])('of %s may not', async (origin) => {
    for (const method of ['POST', 'OPTIONS']) {
      const response = await fetch(`${url}/decode`, { method, headers: { origin }, ...(method === 'POST' && { body: JSON.stringify({ payloads: [value] }) }) })
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null])
    }
  })
})

test.each([
  ['{', 400], ['null', 400], ['{"payloads": 1}', 400], ['{"payloads": [1, null]}', 400], ['{"payloads": [{"metadata": {"encoding": 7}}]}', 400], ['{"payloads": []}', 200], ['{}', 200],
])('the body %s: %i', async (body, status) => {
  expect((await post('/decode', body)).status).toBe(status)
})

test('other paths, methods and large bodies', async () => {
  expect((await post('/', {})).status).toBe(404)
  expect((await post('/decoder', {})).status).toBe(404)
  expect((await fetch(`${url}/decode`)).status).toBe(405)
  expect((await post('/decode', ' '.repeat(CODEC_BODY_BYTES + 1))).status).toBe(413)
})
