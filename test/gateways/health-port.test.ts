// The health port of a process: what it answers, and that no caller can fill it for long.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { inJson, MAX_PROBES, openHealthPort, PROBE_SECONDS, type HealthPort } from '../../gateways/health-port.ts'

let health: HealthPort
let sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  await health.close()
})

const open = () => openHealthPort({
  port: 0, host: '127.0.0.1',
  answers: {
    '/health/live': () => inJson(200, { status: 'live' }),
    '/health/ready': async () => inJson(503, { status: 'not ready' }),
    '/metrics': () => Promise.reject(new Error('no metrics now')),
  },
})
const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${health.port}${path}`, { method })

describe('a path', () => {
  test.each([
    ['GET', '/health/live', 200, { status: 'live' }],
    ['GET', '/health/live?full=1', 200, { status: 'live' }],
    ['GET', '/health/ready', 503, { status: 'not ready' }],
    ['GET', '/metrics', 500, { code: 'internal.error', message: 'no metrics now' }],
    ['GET', '/', 404, { code: 'not_found.route', message: 'There is no such path on this port.' }],
    ['GET', '/constructor', 404, { code: 'not_found.route', message: 'There is no such path on this port.' }],
    ['POST', '/health/live', 405, { code: 'request.method_not_allowed', message: 'Only GET and HEAD are allowed here.' }],
  ])('%s %s is answered with %i', async (method, path, status, body) => {
    health = await open()
    const answer = await ask(path, method)
    expect([answer.status, await answer.json(), answer.headers.get('connection')]).toEqual([status, body, 'close'])
  })

  test('HEAD is answered without a body', async () => {
    health = await open()
    const answer = await ask('/health/live', 'HEAD')
    expect([answer.status, await answer.text(), answer.headers.get('content-length')]).toEqual([200, '', '17'])
  })
})

test('a port that is taken is named', async () => {
  health = await open()
  await expect(openHealthPort({ port: health.port, host: '127.0.0.1', answers: {} })).rejects.toThrow(`HEALTH_PORT ${health.port} of 127.0.0.1 cannot be listened on`)
})

test('silent connections hold it for some seconds at the most', async () => {
  health = await open()
  sockets = Array.from({ length: MAX_PROBES + 10 }, () => connect(health.port, '127.0.0.1').on('error', () => undefined))
  await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')))
  expect((await ask('/health/live')).status).toBe(200)
})

test('a close does not wait for those who are connected', async () => {
  health = await open()
  sockets = [connect(health.port, '127.0.0.1').on('error', () => undefined)]
  await once(sockets[0]!, 'connect')
  const begun = performance.now()
  await health.close()
  expect(performance.now() - begun).toBeLessThan(PROBE_SECONDS * 1_000)
})
