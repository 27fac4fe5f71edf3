// Which addresses are called: every special range, from its first to its last address, and what lies beside it.
import { expect, test } from '@jest/globals'
import { isPublic, isWithin, rangesOf } from '../../gateways/webhook/addresses.ts'

test.each([
  '0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.100.100.200', '100.127.255.255',
  '127.0.0.1', '127.255.255.255', '168.63.129.16', '169.254.0.1', '169.254.169.254', '172.16.0.0', '172.31.255.255',
  '192.0.0.0', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.0.0', '192.168.255.255', '198.18.0.0',
  '198.19.255.255', '198.51.100.7', '203.0.113.255', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255',
  '::', '::1', '::7f00:1', '::8.8.8.8', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '64:ff9b::7f00:1', '64:ff9b:1::1',
  '100::1', '2001::1', '2001:0:7f00:1::', '2001:2::1', '2001:10::1', '2001:20::1', '2001:db8::1', '2002:7f00:1::',
  '3fff::1', '5f00::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1',
  '', 'localhost', '1.2.3', 'not an address',
])('%p is not called', (address) => {
  expect(isPublic(address)).toBe(false)
})

test.each([
  '1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.1',
  '168.63.129.15', '169.253.255.255', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.167.255.255', '192.169.0.0',
  '198.17.255.255', '198.20.0.0', '223.255.255.255', '2606:4700::1111', '2001:4860:4860::8888', '2a00:1450::1',
])('%p is called', (address) => {
  expect(isPublic(address)).toBe(true)
})

test('ranges of both families, and single addresses', () => {
  const ranges = rangesOf(['10.1.0.0/16', 'fd00::/8', '192.168.7.7'])
  expect(['10.1.2.3', 'fd12::1', '192.168.7.7', '::ffff:10.1.2.3'].map((address) => isWithin(ranges, address))).toEqual([true, true, true, true])
  expect(['10.2.0.0', 'fc00::1', '192.168.7.8'].map((address) => isWithin(ranges, address))).toEqual([false, false, false])
})

test.each(['10.0.0.0/33', '10.0.0/8', 'fd00::/129', 'all', '10.0.0.0/8/8', '10.0.0.0/x', ''])('%p is no range', (cidr) => {
  expect(() => rangesOf([cidr])).toThrow(/no address range/)
})
