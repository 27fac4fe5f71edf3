// Which URLs may be called: at registration, and again when a webhook is sent, by the addresses that are connected to.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Fault } from '../../domain/faults.ts'
import { createWebhookSender, type WebhookSender } from '../../gateways/webhook/sender.ts'

const BODY = Buffer.from('{}')
const LOOPBACK = ['127.0.0.0/8', '::1/128']

let inside: http.Server
let port: number
let calls = 0
beforeAll(async () => {
  inside = http.createServer((_request, response) => {
    calls += 1
    response.end()
  })
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve))
  port = (inside.address() as AddressInfo).port
})
afterAll(() => void inside.close())

const production = createWebhookSender({ timeoutSeconds: 1, allowCidrs: [], allowHttp: false })
const httpAnywhere = createWebhookSender({ timeoutSeconds: 1, allowCidrs: [], allowHttp: true })
const httpInside = createWebhookSender({ timeoutSeconds: 1, allowCidrs: LOOPBACK, allowHttp: true })

async function refusal(receiver: WebhookSender, url: string): Promise<Pick<Fault, 'code' | 'status' | 'field'> | null> {
  try {
    await receiver.check(url, 'org')
    return null
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { code: error.code, status: error.status, field: error.field }
  }
}
const REFUSED = { code: 'validation.invalid_value', status: 400, field: 'url' }

test.each([
  '127.0.0.1', '127.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '0', '0.0.0.0', '127.0.0.1.',
  '10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.100.100.200', '168.63.129.16', '198.18.0.1',
  '192.0.2.1', '198.51.100.1', '203.0.113.1', '192.0.0.192', '224.0.0.1', '255.255.255.255', '[::1]', '[::]',
  '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[2001::1]',
  '[2001:db8::1]', '[fe80::1]', '[fd00:ec2::254]', '[ff02::1]', '①②⑦.⓪.⓪.①', 'localhost',
])('%s is refused at registration and called by nobody', async (host) => {
  for (const receiver of [production, httpAnywhere]) {
    expect(await refusal(receiver, `https://${host}:${port}/`)).toEqual(REFUSED)
  }
  const before = calls
  const outcome = await httpAnywhere.post({ orgId: 'org', url: `http://${host}:${port}/`, body: BODY, headers: {} })
  expect(outcome).toMatchObject({ kind: 'blocked', statusCode: null })
  expect(calls).toBe(before)
})

test.each([
  'http://example.com/', 'ftp://example.com/', 'file:///etc/passwd', 'javascript:1', 'data:,x', '', 'example.com',
  'https://', 'https://user@example.com/', 'https://user:password@example.com/', 'https://:password@example.com/',
  'https://1.1.1.1/\r\nX: y',
  ' https://1.1.1.1/', 'https://1.1.1.1/a b', 'https://1.1.1.1/\t', 'https:1.1.1.1', 'https:/1.1.1.1/', 'https://1.1.1.1/\u0000',
])('%p is not a URL to post to', async (url) => {
  expect(await refusal(production, url)).toEqual(REFUSED)
})

const LONG = 'x'.repeat(64)
const NAME_OF_254 = `${'abcdefghi.'.repeat(25)}abcd`
test.each([
  ['a..b', 'The name a..b has an empty label: two dots side by side, or one at its start; use a valid DNS name.'],
  ['.example.com', 'The name .example.com has an empty label: two dots side by side, or one at its start; use a valid DNS name.'],
  ['example.com..', 'The name example.com.. has an empty label: two dots side by side, or one at its start; use a valid DNS name.'],
  ['-.com', 'The name -.com has a label that begins or ends with a hyphen; use a valid DNS name.'],
  ['hooks-.example.com', 'The name hooks-.example.com has a label that begins or ends with a hyphen; use a valid DNS name.'],
  [`${LONG}.com`, `The name ${LONG}.com has a label longer than 63 characters; use a valid DNS name.`],
  [NAME_OF_254, `The name ${NAME_OF_254.slice(0, 100)}... is longer than 253 characters; use a valid DNS name.`],
  ['a*b.example.com', 'The name a*b.example.com has a character other than letters, digits and hyphens; use a valid DNS name.'],
  ['example.com:0', 'The port must be from 1 to 65535.'],
  ['1.1.1.1:0', 'The port must be from 1 to 65535.'],
])('%s can be no receiver: refused without a look-up, wherever ranges are opened, and called by nobody', async (host, message) => {
  let lookups = 0
  const addressesOf = async () => {
    lookups += 1
    return ['93.184.216.34']
  }
  const resolver = { addressesOf }
  for (const allowCidrs of [[], ['0.0.0.0/0']]) {
    const receiver = createWebhookSender({ timeoutSeconds: 1, allowCidrs, allowHttp: true, resolver })
    await expect(receiver.check(`https://${host}/hook`, 'org')).rejects.toMatchObject({ ...REFUSED, message })
    expect(await receiver.post({ orgId: 'org', url: `https://${host}/hook`, body: BODY, headers: {} })).toMatchObject({ kind: 'blocked', error: message })
  }
  expect(lookups).toBe(0)
})

