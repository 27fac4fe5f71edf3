// Remembers for a moment whose token is whose, so that most reads find their caller without asking the database.
import type { Connection } from './database.ts'
import { listen } from './listener.ts'
import { findTokenHolder, type TokenHolder } from './token.ts'

export interface TokenMemory {
  /** From the database, always. */
  ask(secret: string, now: Date): Promise<TokenHolder | null>
  /** From memory where it is certain enough for a read. */
  find(secret: string, now: Date): Promise<TokenHolder | null>
  /** For what this very process has changed: at once, without waiting to be told. */
  forget(): void
  close(): Promise<void>
}

interface Remembered {
  holder: TokenHolder
  until: number
}

const REMEMBERED_MS = 5_000
const MOST = 10_000

/**
 * Everything is forgotten as soon as any token or organisation changes: PostgreSQL tells it at the commit of the change.
 * While it cannot be heard nothing is remembered, so that a revoked token or a suspended organisation is never served
 * for longer than the telling takes.
 */
export function rememberTokens(connection: Connection, databaseUrl: string): TokenMemory {
  const remembered = new Map<string, Remembered>()
  // Counts the tellings: what was asked before one and answered after it may be out of date.
  let telling = 0
  let hearing = false
  const forget = () => {
    telling += 1
    remembered.clear()
  }
  const listener = listen(databaseUrl, 'callers', forget, (heard) => {
    hearing = heard
    forget()
  })
  return {
    ask: (secret, now) => findTokenHolder(connection, secret, now),
    async find(secret, now) {
      const known = remembered.get(secret)
      if (known && known.until > now.getTime()) return known.holder
      const asked = telling
      const holder = await findTokenHolder(connection, secret, now)
      if (holder && hearing && asked === telling) {
        if (remembered.size >= MOST) remembered.clear()
        const ends = holder.token.ends?.getTime() ?? Infinity
        remembered.set(secret, { holder, until: Math.min(now.getTime() + REMEMBERED_MS, ends) })
      }
      return holder
    },
    forget,
    close: () => listener.close(),
  }
}
