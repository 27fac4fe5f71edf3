// How many connections there may be, and how those beyond are answered.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createConnections } from '../../api/http/connections.ts'
import { MAX_UNANSWERED } from '../../api/http/bounds.ts'
import { freePort } from '../../bin/services/port.ts'
import { startApiProcess, type ApiProcess } from '../fixtures/api-process.ts'

let api: ApiProcess | undefined
let sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  await api?.discard()
  api = undefined
})

/** A connection from one of this machine's own addresses; `text` is all that came back. */
function open(from: string): { socket: Socket; text(): string } {
  const socket = connect({ port: api!.port, host: '127.0.0.1', localAddress: from })
  let text = ''
  socket.on('data', (chunk) => { text += chunk }).on('error', () => undefined)
  sockets.push(socket)
  return { socket, text: () => text }
}

async function ping(from: string): Promise<string> {
  const { socket, text } = open(from)
  socket.write('GET /api/public/v1/ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await once(socket, 'close')
  return text()
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${api!.origin}/metrics`)).text()
  return Number(text.split('\n').find((line) => line.startsWith(`${name} `))?.split(' ')[1])
}

test('one address may have so many, others beside it as many; the one too many gets a 503', async () => {
  let log = ''
  api = await startApiProcess({ MAX_CONNECTIONS_PER_ADDRESS: '5', MAX_CONNECTIONS: '1000' }, ['ignore', 'pipe', 'inherit'])
  api.child.stdout!.on('data', (chunk) => { log += chunk })
  const idle = Array.from({ length: 5 }, () => open('127.0.0.2'))
  await Promise.all(idle.map(({ socket }) => once(socket, 'connect')))
  const refused = await ping('127.0.0.2')
  expect(refused).toMatch(/^HTTP\/1\.1 503 /)
  expect(refused).toMatch(/Retry-After: 1\r\n/)
  expect(refused).toMatch(/X-Request-Id: [0-9a-f-]{36}\r\n/)
  expect(refused).toContain('Connection: close')
  expect(JSON.parse(refused.split('\r\n\r\n')[1]!)).toMatchObject({ code: 'service.unavailable', message: expect.stringContaining('your address') })
  expect(await ping('127.0.0.3')).toMatch(/^HTTP\/1\.1 200 /)
  for (let index = 0; index < 20; index += 1) await ping('127.0.0.2')
  expect(await metric('bahi_connections_refused_total{reason="address"}')).toBe(21)
  expect(await metric('bahi_connections')).toBeGreaterThanOrEqual(6)
  while (!log.includes('"connections refused"')) await delay(20)
  expect(log.match(/"connections refused"/g)).toHaveLength(1)
  // A closed one makes room for another.
  idle[0]!.socket.destroy()
  for (let tries = 0; tries < 100 && !(await ping('127.0.0.2')).startsWith('HTTP/1.1 200 '); tries += 1) await delay(50)
  expect(await ping('127.0.0.2')).toMatch(/^HTTP\/1\.1 200 /)
})

test('there may be so many in all', async () => {
  api = await startApiProcess({ MAX_CONNECTIONS: '12', MAX_CONNECTIONS_PER_ADDRESS: '5' })
  const idle = [4, 5, 6].flatMap((last) => Array.from({ length: 4 }, () => open(`127.0.0.${last}`)))
  await Promise.all(idle.map(({ socket }) => once(socket, 'connect')))
  expect(await ping('127.0.0.9')).toMatch(/^HTTP\/1\.1 503 [\s\S]*too many connections;/)
})

test('probes have a port of their own, where all connections are taken', async () => {
  const healthPort = await freePort(undefined)
  api = await startApiProcess({ MAX_CONNECTIONS: '12', HEALTH_PORT: String(healthPort) })
  const idle = Array.from({ length: 12 }, (_, n) => open(`127.0.0.${n + 4}`))
  await Promise.all(idle.map(({ socket }) => once(socket, 'connect')))
  expect(await ping('127.0.0.2')).toMatch(/^HTTP\/1\.1 503 /)
  const probe = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${healthPort}${path}`)
    return [answer.status, await answer.text()]
  }
  expect(await probe('/health/live')).toEqual([200, '{"status":"live"}'])
  expect((await probe('/health/ready'))[1]).toContain('"database":"up"')
  expect((await probe('/metrics'))[1]).toMatch(/^bahi_connections 12$/m)
  expect((await probe('/api/public/v1/ping'))[0]).toBe(404)
  expect(await api.stop()).toBe(0)
})

