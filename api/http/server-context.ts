// The objects that the server creates once and every request uses.
import type { IncomingMessage } from 'node:http'
import type { WriteContext } from '../../commands/books/open-books.ts'
import type { Sealer } from '../../models/sealed.ts'
import type { TokenMemory } from '../../models/token-memory.ts'
import type { Gateways } from './gateways.ts'
import type { Pace } from './pace.ts'
import type { RowMemory } from './row-memory.ts'
import type { Limiter } from './rate-limit.ts'
import type { Shares } from './shares.ts'

/** The dependencies of the request pipeline. */
export interface ServerContext {
  writeContext: WriteContext
  limiter: Limiter
  tokens: TokenMemory
  sealer: Sealer
  gateways: Gateways
  rowMemory: RowMemory
  shares: Shares
  /** Delays answers that use up no rate limit. */
  pace: Pace
  /** The address of the client; null if the socket is closed. */
  addressOf(request: IncomingMessage): string | null
  /** Logs the error behind a 500. */
  onUnhandledError(error: unknown, requestId: string): void
}