test.each([
  'xn--4ca.example.com', '\u00e4.example.com', 'my_host.example.com', 'a-b.example.com', '1.example.com', 'EXAMPLE.com.', `${'x'.repeat(63)}.com`,
  `${NAME_OF_254.slice(0, -1)}`, 'example.com:1', 'example.com:65535',
])('%s can be one', async (host) => {
  const receiver = createWebhookSender({ timeoutSeconds: 1, allowCidrs: [], allowHttp: false, resolver: { addressesOf: async () => ['93.184.216.34'] } })
  expect(await refusal(receiver, `https://${host}/hook`)).toBeNull()
})

test('a public address and a name that does not resolve yet are let through', async () => {
  expect(await refusal(production, 'https://1.1.1.1/hook')).toBeNull()
  expect(await refusal(production, 'https://soon.invalid/hook')).toBeNull()
})

test.each(['intranet', 'intranet.', 'a.localhost.', 'printer.local', 'db.internal', 'nas.home.arpa'])(
  '%s cannot be public: refused without a look-up, and called by nobody', async (host) => {
    let lookups = 0
    const addressesOf = async () => {
      lookups += 1
      return ['93.184.216.34']
    }
    const resolver = { addressesOf }
    const closed = createWebhookSender({ timeoutSeconds: 1, allowCidrs: [], allowHttp: false, resolver })
    expect(await refusal(closed, `https://${host}:${port}/`)).toEqual(REFUSED)
    expect(await closed.post({ orgId: 'org', url: `https://${host}:${port}/`, body: BODY, headers: {} })).toMatchObject({ kind: 'blocked' })
    expect(lookups).toBe(0)
  })

test('where a range is opened, such a name is let through when all its addresses are there', async () => {
  const addresses: Record<string, string[]> = { hooks: ['10.0.0.5'], mixed: ['10.0.0.5', '192.168.0.1'] }
  const resolver = { addressesOf: async (name: string) => addresses[name] ?? Promise.reject(new Error('no such name')) }
  const inside = createWebhookSender({ timeoutSeconds: 1, allowCidrs: ['10.0.0.0/8'], allowHttp: true, resolver })
  expect(await refusal(inside, 'http://hooks/')).toBeNull()
  for (const host of ['mixed', 'nobody', 'localhost']) expect(await refusal(inside, `http://${host}/`)).toEqual(REFUSED)
})

test('the private address of a name is revealed neither at registration nor in the log', async () => {
  const resolver = { addressesOf: async () => ['10.20.30.40'] }
  const receiver = createWebhookSender({ timeoutSeconds: 1, allowCidrs: [], allowHttp: false, resolver })
  const refused = await receiver.check('https://hooks.example.com/', 'org').catch((error: Fault) => error)
  const { error } = await receiver.post({ orgId: 'org', url: 'https://hooks.example.com/', body: BODY, headers: {} })
  for (const text of [(refused as Fault).message, error]) expect(text).toBe('hooks.example.com resolves to an address that is not allowed.')
})

test('an address that was connected to is not revealed either', async () => {
  const resolver = { addressesOf: async () => ['127.0.0.1'] }
  const receiver = createWebhookSender({ timeoutSeconds: 1, allowCidrs: LOOPBACK, allowHttp: true, resolver })
  const { error } = await receiver.post({ orgId: 'org', url: 'http://hooks.example.com:1/', body: BODY, headers: {} })
  expect(error).toBe('No connection: it was refused (ECONNREFUSED).')
})

test('http is opened for the opened ranges only', async () => {
  expect(await refusal(httpInside, `http://127.0.0.1:${port}/`)).toBeNull()
  expect(await refusal(httpInside, `http://localhost:${port}/`)).toBeNull()
  expect(await refusal(httpInside, 'http://1.1.1.1/')).toEqual(REFUSED)
  expect(await refusal(httpInside, 'https://1.1.1.1/')).toBeNull()
  expect(await refusal(httpInside, 'http://10.0.0.1/')).toEqual(REFUSED)
  expect(await refusal(httpAnywhere, 'http://1.1.1.1/')).toBeNull()
})

test.each([
  ['http://1.1.1.1/', 'The URL must begin with https://.'],
  ['http://10.0.0.1/', 'The address 10.0.0.1 is not public; webhooks are sent to public addresses only.'],
  ['https://10.0.0.1/', 'The address 10.0.0.1 is not public; webhooks are sent to public addresses only.'],
])('a refusal says what is wrong with %s', async (url, message) => {
  await expect(httpInside.check(url, 'org')).rejects.toMatchObject({ message })
})

test('a name is judged again when it is called, by the addresses that are then connected to', async () => {
  const before = calls
  const outcome = await httpAnywhere.post({ orgId: 'org', url: `http://localhost:${port}/`, body: BODY, headers: {} })
  expect(outcome.kind).toBe('blocked')
  expect(outcome.error).not.toMatch(/127\.0\.0\.1|::1/)
  expect(calls).toBe(before)
  expect(await httpInside.post({ orgId: 'org', url: `http://localhost:${port}/`, body: BODY, headers: {} })).toMatchObject({ kind: 'delivered' })
  expect(calls).toBe(before + 1)
})
