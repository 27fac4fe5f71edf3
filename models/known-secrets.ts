// A filter that says whether a token or key can have been issued, so that made-up ones are refused without a query.
import { setTimeout as delay } from 'node:timers/promises'
import type { Connection, Statement } from './connection.ts'

export interface KnownSecrets {
  /** False when the secret of this hash (64 hexadecimal digits) was never issued; true when it may have been. */
  mayExist(hash: string): boolean
  /** Adds a hash of a secret that was issued since the load. */
  add(hash: string): void
  /** Loads all hashes. Until that is done, and again after `forget`, mayExist is true for every secret. */
  load(): Promise<void>
  forget(): void
}

/**
 * 8 MB, however many secrets there are: a Bloom filter in which each secret sets four bits. With a million secrets,
 * 1 of 90,000 made-up ones passes the filter, and then costs a query.
 */
const BITS = 2 ** 26
const PROBES = 4
const PAGE = 10_000
const RETRY_MS = 2_000

/** The filter has revoked and expired secrets too, because an operator may make a token valid again. */
export function createKnownSecrets(connection: Connection): KnownSecrets {
  const filter = new Uint8Array(BITS / 8)
  let complete = false
  // Counts the loads, so that a load that a later one has replaced does not set `complete`.
  let latest = 0

  function add(hash: string): void {
    for (const bit of bitsOf(hash)) filter[bit >>> 3]! |= 1 << (bit & 7)
  }

  async function loadFrom(statement: Statement): Promise<void> {
    for (let last = '\\x'; ; ) {
      const page = await connection.run<{ hash: string }>(statement, [last, PAGE])
      for (const { hash } of page) add(hash)
      if (page.length < PAGE) return
      last = `\\x${page.at(-1)!.hash}`
    }
  }

  return {
    mayExist: (hash) => !complete || bitsOf(hash).every((bit) => (filter[bit >>> 3]! & (1 << (bit & 7))) !== 0),
    add,
    async load() {
      const mine = (latest += 1)
      while (mine === latest) {
        try {
          await loadFrom(TOKEN_HASHES)
          await loadFrom(KEY_HASHES)
          await loadFrom(OAUTH_HASHES)
          complete ||= mine === latest
          return
        } catch {
          // The database is unavailable. Until the load succeeds every secret is looked up.
          await delay(RETRY_MS, undefined, { ref: false })
        }
      }
    },
    forget() {
      latest += 1
      complete = false
    },
  }
}

// A SHA-256 has enough bits for all probes.
function bitsOf(hash: string): number[] {
  return Array.from({ length: PROBES }, (_, probe) => Number.parseInt(hash.slice(probe * 8, probe * 8 + 8), 16) % BITS)
}

const TOKEN_HASHES = {
  name: 'hashes of tokens',
  text: `SELECT encode(token_hash, 'hex') AS hash FROM tokens WHERE token_hash > $1::bytea ORDER BY token_hash LIMIT $2`,
}
const KEY_HASHES = {
  name: 'hashes of partner keys',
  text: `SELECT encode(key_hash, 'hex') AS hash FROM partner_keys WHERE key_hash > $1::bytea ORDER BY key_hash LIMIT $2`,
}
const OAUTH_HASHES = {
  name: 'hashes of oauth tokens',
  text: `SELECT encode(token_hash, 'hex') AS hash FROM oauth_tokens WHERE kind = 'ACCESS' AND token_hash > $1::bytea ORDER BY token_hash LIMIT $2`,
}
