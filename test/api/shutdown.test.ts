// SIGTERM at an API process: what is under way is answered, and nothing that callers do keeps the process.
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { startApiProcess, type ApiProcess } from '../fixtures/api-process.ts'

const PING = 'GET /api/public/v1/ping HTTP/1.1\r\nHost: a\r\n\r\n'

let api: ApiProcess
afterEach(() => api.discard())

function open(bytes = ''): Socket {
  const socket = connect(api.port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(bytes)
  return socket
}

test('idle, silent and half-sent connections are closed at once, although the deadline is far', async () => {
  api = await startApiProcess({ SHUTDOWN_SECONDS: '600' })
  const idle = open(PING)
  const sockets = [idle, open(), open('GET /api/public/v1/ping HTTP/1.1\r\nHost:')]
  for (const socket of sockets) socket.on('data', () => undefined)
  await once(idle, 'data')
  await delay(100)
  expect(await api.stop()).toBe(0)
})

test('callers who go on sending on their connections are answered with Connection: close', async () => {
  api = await startApiProcess({ SHUTDOWN_SECONDS: '600' })
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  const answers: { after: boolean; status: number; connection: string | undefined }[] = []
  let stopping = false
  let over = false
  const calling = Array.from({ length: 20 }, async () => {
    while (!over) {
      await new Promise<void>((resolve) => {
        const sent = request({ agent, port: api.port, path: '/api/public/v1/errors' }, (response) => {
          answers.push({ after: stopping, status: response.statusCode!, connection: response.headers.connection })
          response.resume().on('close', resolve)
        })
        sent.on('error', () => resolve()).end()
      })
    }
  })
  while (answers.length < 200) await delay(10)
  stopping = true
  expect(await api.stop()).toBe(0)
  over = true
  await Promise.all(calling)
  agent.destroy()
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  // Each of the twenty connections has at most one answer that was begun before the signal came, and one after it.
  expect(answers.filter(({ after }) => after).length).toBeLessThanOrEqual(60)
})

test('all that was sent ahead on a connection is answered, and the last answer alone says that it closes', async () => {
  api = await startApiProcess()
  const sockets = Array.from({ length: 8 }, () => open(PING.repeat(100)))
  const texts = sockets.map(() => '')
  sockets.forEach((socket, n) => socket.on('data', (chunk) => { texts[n] = `${texts[n]}${chunk}` }))
  const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
  // A connection that has an answer was accepted, with all that was sent ahead on it.
  await Promise.all(sockets.map((socket, n) => texts[n] !== '' || once(socket, 'data')))
  // Most of them are answered at a pace, while it stops.
  expect(texts.join('').split('HTTP/1.1').length).toBeLessThan(780)
  expect(await api.stop()).toBe(0)
  await Promise.all(closed)
  for (const text of texts) {
    const answers = text.split(/(?=HTTP\/1\.1 )/)
    expect(answers.map((answer) => answer.slice(9, 12))).toEqual(Array(100).fill('200'))
    expect(answers.slice(0, -1).filter((answer) => /^Connection: close\r$/m.test(answer))).toEqual([])
  }
})

test('what never ends is broken off at the deadline: a body, an answer that nobody reads', async () => {
  api = await startApiProcess({ SHUTDOWN_SECONDS: '2' })
  const client = await api.organization()
  const body = open(`POST /api/public/v1/echo HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${client.token}\r\nContent-Type: application/json\r\nIdempotency-Key: a\r\nContent-Length: 1000\r\n\r\n{`)
  // Many answers to a caller that takes none of them.
  const unread = open(PING.replace('/api/public/v1/ping', '/docs/swagger-ui-bundle.js').repeat(8))
  unread.pause()
  await delay(500)
  expect(await api.stop()).toBe(0)
  for (const socket of [body, unread]) if (!socket.closed) await once(socket.resume(), 'close')
})

test('the process ends although its database has gone in the middle of a call', async () => {
  api = await startApiProcess({ SHUTDOWN_SECONDS: '1', DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none', REDIS_URL: 'redis://127.0.0.1:9' })
  const calls = Array.from({ length: 10 }, () => api.call('GET', '/whoami', { token: 'svc_pat_x' }).catch(() => null))
  await delay(100)
  expect(await api.stop()).toBe(0)
  await Promise.all(calls)
})
