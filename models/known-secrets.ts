// Knows of any token or key whether it can have been given out, so that made-up ones can be refused without a query.
import { setTimeout as delay } from 'node:timers/promises'
import type { Connection, Statement } from './connection.ts'

export interface KnownSecrets {
  /** False when the secret of this hash (64 hexadecimal digits) was never given out; true when it may have been. */
  mayExist(hash: string): boolean
  /** Takes in a hash that was added since the load. */
  add(hash: string): void
  /** Loads all hashes. Until it is done, and again from `forget` on, every secret may exist. */
  load(): Promise<void>
  forget(): void
}

/**
 * 8 MB in all, however many secrets there are: a Bloom filter of four bits a secret. One of a million secrets takes a
 * made-up one for its own in 1 of 90,000 cases, which then costs a query.
 */
const BITS = 2 ** 26
const PROBES = 4
const PAGE = 10_000
const RETRY_MS = 2_000

/** Revoked and expired secrets count too: an operator may give a token back its life. */
export function createKnownSecrets(connection: Connection): KnownSecrets {
  const filter = new Uint8Array(BITS / 8)
  let complete = false
  // Counts the loads, so that one that was overtaken does not say that it is complete.
  let latest = 0

  function add(hash: string): void {
    for (const bit of bitsOf(hash)) filter[bit >>> 3]! |= 1 << (bit & 7)
  }

  async function loadFrom(statement: Statement): Promise<void> {
    for (let last = '\\x'; ;) {
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
          complete ||= mine === latest
          return
        } catch {
          // The database is away; meanwhile every secret is looked up, as far as it can be.
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

// A SHA-256 has bits enough for all probes.
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
