// Remembers small files as they were last sent, by keys under which a file never changes; bounded in bytes.

export interface FileCache {
  find(key: string): Buffer | undefined
  /** Does nothing where the file takes more than its share of the memory. */
  keep(key: string, content: Buffer): void
  /** The largest file that is kept. */
  largest: number
}

const MAX_SHARE = 1 / 32
// An entry's key, and what the engine needs for it.
const ENTRY_BYTES = 400

/** Forgets the file that was not asked for longest when there is no room. */
export function createFileCache(maxBytes: number): FileCache {
  // In the order in which they were last used.
  const files = new Map<string, Buffer>()
  let bytes = 0
  const largest = Math.floor(maxBytes * MAX_SHARE) - ENTRY_BYTES

  function forget(key: string): void {
    const content = files.get(key)
    if (!content) return
    bytes -= content.length + ENTRY_BYTES
    files.delete(key)
  }

  return {
    largest,
    find(key) {
      const content = files.get(key)
      if (!content) return
      files.delete(key)
      files.set(key, content)
      return content
    },
    keep(key, content) {
      forget(key)
      if (content.length > largest) return
      files.set(key, content)
      bytes += content.length + ENTRY_BYTES
      while (bytes > maxBytes) forget(files.keys().next().value!)
    },
  }
}
