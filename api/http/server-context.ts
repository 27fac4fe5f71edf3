// What the server makes once and every request is answered with.
import type { IncomingMessage } from 'node:http'
import type { WriteContext } from '../../commands/books/open-books.ts'
import type { Sealer } from '../../models/sealed.ts'
import type { TokenMemory } from '../../models/token-memory.ts'
import type { Gateways } from './gateways.ts'
import type { Pace } from './pace.ts'
import type { Limiter } from './rate-limit.ts'
import type { Shares } from './shares.ts'

/** Everything that a request meets on its way; made once by the server. */
export interface ServerContext {
  writeContext: WriteContext
  limiter: Limiter
  tokens: TokenMemory
  sealer: Sealer
  gateways: Gateways
  shares: Shares
  /** For answers that use up no budget. */
  pace: Pace
  /** The address of whoever sent the request; null where its socket is gone. */
  addressOf(request: IncomingMessage): string | null
  /** Told of what nobody should ever see: the error behind a 500. */
  onUnhandledError(error: unknown, requestId: string): void
}
