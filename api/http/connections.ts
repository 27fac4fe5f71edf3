// The connections of the listener: counted in all and for each client address, with the answers that each one waits for.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressBlock, canonicalAddress } from './client-address.ts'

export interface ConnectionBounds {
  maxConnections: number
  maxConnectionsPerAddress: number
  /** True for a proxy, which speaks for many clients and so has no bound of its own. */
  isTrusted(address: string): boolean
}

export interface OpenConnection {
  socket: Socket
  address: string
  /** Answers that are not sent to their end yet. */
  unanswered: Set<ServerResponse>
  /** Breaks it off where an answer takes too long; set while one is waited for. */
  overdue: NodeJS.Timeout | undefined
  /** True where the last request was answered before its body had come. */
  answeredEarly: boolean
  /** True where nothing more is to be read: it closes with the last answer that it waits for. */
  isLast: boolean
}

/** Why a connection is refused: there are too many in all, or too many of its address. */
export type Excess = 'total' | 'address'

export interface Connections {
  /** Enters a new connection, until it closes; answers why not where it is one too many. */
  admit(socket: Socket): Excess | null
  /** The connection of an admitted socket; undefined for a refused one. */
  of(socket: Socket): OpenConnection | undefined
  all(): Iterable<OpenConnection>
  count(): number
}

export function createConnections({ maxConnections, maxConnectionsPerAddress, isTrusted }: ConnectionBounds): Connections {
  const open = new Map<Socket, OpenConnection>()
  const ofAddress = new Map<string, number>()
  return {
    admit(socket) {
      const sender = canonicalAddress(socket.remoteAddress ?? '') ?? ''
      const address = addressBlock(sender)
      const same = ofAddress.get(address) ?? 0
      if (open.size >= maxConnections) return 'total'
      if (same >= maxConnectionsPerAddress && !isTrusted(sender)) return 'address'
      const connection: OpenConnection = {
        socket, address, unanswered: new Set(), overdue: undefined, answeredEarly: false, isLast: false,
      }
      open.set(socket, connection)
      ofAddress.set(address, same + 1)
      socket.once('close', () => {
        open.delete(socket)
        clearTimeout(connection.overdue)
        const left = (ofAddress.get(address) ?? 1) - 1
        if (left > 0) ofAddress.set(address, left)
        else ofAddress.delete(address)
      })
      return null
    },
    of: (socket) => open.get(socket),
    all: () => open.values(),
    count: () => open.size,
  }
}
