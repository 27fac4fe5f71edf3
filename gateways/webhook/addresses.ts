// Ranges of network addresses: those that are not public, and those that the operator allows for webhooks.
import { BlockList, isIP } from 'node:net'

// IANA's special-purpose registries for IPv4, and the public address under which Azure serves the metadata of its virtual machines.
const SPECIAL_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; Alibaba's metadata
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's metadata
  '169.254.0.0/16', // link-local; the metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; Oracle's metadata
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // multicast tunnels
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]
// Of IPv6 only the global unicast block is public. That excludes loopback, link-local, unique-local, multicast,
// NAT64 (64:ff9b::/96), IPv4-compatible and IPv4-mapped addresses; the list has the special ranges within the block.
const PUBLIC_IPV6 = '2000::/3'
const SPECIAL_IPV6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which wraps any IPv4 address
  '3fff::/20', // documentation
]

/** Makes a list of address ranges. Throws an Error that names the first invalid one. */
export function rangesOf(cidrs: readonly string[]): BlockList {
  const ranges = new BlockList()
  for (const cidr of cidrs) {
    const [address = '', length, ...rest] = cidr.split('/')
    const family = isIP(address)
    const bits = length === undefined ? (family === 4 ? 32 : 128) : Number(length)
    if (family === 0 || rest.length > 0 || !Number.isInteger(bits) || bits < 0 || bits > (family === 4 ? 32 : 128)) {
      throw new Error(`${cidr} is no address range; write it like 10.0.0.0/8 or fd00::/8`)
    }
    ranges.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  }
  return ranges
}

const special = rangesOf([...SPECIAL_IPV4, ...SPECIAL_IPV6])
const publicIpv6 = rangesOf([PUBLIC_IPV6])

/** True when the list holds the address (without brackets; a zone such as %eth0 does not matter). */
export function isWithin(ranges: BlockList, address: string): boolean {
  const bare = address.split('%')[0]!
  return ranges.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4')
}

/** True for an address of the public internet; false for every special range (decisions §5 and §10). */
export function isPublic(address: string): boolean {
  const bare = address.split('%')[0]!
  const family = isIP(bare)
  if (family === 0) return false
  if (family === 6 && !isWithin(publicIpv6, bare)) return false
  return !isWithin(special, bare)
}
