// The address of the client: the socket's, or the one that a trusted proxy sends in X-Forwarded-For.
import { isIP, SocketAddress } from 'node:net'

/** The parts of a request that are read: the address of its socket, and the header, whose repetitions Node joins with commas. */
export interface Addressed {
  socket: { remoteAddress?: string | undefined }
  headers: Record<string, string | string[] | undefined>
}

/**
 * The client's address in canonical form, or null if the socket has none. If the socket is outside of the trusted
 * ranges, the header is ignored, because anyone can send it. Otherwise the entries of the header are read from last to first:
 * the first untrusted address is the client's. If an entry is not an address, the client is the trusted proxy that added
 * it; if all entries are trusted, the first entry of the header (decisions §11, client address).
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
 * The canonical form of an IP address: without port, brackets and zone, IPv6 in lower case and compressed, an IPv4-mapped
 * address as IPv4. Null if the text is not an address.
 */
export function canonicalAddress(text: string): string | null {
  const withoutPort =
    /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(text)?.[1] ?? text
  const bare = withoutPort.split('%', 1)[0]!
  const family = isIP(bare)
  if (family === 0) return null
  if (family === 4) return bare
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' })
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address
}

/**
 * The key under which requests of an address are counted: an IPv4 address itself, or the /64 network of an IPv6 address,
 * the smallest network that a provider assigns to a customer. The address must be in canonical form.
 */
export function addressBlock(address: string): string {
  if (isIP(address) !== 6) return address
  const [before = '', after] = address.split('::')
  const head = before === '' ? [] : before.split(':')
  // The last two groups may be written as one IPv4 address.
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const groups = tail.at(-1)?.includes('.') ? tail.length + 1 : tail.length
  const zeros = after === undefined ? 0 : 8 - head.length - groups
  return `${[...head, ...Array<string>(zeros).fill('0'), ...tail].slice(0, 4).join(':')}::/64`
}
