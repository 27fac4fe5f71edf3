// The objects that the server creates once and every request uses.
import type { IncomingMessage } from 'node:http'
import type { WriteContext } from '../../commands/books/open-books.ts'
import type { Sealer } from '../../models/sealed.ts'
import type { TokenCache } from '../../models/token-cache.ts'
import type { Gateways } from './gateways.ts'
import type { Throttle } from './throttle.ts'
import type { SeenValid } from './seen-valid.ts'
import type { RowCache } from './row-cache.ts'
import type { Limiter } from './rate-limit.ts'
import type { Shares } from './concurrency-shares.ts'

/** The dependencies of the request pipeline. */
export interface ServerContext {
  writeContext: WriteContext
  limiter: Limiter
  tokens: TokenCache
  seenValid: SeenValid
  sealer: Sealer
  gateways: Gateways
  rowCache: RowCache
  shares: Shares
  /** Delays answers that use up no rate limit. */
  throttle: Throttle
  /** The address of the client; null if the socket is closed. */
  addressOf(request: IncomingMessage): string | null
  /** Logs the error behind a 500. */
  onUnhandledError(error: unknown, requestId: string): void
}
