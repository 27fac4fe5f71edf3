// Background work for files: removes those without a row, of attachments and of mails, and notes attachments without a file.
import { attachmentKey, attachmentOf } from '../../domain/attachment.ts'
import { maySeeAnotherRestore } from '../../domain/restoration.ts'
import { StorageUnavailable, type BlobStore } from '../../gateways/storage/blobs.ts'
import { readMark } from '../../gateways/storage/security-log.ts'
import { attachmentsBefore, hasAttachment, noteMissing, type AttachmentPlace } from '../../models/attachment-sweep.ts'
import type { Database } from '../../models/database.ts'
import { restoreMarks } from '../../models/restoration.ts'
import { sweepMailedFiles } from './mailed.ts'

export interface AttachmentFilesDependencies {
  connection: Database
  blobs: Pick<BlobStore, 'list' | 'read' | 'remove'>
  clock(): Date
  isStopping(): boolean
}

const EVERY_MS = 6 * 60 * 60 * 1_000
/** A file is older than its row by the end of its upload, which takes minutes at most. */
const YOUNG_MS = 60 * 60 * 1_000

/**
 * Sweeps at most every six hours, because all files of the store are listed. A store that is away is asked again the next time.
 * After a restore of the books no file is removed for a while: a later backup, which has its row, may take the place of this one.
 */
export function createAttachmentSweep(dependencies: AttachmentFilesDependencies): () => Promise<void> {
  let next = -Infinity
  return async () => {
    const now = dependencies.clock().getTime()
    if (now < next) return
    try {
      await sweepAttachments(dependencies, new Date(now - YOUNG_MS), await mayRemove(dependencies))
      next = now + EVERY_MS
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
    }
  }
}

async function mayRemove({ connection, blobs, clock }: AttachmentFilesDependencies): Promise<boolean> {
  const marks = await restoreMarks(connection)
  return marks === null || !maySeeAnotherRestore(marks, await readMark(blobs, marks.id), clock())
}

/**
 * Goes through files and rows from before, side by side in the order of their keys; removes files without a row only if `removes`.
 * Throws StorageUnavailable.
 */
export async function sweepAttachments(
  dependencies: AttachmentFilesDependencies,
  before: Date,
  removes = true,
): Promise<void> {
  const { connection, blobs, clock, isStopping } = dependencies
  const rows = attachmentsBefore(connection, before)
  let row = (await rows.next()).value
  const noteRow = async (isThere: boolean) => {
    if (row!.missed === isThere) await noteMissing(connection, row!, isThere ? null : clock())
    row = (await rows.next()).value
  }
  const mailed = sweepMailedFiles(dependencies, before)
  for await (const blob of blobs.list('')) {
    if (isStopping()) return
    if (removes) await mailed.look(blob)
    const { key, writtenAt } = blob
    const place = attachmentOf(key)
    if (!place) continue
    while (row && keyOf(row) < key) await noteRow(false)
    if (row && keyOf(row) === key) await noteRow(true)
    else if (removes && writtenAt < before && !(await hasAttachment(connection, place))) await blobs.remove(key)
  }
  await mailed.end()
  while (row && !isStopping()) await noteRow(false)
}

const keyOf = ({ orgId, id }: AttachmentPlace) => attachmentKey(orgId, id)
