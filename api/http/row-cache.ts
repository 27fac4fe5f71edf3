// Remembers rows as they were rendered, so that what has not changed is not read and rendered again; bounded in bytes.

/** Which row it is. The organisation is part of it, so no organisation is answered with another's rows. */
export interface RowKey {
  orgId: string
  table: string
  id: string
}

export interface RowCache {
  /** The JSON of the row at this version; undefined where another version or nothing is remembered. */
  find(key: RowKey, version: string): string | undefined
  keep(key: RowKey, version: string, json: string): void
  has(key: RowKey): boolean
  /** Whether a page of this organisation's table will probably find most of its rows here, as the page before it did. */
  isWorthwhile(key: Omit<RowKey, 'id'>): boolean
  notePage(key: Omit<RowKey, 'id'>, page: { rows: number; found: number }): void
  /** How many bytes of memory the rows take, about. */
  bytes(): number
}

interface Entry {
  version: string
  json: string
  bytes: number
}

// An entry's key, its version, and what the engine needs for them.
const ENTRY_BYTES = 400
// A row that takes more than this share of the memory is not remembered.
const MAX_SHARE = 1 / 32
const MAX_NOTES = 10_000
const BEYOND_LATIN = /[\u0100-\uffff]/

/** Forgets the row that was not asked for longest when there is no room. With 0 bytes it remembers nothing. */
export function createRowCache(maxBytes: number): RowCache {
  // In the order in which they were last used.
  const entries = new Map<string, Entry>()
  const worthwhile = new Map<string, boolean>()
  let bytes = 0

  function forget(name: string): void {
    bytes -= entries.get(name)?.bytes ?? 0
    entries.delete(name)
  }

  return {
    bytes: () => bytes,
    has: (key) => entries.has(nameOf(key)),
    find(key, version) {
      const name = nameOf(key)
      const entry = entries.get(name)
      if (entry?.version !== version) return
      entries.delete(name)
      entries.set(name, entry)
      return entry.json
    },
    keep(key, version, json) {
      const name = nameOf(key)
      forget(name)
      const entry = { version, json, bytes: bytesOf(json) + ENTRY_BYTES }
      if (entry.bytes > maxBytes * MAX_SHARE) return
      entries.set(name, entry)
      bytes += entry.bytes
      while (bytes > maxBytes) forget(entries.keys().next().value!)
    },
    isWorthwhile: ({ orgId, table }) => worthwhile.get(`${orgId} ${table}`) === true,
    notePage({ orgId, table }, { rows, found }) {
      if (maxBytes === 0 || rows === 0) return
      if (worthwhile.size >= MAX_NOTES) worthwhile.clear()
      worthwhile.set(`${orgId} ${table}`, found * 2 >= rows)
    },
  }
}

const nameOf = ({ orgId, table, id }: RowKey) => `${orgId} ${table} ${id}`

// The engine keeps a text whose characters are all Latin in one byte each, any other in two.
const bytesOf = (text: string) => text.length * (BEYOND_LATIN.test(text) ? 2 : 1)
