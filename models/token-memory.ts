// Remembers whose token is whose, and which open nothing any more, so that most calls ask the database nothing.
import type { Connection } from './connection.ts'
import { createKnownSecrets } from './known-secrets.ts'
import { listen } from './listener.ts'
import { findPartnerOfKey, findTokenHolder, hashOf, type KeyHolder, type TokenHolder } from './token.ts'

export interface TokenMemory {
  /**
   * False for a token or key that was never given out, as far as this process has heard: one that another process has
   * given out takes a moment to be heard of. True for all others, and while it is not known.
   */
  mayExist(secret: string): boolean
  /** From the database, unless it is remembered that the token opens nothing any more. */
  fetch(secret: string, now: Date): Promise<TokenHolder | null>
  /** From memory where it is certain enough for a read; a write requires that it still stands (`stillHeld`). */
  find(secret: string, now: Date): Promise<TokenHolder | null>
  /** The partner of a key: from the database, unless it is remembered that the key opens nothing any more. */
  fetchPartner(secret: string): Promise<KeyHolder | null>
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
 * Everything is forgotten as soon as any token, key or organisation changes: PostgreSQL tells it at the commit of the
 * change. While it cannot be heard nothing is remembered, so that a revoked token or a suspended organisation is never
 * served for longer than the telling takes.
 */
export function rememberTokens(connection: Connection, databaseUrl: string): TokenMemory {
  const remembered = new Map<string, Remembered>()
  // Hashes of revoked and expired secrets, with what they were sent as.
  const dead = new Set<string>()
  const secrets = createKnownSecrets(connection)
  // Counts the tellings: what was asked before one and answered after it may be out of date.
  let telling = 0
  let hearing = false
  const forget = () => {
    telling += 1
    remembered.clear()
    dead.clear()
  }
  const heard = (newHash: string) => (newHash === '' ? forget() : secrets.add(newHash))
  const listener = listen(databaseUrl, 'callers', heard, (now) => {
    hearing = now
    forget()
    if (hearing) void secrets.load()
    else secrets.forget()
  })

  const plainHash = (secret: string) => hashOf(secret).slice('\\x'.length)

  async function unlessDead<Holder>(kind: string, secret: string, lookUp: () => Promise<Holder | null>): Promise<Holder | null> {
    const hash = plainHash(secret)
    if (dead.has(kind + hash)) return null
    const asked = telling
    const holder = await lookUp()
    // Made-up secrets are not remembered: there is no end of them.
    if (!holder && hearing && asked === telling && secrets.mayExist(hash)) {
      if (dead.size >= MOST) dead.clear()
      dead.add(kind + hash)
    }
    return holder
  }

  const lookUp = (secret: string, now: Date) => unlessDead('token ', secret, () => findTokenHolder(connection, secret, now))
  return {
    mayExist: (secret) => remembered.has(secret) || secrets.mayExist(plainHash(secret)),
    fetch: lookUp,
    async find(secret, now) {
      const known = remembered.get(secret)
      if (known && known.until > now.getTime()) return known.holder
      const asked = telling
      const holder = await lookUp(secret, now)
      if (holder && hearing && asked === telling) {
        if (remembered.size >= MOST) remembered.clear()
        const ends = holder.token.ends?.getTime() ?? Infinity
        remembered.set(secret, { holder, until: Math.min(now.getTime() + REMEMBERED_MS, ends) })
      }
      return holder
    },
    fetchPartner: (secret) => unlessDead('key ', secret, () => findPartnerOfKey(connection, secret)),
    forget,
    async close() {
      secrets.forget()
      await listener.close()
    },
  }
}
