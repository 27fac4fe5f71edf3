// Remembers the holders of tokens, and which tokens are no longer valid, so that most calls need no query for them.
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { createKnownSecrets } from './known-secrets.ts'
import { createLastUses } from './last-use.ts'
import { listen } from './listener.ts'
import { findOAuthHolder, type OAuthHolder } from './oauth-caller.ts'
import { findPartnerOfKey, findTokenHolder, hashOf, type KeyHolder, type TokenHolder } from './token.ts'

export interface TokenCache {
  /**
   * False for a token or key that was never issued, as far as this process knows: the notification of one that another
   * process has issued takes a moment. True for all others, and while this is not known.
   */
  mayExist(secret: string): boolean
  /** From the database; null without a query where the token is remembered as no longer valid. */
  fetch(secret: string, now: Date): Promise<TokenHolder | null>
  /** From memory, which is certain enough for a read; a write also requires that the token is unchanged (`tokenStillHeld`). */
  find(secret: string, now: Date): Promise<TokenHolder | null>
  /** The partner of a key, from the database; null without a query where the key is remembered as no longer valid. */
  fetchPartner(secret: string): Promise<KeyHolder | null>
  /**
   * The holder of an OAuth access token in this organisation, from the database, because consents and roles change by the call; null
   * without a query where the token is remembered as no longer valid.
   */
  fetchOAuth(secret: string, orgId: string | null, now: Date): Promise<OAuthHolder | null>
  /** Notes the use of a token or partner key, by its id. */
  noteUse(subject: string, now: Date): void
  /** Forgets everything at once, after a change by this process, without waiting for its notification. */
  forget(): void
  close(): Promise<void>
}

interface Remembered {
  holder: TokenHolder
  until: number
}

const REMEMBERED_MS = 5_000
const MAX_TOKENS = 10_000

/**
 * Everything is forgotten as soon as any token, key or organisation changes: PostgreSQL sends a notification at the commit
 * of the change. While this process cannot receive notifications it remembers nothing, so a revoked token or a suspended
 * organisation is served no longer than a notification takes, or 5 s where the connection was lost and that is not noticed yet.
 */
export function rememberTokens(connection: Connection & Pick<Database, 'observe'>, databaseUrl: string): TokenCache {
  const remembered = new Map<string, Remembered>()
  // Hashes of revoked and expired secrets, each with its kind: token or key.
  const dead = new Set<string>()
  const secrets = createKnownSecrets(connection)
  const uses = createLastUses(connection)
  // Counts how often everything was forgotten: a query that was sent before and answered after may be out of date.
  let generation = 0
  let listening = false
  const forget = () => {
    generation += 1
    remembered.clear()
    dead.clear()
  }
  const heard = (newHash: string) => (newHash === '' ? forget() : secrets.add(newHash))
  const listener = listen(databaseUrl, 'callers', heard, (now) => {
    listening = now
    forget()
    if (listening) void secrets.load()
    else secrets.forget()
  })

  const plainHash = (secret: string) => hashOf(secret).slice('\\x'.length)

  async function unlessDead<Holder>(
    kind: string,
    secret: string,
    lookUp: () => Promise<Holder | null>,
  ): Promise<Holder | null> {
    const hash = plainHash(secret)
    if (dead.has(kind + hash)) return null
    const before = generation
    const holder = await lookUp()
    // Made-up secrets are not remembered: their number has no limit.
    if (!holder && listening && before === generation && secrets.mayExist(hash)) {
      if (dead.size >= MAX_TOKENS) dead.clear()
      dead.add(kind + hash)
    }
    return holder
  }

  const lookUp = (secret: string, now: Date) =>
    unlessDead('token ', secret, () => findTokenHolder(connection, secret, now))
  return {
    mayExist: (secret) => remembered.has(secret) || secrets.mayExist(plainHash(secret)),
    fetch: lookUp,
    async find(secret, now) {
      const known = remembered.get(secret)
      if (known && known.until > now.getTime()) return known.holder
      const before = generation
      const holder = await lookUp(secret, now)
      if (holder && listening && before === generation) {
        if (remembered.size >= MAX_TOKENS) remembered.clear()
        const ends = holder.token.ends?.getTime() ?? Infinity
        remembered.set(secret, { holder, until: Math.min(now.getTime() + REMEMBERED_MS, ends) })
      }
      return holder
    },
    fetchPartner: (secret) => unlessDead('key ', secret, () => findPartnerOfKey(connection, secret)),
    async fetchOAuth(secret, orgId, now) {
      const find = () => findOAuthHolder(connection, { hash: hashOf(secret), orgId, now })
      const holder = await unlessDead('oauth ', secret, find)
      return holder?.hasEnded ? null : holder
    },
    noteUse: uses.note,
    forget,
    async close() {
      uses.close()
      secrets.forget()
      await listener.close()
    },
  }
}
