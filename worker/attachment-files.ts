// Background work for attachments: removes files without a row, and notes rows without a file.
import { attachmentKey, attachmentOf } from '../domain/attachment.ts'
import { StorageUnavailable, type BlobStore } from '../gateways/storage/blobs.ts'
import { attachmentsBefore, hasAttachment, noteMissing, type AttachmentPlace } from '../models/attachment-sweep.ts'
import type { Database } from '../models/database.ts'

export interface AttachmentFilesDependencies {
  connection: Database
  blobs: Pick<BlobStore, 'list' | 'remove'>
  clock(): Date
  isStopping(): boolean
}

const EVERY_MS = 6 * 60 * 60 * 1_000
/** A file is older than its row by the end of its upload, which takes minutes at most. */
const YOUNG_MS = 60 * 60 * 1_000

/**
 * Sweeps at most every six hours, because all files of the store are listed. A store that is away is asked again the next time.
 */
export function createAttachmentSweep(dependencies: AttachmentFilesDependencies): () => Promise<void> {
  let next = -Infinity
  return async () => {
    const now = dependencies.clock().getTime()
    if (now < next) return
    try {
      await sweepAttachments(dependencies, new Date(now - YOUNG_MS))
      next = now + EVERY_MS
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
    }
  }
}

/** Goes through files and rows from before, side by side in the order of their keys. Throws StorageUnavailable. */
export async function sweepAttachments(dependencies: AttachmentFilesDependencies, before: Date): Promise<void> {
  const { connection, blobs, clock, isStopping } = dependencies
  const rows = attachmentsBefore(connection, before)
  let row = (await rows.next()).value
  const noteRow = async (isThere: boolean) => {
    if (row!.missed === isThere) await noteMissing(connection, row!, isThere ? null : clock())
    row = (await rows.next()).value
  }
  for await (const { key, writtenAt } of blobs.list('')) {
    if (isStopping()) return
    const place = attachmentOf(key)
    if (!place) continue
    while (row && keyOf(row) < key) await noteRow(false)
    if (row && keyOf(row) === key) await noteRow(true)
    else if (writtenAt < before && !(await hasAttachment(connection, place))) await blobs.remove(key)
  }
  while (row && !isStopping()) await noteRow(false)
}

const keyOf = ({ orgId, id }: AttachmentPlace) => attachmentKey(orgId, id)
