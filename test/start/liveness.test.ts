// What counts as a sign of life of the API: anything but silence.
import http from 'node:http'
import net, { type AddressInfo, type Server } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { isLive } from '../../bin/services/bahi.ts'

let server: Server | undefined
const sockets = new Set<net.Socket>()

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise((done) => (server ? server.close(done) : done(null)))
  server = undefined
})

async function originOf(listener: Server): Promise<string> {
  server = listener
  listener.on('connection', (socket: net.Socket) => sockets.add(socket))
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
}

test.each([200, 429, 503])('an answer of status %i', async (status) => {
  const answering = http.createServer((_request, response) => {
    response.statusCode = status
    response.end()
  })
  expect(await isLive(await originOf(answering))).toBe(true)
})

test('a connection that is closed without an answer', async () => {
  expect(await isLive(await originOf(net.createServer((socket) => void socket.destroy())))).toBe(true)
})

test('a connection that is reset', async () => {
  expect(await isLive(await originOf(net.createServer((socket) => void socket.resetAndDestroy())))).toBe(true)
})

test('not a connection without an answer, nor a port that nobody listens on', async () => {
  const origin = await originOf(net.createServer(() => undefined))
  expect(await isLive(origin)).toBe(false)
  for (const socket of sockets) socket.destroy()
  await new Promise((done) => server!.close(done))
  server = undefined
  expect(await isLive(origin)).toBe(false)
})
