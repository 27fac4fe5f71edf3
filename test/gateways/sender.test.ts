// Posting to a receiver: what its answers come to.
import { randomBytes } from 'node:crypto'
import net, { type AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { createWebhookSender, type WebhookSender } from '../../gateways/webhook/sender.ts'
import { deliveryHeaders, signature } from '../../gateways/webhook/signature.ts'
import { openWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts'

const SECRET = 'svc_whsec_for_this_test'
const BODY = Buffer.from('{"delivery_id":"d","data":{"number":"INV-1 ₹","note":"ünï"}}')
const LOOPBACK = ['127.0.0.0/8', '::1/128']

const headers = (secrets = [SECRET]) =>
  deliveryHeaders({ deliveryId: 'd-1', eventType: 'INVOICE_CREATED', body: BODY, secrets, standardWebhooks: false }, new Date())

describe('at a customer', () => {
  let customer: WebhookServer
  let receiver: WebhookSender
  const post = (path = '/hook') => receiver.post({ orgId: 'org', url: `http://127.0.0.1:${customer.port}${path}`, body: BODY, headers: headers() })

  beforeEach(async () => {
    customer = await openWebhookServer(SECRET)
    receiver = createWebhookSender({ timeoutSeconds: 1, allowCidrs: LOOPBACK, allowHttp: true })
  })
  afterEach(async () => {
    receiver.close()
    await customer.close()
  })

  test('the signature holds over the raw bytes, and the headers say what it is', async () => {
    expect(await post()).toMatchObject({ kind: 'delivered', statusCode: 200, error: null })
    const [arrival] = customer.arrivals
    expect(arrival).toMatchObject({ genuine: true, deliveryId: 'd-1', eventType: 'INVOICE_CREATED' })
    expect(arrival!.body.equals(BODY)).toBe(true)
  })

  test('a secret of somebody else does not verify; one of two does', async () => {
    const url = customer.url
    await receiver.post({ orgId: 'org', url, body: BODY, headers: headers(['another']) })
    await receiver.post({ orgId: 'org', url, body: BODY, headers: headers(['another', SECRET]) })
    expect(customer.arrivals.map(({ genuine }) => genuine)).toEqual([false, true])
  })

  test.each([
    [200, 'delivered'], [201, 'delivered'], [204, 'delivered'], [299, 'delivered'],
    [301, 'redirect'], [302, 'redirect'], [307, 'redirect'], [304, 'redirect'],
    [400, 'refused'], [404, 'refused'], [410, 'refused'], [429, 'refused'], [500, 'refused'], [503, 'refused'],
  ] as const)('status %i is %s', async (status, kind) => {
    customer.answer = () => ({ status, headers: { Location: '/elsewhere' } })
    const outcome = await post()
    expect(outcome).toMatchObject({ kind, statusCode: status })
    expect(outcome.error === null).toBe(kind === 'delivered')
    expect(customer.arrivals.map(({ path }) => path)).toEqual(['/hook'])
  })

  test('an answer that never comes is a timeout, once the time allowed has passed', async () => {
    customer.answer = () => 'silence'
    const outcome = await post()
    expect(outcome).toMatchObject({ kind: 'timeout', statusCode: null })
    expect(outcome.durationMs).toBeGreaterThanOrEqual(990)
  })

  test('the first 4 KB of the answer are kept, whole characters only, without NUL', async () => {
    customer.answer = () => ({ status: 500, body: 'a\0' + '₹'.repeat(100_000) })
    const { responseBody } = await post()
    expect(Buffer.byteLength(responseBody!)).toBeLessThanOrEqual(4_096 + 2)
    expect(responseBody).toBe('a\uFFFD' + '₹'.repeat(1_364))
  })

  test('a short answer is kept as it is', async () => {
    customer.answer = () => ({ status: 202, body: 'thank you' })
    expect(await post()).toMatchObject({ kind: 'delivered', responseBody: 'thank you' })
  })

  test('a refused connection is unreachable', async () => {
    await customer.close()
    const outcome = await post()
    expect(outcome).toMatchObject({ kind: 'unreachable', statusCode: null })
    expect(outcome.error).toBe('No connection: it was refused (ECONNREFUSED).')
  })

  test('a name that does not exist is unreachable', async () => {
    const outcome = await receiver.post({ orgId: 'org', url: 'http://nobody.invalid/', body: BODY, headers: headers() })
    expect(outcome.kind).toBe('unreachable')
  })
})

describe('at rough servers', () => {
  let receiver: WebhookSender
  let server: net.Server
  let sockets: net.Socket[] = []
  const serve = async (each: (socket: net.Socket, connection: number) => void) => {
    let connections = 0
    server = net.createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => undefined)
      each(socket, (connections += 1))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }
  const post = (url: string) => receiver.post({ orgId: 'org', url, body: BODY, headers: headers() })

  beforeEach(() => {
    receiver = createWebhookSender({ timeoutSeconds: 1, allowCidrs: LOOPBACK, allowHttp: true })
  })
  afterEach(async () => {
    receiver.close()
    for (const socket of sockets) socket.destroy()
    sockets = []
    await new Promise((resolve) => server.close(resolve))
  })

  test('a kept connection that the receiver has closed does not fail the attempt', async () => {
    // Each connection serves one request, and is cut when a second one comes over it.
    const url = await serve((socket) => {
      let served = 0
      socket.on('data', () => {
        served += 1
        if (served > 1) socket.destroy()
        else socket.write('HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n')
      })
    })
    expect(await post(url)).toMatchObject({ kind: 'delivered' })
    expect(await post(url)).toMatchObject({ kind: 'delivered' })
  })

  test('a fresh connection that is cut is unreachable', async () => {
    const url = await serve((socket) => socket.on('data', () => socket.destroy()))
    expect(await post(url)).toMatchObject({ kind: 'unreachable' })
  })

  test('what speaks no HTTP is unreachable', async () => {
    const url = await serve((socket) => socket.end('220 mail ready\r\n'))
    expect(await post(url)).toMatchObject({ kind: 'unreachable' })
  })

  test('a status counts although its body trails off', async () => {
    const url = await serve((socket) => socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf')))
    expect(await post(url)).toMatchObject({ kind: 'delivered', statusCode: 200, responseBody: 'half' })
  })

  test('an upgrade is no acknowledgement', async () => {
    const url = await serve((socket) => socket.on('data', () => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
    }))
    expect(await post(url)).toMatchObject({ kind: 'refused', statusCode: 101 })
  })
})

test('the signature is HMAC-SHA256 over the timestamp, a dot and the body', () => {
  // Computed by: printf '1700000000.{}' | openssl dgst -sha256 -hmac key
  const hex = '9d713ed406bb7076d4123f0dc2c39d2df5c654ed4b0cd56b52c8b4c940bd63ae'
  expect(signature(['key'], 1_700_000_000, Buffer.from('{}'))).toBe(`t=1700000000,v1=${hex}`)
  const bytes = randomBytes(64)
  expect(signature(['key'], 1, bytes)).not.toBe(signature(['key'], 2, bytes))
})
