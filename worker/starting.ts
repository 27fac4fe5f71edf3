// What the worker waits for before it takes work: that it fits its database, and that nobody has to tell it first what a restore means.
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isSurelyRestored, needsNoteOutside, signOfRestore } from '../domain/restoration.ts'
import { openBlobStore } from '../gateways/storage/azure-blobs.ts'
import { type BlobStore, StorageUnavailable } from '../gateways/storage/blobs.ts'
import { readMark } from '../gateways/storage/security-log.ts'
import { checkAtStart } from '../models/checks-at-start.ts'
import { openDatabase, type Database } from '../models/database.ts'
import { restoreMarks } from '../models/restoration.ts'
import { storageOf, type Settings } from '../settings.ts'
import { SAY_AGAIN_MS, unknownWithout } from './restore-marks.ts'

const LOOK_AGAIN_MS = 5_000
const STORE_MS = 120_000

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
 * mails and webhooks out again. What it would do is in the books, and is done afterwards. Waits for the blob store too where it alone
 * can say so, for `storeMs`: without it the books go on.
 */
export async function untilBooksAreKnown(settings: Settings, log: Logger, storeMs = STORE_MS): Promise<void> {
  // Named so that the command that follows a restore does not take it for a process at work.
  const connection = openDatabase({ url: settings.databaseUrl, pool: 1, name: 'bahi waits' })
  const blobs = openBlobStore(storageOf(settings))
  const begun = performance.now()
  const said = new Map<string, number>()
  const say = (kind: string, why: string) => {
    if (performance.now() - (said.get(kind) ?? -Infinity) <= SAY_AGAIN_MS) return
    said.set(kind, performance.now())
    log.warn(why)
  }
  for (; ; await delay(LOOK_AGAIN_MS)) {
    const found = await lookAtBooks(connection, blobs)
    if (found === null) break
    const isLate = performance.now() - begun >= storeMs
    if (found.kind === 'restored') say(found.kind, `${found.why}. The worker takes no work before that`)
    if (found.kind === 'database') say(found.kind, `the worker waits for its database: ${found.why}`)
    if (found.kind === 'store')
      say(found.kind, `${found.why}. The worker waits for it, ${storeMs / 1_000} seconds at most`)
    if (found.kind === 'store' && isLate) say('without', `${found.why}. The worker starts without it`)
    if (found.kind === 'store' && isLate) break
  }
  void connection.close().catch(() => undefined)
}

/** What is in the way; null where the books are as the service left them. */
async function lookAtBooks(connection: Database, blobs: BlobStore): Promise<InTheWay | null> {
  try {
    const marks = await restoreMarks(connection)
    if (marks === null) return null
    const seen = await readMark(blobs, marks.id).catch(onlyAway)
    const seenAlive = seen instanceof StorageUnavailable ? null : seen
    if (isSurelyRestored(marks, seenAlive)) return { kind: 'restored', why: signOfRestore(marks, seenAlive)! }
    if (!(seen instanceof StorageUnavailable) || !needsNoteOutside(marks, new Date())) return null
    return { kind: 'store', why: unknownWithout(seen) }
  } catch (error) {
    return { kind: 'database', why: (error as Error).message }
  }
}

function onlyAway(error: unknown): StorageUnavailable {
  if (error instanceof StorageUnavailable) return error
  throw error
}

interface InTheWay {
  kind: 'restored' | 'database' | 'store'
  why: string
}