test('a flood of connections leaves no descriptors behind', async () => {
  api = await startApiProcess({ MAX_CONNECTIONS_PER_ADDRESS: '10', MAX_CONNECTIONS: '50' })
  const before = api.descriptors()
  const flood = Array.from({ length: 600 }, () => open('127.0.0.2'))
  await Promise.all(flood.slice(20).map(({ socket }) => socket.closed || once(socket, 'close')))
  // The API hears of a close a moment later.
  for (let tries = 0; tries < 200 && api.descriptors() >= before + 60; tries += 1) await delay(50)
  expect(api.descriptors()).toBeLessThan(before + 60)
  expect(await ping('127.0.0.3')).toMatch(/^HTTP\/1\.1 200 /)
})

test('a proxy may have as many as there are in all', () => {
  const connections = createConnections({ maxConnections: 30, maxConnectionsPerAddress: 2, isTrusted: (address) => address === '10.0.0.1' })
  const from = (remoteAddress: string) => connections.admit({ remoteAddress, once: () => undefined } as never)
  expect(Array.from({ length: 10 }, () => from('::ffff:10.0.0.1'))).toEqual(Array(10).fill(null))
  expect(Array.from({ length: 3 }, () => from('10.0.0.2'))).toEqual([null, null, 'address'])
  // An IPv6 network of 64 bits is one client.
  expect(['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'].map(from)).toEqual([null, null, 'address', null])
})

describe('requests that are sent without reading the answers', () => {
  test('are answered in their order', async () => {
    api = await startApiProcess()
    const { socket, text } = open('127.0.0.1')
    socket.write('GET /api/public/v1/ping HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20))
    while ((text().match(/HTTP\/1\.1 200/g) ?? []).length < 20) await delay(20)
  })

  test('end their connection where they are too many, once all that were taken are answered in their order', async () => {
    api = await startApiProcess()
    const { token } = await api.organization()
    const sent = MAX_UNANSWERED * 10
    const { socket, text } = open('127.0.0.1')
    let broken: Error | null = null
    socket.on('error', (error) => { broken = error })
    for (let n = 0; n < sent; n += 1) {
      const body = JSON.stringify({ n })
      socket.write(`POST /api/public/v1/echo HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    }
    await once(socket, 'close')
    const answers = text().split(/(?=HTTP\/1\.1 )/)
    const numbers = answers.map((answer) => JSON.parse(answer.split('\r\n\r\n')[1]!).echo?.n)
    expect(answers.length).toBeGreaterThanOrEqual(MAX_UNANSWERED)
    expect(answers.length).toBeLessThan(sent)
    expect(numbers).toEqual(answers.map((_answer, n) => n))
    expect(answers.map((answer) => /^Connection: close\r$/m.test(answer))).toEqual(answers.map((_answer, n) => n === answers.length - 1))
    expect(broken).toBeNull()
    expect(await metric('bahi_connections_refused_total{reason="pipelining"}')).toBe(1)
    expect((await api.call('GET', '/ping')).status).toBe(200)
  })

  test.each([
    ['a target that is none', 'GET http://[/ HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an expectation that is not met', 'POST /api/public/v1/echo HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\nContent-Length: 0\r\n\r\n'],
    ['bytes that are not HTTP', 'nonsense\r\n\r\n'],
  ])('are answered up to %s, and nothing is done behind it', async (_what, bad) => {
    api = await startApiProcess()
    const client = await api.organization()
    const { socket, text } = open('127.0.0.1')
    const contact = JSON.stringify({ contact_name: 'Behind' })
    socket.write(['GET /api/public/v1/errors HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(5), bad,
      `POST /api/public/v1/contacts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${client.token}\r\nContent-Type: application/json\r\nContent-Length: ${contact.length}\r\n\r\n${contact}`,
    ].join(''))
    await once(socket, 'close')
    const statuses = [...text().matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)
    expect(statuses.slice(0, 5)).toEqual(Array(5).fill('200'))
    expect(statuses.length).toBeLessThanOrEqual(6)
    expect((await client.get('/contacts')).body.contacts).toEqual([])
  })
})
