// Background work for PDFs: removes rendered files that are older than they are kept.
import { isRenderedKey } from '../../domain/render-run.ts'
import { StorageUnavailable, type BlobStore } from '../../gateways/storage/blobs.ts'

export interface RenderedFilesDependencies {
  blobs: Pick<BlobStore, 'list' | 'remove'>
  /** How long rendered files are kept, in days; 0 for ever. */
  retainPdfDays: number
  clock(): Date
  isStopping(): boolean
}

const DAY_MS = 24 * 60 * 60 * 1_000
const EVERY_MS = 6 * 60 * 60 * 1_000

/**
 * Removes old files, of former versions and of present ones alike, because a later call renders them again; at most every six
 * hours, because it lists all files of the store. A store that is away is asked again the next time.
 */
export function createFileRetention(dependencies: RenderedFilesDependencies): () => Promise<void> {
  const { blobs, retainPdfDays, clock, isStopping } = dependencies
  let next = -Infinity
  return async () => {
    const now = clock().getTime()
    if (retainPdfDays === 0 || now < next) return
    try {
      for await (const { key, writtenAt } of blobs.list('')) {
        if (isStopping()) return
        if (isRenderedKey(key) && writtenAt.getTime() < now - retainPdfDays * DAY_MS) await blobs.remove(key)
      }
      next = now + EVERY_MS
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
    }
  }
}
