// Looking up names: by the hosts file, by name servers that answer or do not, remembered, and so many at once.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { canBePublic, isLocalhost, readHosts } from '../../gateways/webhook/host-names.ts'
import { createResolver, LOOKUPS } from '../../gateways/webhook/resolver.ts'
import { openNameServer, type NameServer } from '../fixtures/name-server.ts'

let server: NameServer
beforeEach(async () => {
  server = await openNameServer({ 'hooks.example': ['93.184.216.34', '93.184.216.35'], 'silent.example': null })
})
afterEach(() => server.close())

const resolver = (options: Parameters<typeof createResolver>[0] = {}) => createResolver({ servers: [server.address], ...options })
const asksFor = (name: string) => server.questions.filter((question) => question.name === name && question.type === 1).length

test('a name is looked up once and remembered, with its dot and without, until its time is over', async () => {
  let now = 0
  const names = resolver({ clock: () => now })
  expect(await Promise.all([names.addressesOf('hooks.example', 'a'), names.addressesOf('HOOKS.example.', 'b')])).toEqual(
    Array(2).fill(['93.184.216.34', '93.184.216.35']))
  now = 59_000
  await names.addressesOf('hooks.example', 'a')
  expect(asksFor('hooks.example')).toBe(1)
  now = 61_000
  server.names['hooks.example'] = ['93.184.216.36']
  expect(await names.addressesOf('hooks.example', 'a')).toEqual(['93.184.216.36'])
})

test('a name that does not exist is an error that is remembered for a little', async () => {
  let now = 0
  const names = resolver({ clock: () => now })
  for (let time = 0; time < 3; time += 1) await expect(names.addressesOf('nobody.example', 'a')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  expect(asksFor('nobody.example')).toBe(1)
  now = LOOKUPS.failureSeconds * 1_000 + 1
  server.names['nobody.example'] = ['93.184.216.34']
  expect(await names.addressesOf('nobody.example', 'a')).toEqual(['93.184.216.34'])
})

test('a name server that says nothing is given up in time', async () => {
  await expect(resolver({ limitMs: 300 }).addressesOf('silent.example', 'a')).rejects.toMatchObject({ code: 'ETIMEOUT' })
})

test('one organisation\'s names that hang take its own places and nobody else\'s', async () => {
  const names = resolver({ limitMs: 3_000 })
  const hanging = Array.from({ length: 40 }, (_, place) => `h${place}.example`)
  for (const name of hanging) server.names[name] = null
  const ends = Promise.allSettled(hanging.map((name) => names.addressesOf(name, 'hostile')))
  await server.asked('h0.example')
  expect(await names.addressesOf('hooks.example', 'victim')).toEqual(['93.184.216.34', '93.184.216.35'])
  expect(new Set(server.questions.map(({ name }) => name)).size).toBeLessThanOrEqual(LOOKUPS.atOnceOfOne + 1)
  expect((await ends).every(({ status }) => status === 'rejected')).toBe(true)
})

test('nothing of it waits for the threads of the process', async () => {
  // Every thread is busy; whatever needs one waits behind them.
  const { pbkdf2 } = await import('node:crypto')
  let busy = 12
  for (let n = 0; n < 12; n += 1) pbkdf2('x', 'y', 400_000, 64, 'sha512', () => (busy -= 1))
  await resolver().addressesOf('hooks.example', 'a')
  expect(busy).toBeGreaterThan(0)
  while (busy > 0) await new Promise((resolve) => setTimeout(resolve, 50))
})

test('the hosts file comes first, and localhost is this machine without it', async () => {
  const hosts = new Map([['db.internal', ['10.1.2.3']], ['localhost', ['127.0.0.1']]])
  expect(await resolver({ hosts }).addressesOf('db.internal', 'a')).toEqual(['10.1.2.3'])
  expect(await resolver({ hosts }).addressesOf('localhost', 'a')).toEqual(['127.0.0.1'])
  expect(await resolver({ hosts: new Map() }).addressesOf('shop.localhost', 'a')).toEqual(['127.0.0.1', '::1'])
  expect(readHosts('/nowhere')).toEqual(new Map())
  expect(readHosts().get('localhost')).toContain('127.0.0.1')
  expect(server.questions).toEqual([])
})

describe('names that cannot be public', () => {
  test.each(['localhost', 'intranet', 'intranet.', 'a.localhost', 'a.localhost.', 'printer.local', 'db.internal', 'DB.Internal', 'nas.home.arpa', 'home.arpa', 'internal'])(
    '%s', (name) => expect(canBePublic(name)).toBe(false))
  test.each(['example.com', 'example.com.', 'local.example.com', 'mylocal.com', 'internal.co', 'notlocalhost.in'])(
    'but %s can', (name) => expect(canBePublic(name)).toBe(true))
  test('localhost and what is below it is this machine', () => {
    expect(['localhost', 'LOCALHOST.', 'a.b.localhost', 'localhost.com', 'xlocalhost'].map(isLocalhost)).toEqual([true, true, true, false, false])
  })
})
