// The open connections of the listener, counted in total and for each client address, with their unanswered requests.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressBlock, canonicalAddress } from './client-address.ts'

export interface ConnectionBounds {
  maxConnections: number
  maxConnectionsPerAddress: number
  /** True for a trusted proxy. It serves many clients, so the limit for one address does not apply to it. */
  isTrusted(address: string): boolean
}

export interface OpenConnection {
  socket: Socket
  address: string
  /** Answers that are not completely sent. */
  unanswered: Set<ServerResponse>
  /** Closes the connection if an answer takes too long; set while a request is unanswered. */
  overdue: NodeJS.Timeout | undefined
  /** True if the last request was answered before its body had arrived. */
  answeredEarly: boolean
  /** True if no more requests are read: the connection closes after its last unanswered request is answered. */
  isLast: boolean
}

/** Why a connection is refused: too many in total, or too many of its address. */
export type Excess = 'total' | 'address'

export interface Connections {
  /** Registers a new connection until it closes. Returns null, or the reason if the connection exceeds a limit. */
  admit(socket: Socket): Excess | null
  /** The connection of an admitted socket; undefined if it was refused. */
  of(socket: Socket): OpenConnection | undefined
  all(): Iterable<OpenConnection>
  count(): number
}

export function createConnections({
  maxConnections,
  maxConnectionsPerAddress,
  isTrusted,
}: ConnectionBounds): Connections {
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
        socket,
        address,
        unanswered: new Set(),
        overdue: undefined,
        answeredEarly: false,
        isLast: false,
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
