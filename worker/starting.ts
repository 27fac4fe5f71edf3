// What the worker waits for before it takes work: that it fits its database, and that nobody has to tell it first what a restore means.
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isSurelyRestored, signOfRestore } from '../domain/restoration.ts'
import { openBlobStore } from '../gateways/storage/azure-blobs.ts'
import { readMark } from '../gateways/storage/security-log.ts'
import { checkAtStart } from '../models/checks-at-start.ts'
import { openDatabase } from '../models/database.ts'
import { restoreMarks } from '../models/restoration.ts'
import { storageOf, type Settings } from '../settings.ts'
import { SAY_AGAIN_MS } from './restore-marks.ts'

const LOOK_AGAIN_MS = 5_000

/** Why the worker must not run on its database; null where it may. Waits until the database answers. */
export async function untilChecked({ databaseUrl: url, encryptionKey }: Settings, log: Logger): Promise<string | null> {
  const asked = openDatabase({ url, pool: 1, name: 'bahi worker' })
  const tell = (problem: string) => log.warn({ err: problem }, 'the worker waits for its database')
  const unfit = await checkAtStart(asked, encryptionKey, tell).unfit
  void asked.close().catch(() => undefined)
  return unfit
}

/**
 * Waits while the books are surely restored and `npm run after-restore` has not been run: the worker would give numbers of schedules,
 * mails and webhooks out again. What it would do is in the books, and is done afterwards.
 */
export async function untilBooksAreKnown(settings: Settings, log: Logger): Promise<void> {
  // Named so that the command that follows a restore does not take it for a process at work.
  const connection = openDatabase({ url: settings.databaseUrl, pool: 1, name: 'bahi waits' })
  const blobs = openBlobStore(storageOf(settings))
  const waitsFor = async () => {
    const marks = await restoreMarks(connection)
    const seenAlive = marks && (await readMark(blobs, marks.id).catch(() => null))
    return marks && isSurelyRestored(marks, seenAlive) ? signOfRestore(marks, seenAlive) : null
  }
  for (let saidAt = -Infinity; ; await delay(LOOK_AGAIN_MS)) {
    // A database that does not answer now is asked again.
    const sign = await waitsFor().catch(() => undefined)
    if (sign === null) break
    if (sign === undefined || performance.now() - saidAt <= SAY_AGAIN_MS) continue
    saidAt = performance.now()
    log.warn(`${sign}. The worker takes no work before that`)
  }
  void connection.close().catch(() => undefined)
}
