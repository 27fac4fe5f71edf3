// Notes every minute that the service is at work on this database, and says where it looks restored and nobody has run `npm run after-restore`.
import type { Logger } from 'pino'
import { signOfRestore } from '../domain/restoration.ts'
import type { BlobStore } from '../gateways/storage/blobs.ts'
import { readMark, writeMark } from '../gateways/storage/security-log.ts'
import type { Database } from '../models/database.ts'
import { noteAlive, restoreMarks } from '../models/restoration.ts'

/** How often what is said at the start is said again. */
export const SAY_AGAIN_MS = 3_600_000

export interface RestoreMarksDependencies {
  connection: Database
  /** A store that is away, or not configured, is left out. */
  blobs: Pick<BlobStore, 'read' | 'write'>
  log: Logger
  clock(): Date
}

/** As long as the database looks restored nothing is noted: the marks would say that all is well. */
export function createRestoreMarks({ connection, blobs, log, clock }: RestoreMarksDependencies): () => Promise<void> {
  let saidAt = -Infinity
  return async () => {
    const marks = await restoreMarks(connection)
    if (marks === null) return
    const sign = signOfRestore(marks, await readMark(blobs, marks.id).catch(() => null))
    if (sign === null) {
      const time = await noteAlive(connection)
      if (time) await writeMark(blobs, { id: marks.id, time }).catch(() => undefined)
    } else if (clock().getTime() - saidAt > SAY_AGAIN_MS) {
      saidAt = clock().getTime()
      log.warn(sign)
    }
  }
}
