// Notes every minute that the service is at work on this database, and says where it looks restored and nobody has run `npm run after-restore`.
import type { Logger } from 'pino'
import { needsNoteOutside, signOfRestore } from '../domain/restoration.ts'
import { type BlobStore, StorageUnavailable } from '../gateways/storage/blobs.ts'
import { readMark, writeMark } from '../gateways/storage/security-log.ts'
import type { Database } from '../models/database.ts'
import { noteAlive, restoreMarks, type RestoreMarks } from '../models/restoration.ts'

/** How often what is said at the start is said again. */
export const SAY_AGAIN_MS = 3_600_000

export interface RestoreMarksDependencies {
  connection: Database
  blobs: Pick<BlobStore, 'read' | 'write'>
  log: Logger
  clock(): Date
}

/**
 * As long as the database looks restored nothing is noted: the marks would say that all is well. Nor while the store does not answer
 * and it alone could say that the books are older than the service left them.
 */
export function createRestoreMarks({ connection, blobs, log, clock }: RestoreMarksDependencies): () => Promise<void> {
  let saidAt = -Infinity
  return async () => {
    const marks = await restoreMarks(connection)
    if (marks === null) return
    const sign = await signBy(marks, blobs, clock())
    if (sign === null) {
      const time = await noteAlive(connection)
      if (time) await writeMark(blobs, { id: marks.id, time }).catch(() => undefined)
    } else if (clock().getTime() - saidAt > SAY_AGAIN_MS) {
      saidAt = clock().getTime()
      log.warn(sign)
    }
  }
}

/** Why nothing may be noted; null where the books are as the service left them. */
async function signBy(marks: RestoreMarks, blobs: Pick<BlobStore, 'read'>, now: Date): Promise<string | null> {
  try {
    return signOfRestore(marks, await readMark(blobs, marks.id))
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    return signOfRestore(marks, null) ?? (needsNoteOutside(marks, now) ? unknownWithout(error) : null)
  }
}

/** Why it is not known whether the books are as the service left them. */
export const unknownWithout = (error: StorageUnavailable): string =>
  `The blob store does not answer, which notes when the service last ran on these books; whether they were restored is not known (${(error.cause as Error).message})`
