// The address of whoever calls: the socket's, or the one that a trusted proxy names in X-Forwarded-For.
import { isIP, SocketAddress } from 'node:net'

/** What is read of a request: its socket's address and the header, whose repetitions Node has joined by commas. */
export interface Addressed {
  socket: { remoteAddress?: string | undefined }
  headers: Record<string, string | string[] | undefined>
}

/**
 * The client's address in its one spelling, or null where the socket has none. From a socket outside of the trusted
 * ranges the header is not read, since anybody can send it. From one within them it is the last address of the header
 * that is not within them; where an entry before it is no address, the trusted proxy that wrote the entry; where every
 * entry is trusted, the first of them (decisions §11, client address).
 */
export function clientAddress({ socket, headers }: Addressed, isTrusted: (address: string) => boolean): string | null {
  const direct = canonicalAddress(socket.remoteAddress ?? '')
  if (direct === null || !isTrusted(direct)) return direct
  let nearest = direct
  for (const entry of [headers['x-forwarded-for'] ?? []].flat().join().split(',').reverse()) {
    const address = canonicalAddress(entry.trim())
    if (address === null) return nearest
    nearest = address
    if (!isTrusted(address)) return address
  }
  return nearest
}

/**
 * One spelling of an IP address: without port, brackets and zone, IPv6 in lower case and compressed, an IPv4-mapped
 * address as IPv4. Null for any other text.
 */
export function canonicalAddress(text: string): string | null {
  const withoutPort = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(text)?.[1] ?? text
  const bare = withoutPort.split('%', 1)[0]!
  const family = isIP(bare)
  if (family === 0) return null
  if (family === 4) return bare
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' })
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address
}

/**
 * What requests of an address are counted under: an IPv4 address itself, an IPv6 address by its network of 64 bits,
 * which is the least that one customer is given. The address must be in its one spelling.
 */
export function addressBlock(address: string): string {
  if (isIP(address) !== 6) return address
  const [before = '', after] = address.split('::')
  const head = before === '' ? [] : before.split(':')
  // An address whose last 32 bits are written as IPv4 has one part fewer than groups.
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const groups = tail.at(-1)?.includes('.') ? tail.length + 1 : tail.length
  const zeros = after === undefined ? 0 : 8 - head.length - groups
  return `${[...head, ...Array<string>(zeros).fill('0'), ...tail].slice(0, 4).join(':')}::/64`
}
