// Callers who are too slow, or say nothing: each is answered or let go in the end, and keeps nothing.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { UNREAD_BYTES } from '../../api/http/body.ts'
import { KEEP_ALIVE_SECONDS } from '../../api/http/bounds.ts'
import { startApiProcess, type ApiProcess } from '../fixtures/api-process.ts'

let api: ApiProcess
beforeAll(async () => {
  api = await startApiProcess()
})
afterAll(() => api.discard())

/** Sends the bytes and answers what came back by the time that the API has closed the connection. */
async function untilClosed(bytes: string): Promise<string> {
  const socket = connect(api.port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => { text += chunk }).on('error', () => undefined)
  socket.write(bytes)
  await once(socket, 'close')
  return text
}

async function expectTimeout(bytes: string): Promise<void> {
  const [head = '', body = ''] = (await untilClosed(bytes)).split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 408 /)
  const requestId = /X-Request-Id: ([0-9a-f-]{36})/.exec(head)?.[1]
  expect(JSON.parse(body)).toMatchObject({ code: 'request.timeout', request_id: requestId })
}

async function answersNothing(socket: Socket): Promise<void> {
  socket.on('error', () => undefined)
  // Answers of more bytes than the system keeps for a reader who takes none.
  socket.write('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20))
  socket.pause()
}

async function openConnections(): Promise<number> {
  const text = await (await fetch(`${api.origin}/metrics`)).text()
  return Number(/^bahi_connections (\d+)$/m.exec(text)?.[1])
}

// Side by side, since each takes its time.
test('a silent connection, a head without end, a second one behind an answer: 408; an answer that nobody reads: broken off', async () => {
  const unread = connect(api.port, '127.0.0.1')
  await answersNothing(unread)
  const ping = 'GET /api/public/v1/ping HTTP/1.1\r\nHost: a\r\n\r\n'
  const behind = untilClosed(`${ping}GET /api/public/v1/ping HTTP/1.1\r\nHost:`)
  await Promise.all([expectTimeout(''), expectTimeout('GET /api/public/v1/ping HTTP/1.1\r\nHost: a\r\nX-A:')])
  expect((await behind).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 408'])
  // What is left is the connection of this query.
  while ((await openConnections()) > 1) await delay(200)
  unread.destroy()
}, 120_000)

test('a connection is kept longer than a proxy keeps its own', async () => {
  expect(KEEP_ALIVE_SECONDS).toBeGreaterThan(60)
  expect((await fetch(`${api.origin}/health/live`)).headers.get('keep-alive')).toBe(`timeout=${KEEP_ALIVE_SECONDS}`)
})

test('the rest of a refused body is thrown away up to a bound, and the connection is closed', async () => {
  const socket = connect(api.port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => { text += chunk }).on('error', () => undefined)
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  const announced = 100 * UNREAD_BYTES
  socket.write(`POST /api/public/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${announced}\r\n\r\n`)
  const portion = Buffer.alloc(1024 * 1024, ' ')
  for (let sent = 0; sent < announced && !socket.destroyed; sent += portion.length) {
    if (!socket.write(portion)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
  }
  await closed
  expect(text).toMatch(/^HTTP\/1\.1 401 /)
  expect(socket.bytesWritten).toBeGreaterThan(UNREAD_BYTES)
  // The systems on both sides hold a few megabytes more.
  expect(socket.bytesWritten - socket.writableLength).toBeLessThan(4 * UNREAD_BYTES)
})
