// Whose address a request is counted under and logged with: never one that the caller could have made up.
import { describe, expect, test } from '@jest/globals'
import { addressBlock, canonicalAddress, clientAddress } from '../../api/http/client-address.ts'
import { isWithin, rangesOf } from '../../gateways/webhook/addresses.ts'
import { readSettings } from '../../settings.ts'

const ranges = rangesOf(['10.0.0.0/8', '192.168.7.7', 'fd00::/8'])
const addressOf = (socket: string | undefined, forwarded?: string | string[]) =>
  clientAddress({ socket: { remoteAddress: socket }, headers: { 'x-forwarded-for': forwarded } }, (address) => isWithin(ranges, address))

test.each<[what: string, socket: string | undefined, forwarded: string | string[] | undefined, address: string | null]>([
  ['no proxy', '203.0.113.9', undefined, '203.0.113.9'],
  ['a header from a socket that is not trusted', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['a header that names a trusted address, from one that is not', '203.0.113.9', '10.0.0.1', '203.0.113.9'],
  ['a trusted socket without a header', '10.0.0.1', undefined, '10.0.0.1'],
  ['a trusted socket with an empty header', '10.0.0.1', '', '10.0.0.1'],
  ['one proxy', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['what the caller wrote before the proxy', '10.0.0.1', '1.2.3.4, 198.51.100.1', '198.51.100.1'],
  ['a trusted address that the caller wrote', '10.0.0.1', '10.0.0.9, 198.51.100.1', '198.51.100.1'],
  ['two proxies', '10.0.0.1', '1.2.3.4, 198.51.100.1,  192.168.7.7', '198.51.100.1'],
  ['two headers', '10.0.0.1', ['1.2.3.4', '198.51.100.1, 10.0.0.2'], '198.51.100.1'],
  ['only trusted addresses', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['a word', '10.0.0.1', 'unknown', '10.0.0.1'],
  ['a word that the caller wrote', '10.0.0.1', 'unknown, 198.51.100.1', '198.51.100.1'],
  ['a word after the client', '10.0.0.1', '198.51.100.1, unknown, 10.0.0.2', '10.0.0.2'],
  ['an empty entry', '10.0.0.1', '198.51.100.1,,10.0.0.2', '10.0.0.2'],
  ['a port', '10.0.0.1', '198.51.100.1:49152', '198.51.100.1'],
  ['a port that is none', '10.0.0.1', '198.51.100.1:http', '10.0.0.1'],
  ['IPv6', 'fd00::1', '2001:DB8:0:0::1', '2001:db8::1'],
  ['IPv6 with a port', '10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
  ['a mapped socket that is trusted', '::ffff:10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
  ['a mapped socket that is not', '::ffff:203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['a zone', 'fe80::1%eth0', '198.51.100.1', 'fe80::1'],
  ['a socket that is gone', undefined, '198.51.100.1', null],
  ['a very long header', '10.0.0.1', `${'1.2.3.4, '.repeat(2_000)}198.51.100.1`, '198.51.100.1'],
])('%s', (_what, socket, forwarded, address) => {
  expect(addressOf(socket, forwarded)).toBe(address)
})

test.each([
  '', ' ', '1.2.3', '1.2.3.4.5', '256.1.1.1', '01.2.3.4', '0x7f.1', '1.2.3.4/8', '[1:2', '1:2:3', 'localhost', '::1]:80', '[::1]80', '1.2.3.4:', '१.२.३.४', '__proto__',
])('%j is no address', (text) => {
  expect(canonicalAddress(text)).toBeNull()
})

test.each([
  ['198.51.100.1', '198.51.100.1'], ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'], ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:ffff::1', '2001:db8:0:0::/64'], ['::1', '0:0:0:0::/64'], ['::', '0:0:0:0::/64'], ['::1.2.3.4', '0:0:0:0::/64'], ['1::', '1:0:0:0::/64'],
])('%s is counted under %s', (address, block) => {
  expect(addressBlock(canonicalAddress(address)!)).toBe(block)
})

describe('TRUSTED_PROXIES', () => {
  const read = (ranges: string) => readSettings({ DATABASE_URL: 'postgres://x', ENCRYPTION_KEY: `${'A'.repeat(43)}=`, TRUSTED_PROXIES: ranges }).trustedProxies
  test('is none unless set, else a list of ranges', () => {
    expect([read(''), read('10.0.0.0/8, fd00::/8,192.168.7.7')]).toEqual([[], ['10.0.0.0/8', 'fd00::/8', '192.168.7.7']])
    expect(() => rangesOf(read('10.0.0.0/8, fd00::/8,192.168.7.7'))).not.toThrow()
  })

  test.each(['10.0.0.0/33', 'proxy.internal', '10.0.0.0/8/8', 'fd00::/129', '10.0.0/8', '10.0.0.0/'])('%s is named in the error', (range) => {
    expect(() => read(range)).toThrow(/TRUSTED_PROXIES: must be address ranges/)
  })
})
