// The security log: revocations and suspensions, kept in the blob store, because a database that is restored does not know them.
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { AccessChange, AccessLine } from '../../domain/restoration.ts'
import { type BlobStore, NoStore, StorageUnavailable } from './blobs.ts'

export interface SecurityLog {
  /**
   * Writes changes that are about to be made to the log of the process and to the store, for which it waits as long as KEEP_MS. Never
   * rejects: what the store does not take is tried again, and is in the log of the process. The answer takes them back, where they
   * were not made.
   */
  keep(changes: readonly AccessChange[]): Promise<() => void>
  /** Writes what the store does not have yet, once. */
  close(): Promise<void>
}

const FOLDER = 'security-log/'
/** How long a change of access waits for the store, in ms. */
export const KEEP_MS = 2_000
const TRY_AGAIN_MS = 15_000
/** More than that is left to the log of the process while the store is away. */
const MOST_WAITING = 10_000

/** Without a store (`blobs` null), the log of the process alone has the changes. */
export function createSecurityLog(
  blobs: Pick<BlobStore, 'write'> | null,
  log: Logger,
  { clock, installation }: { clock: () => Date; installation: () => Promise<{ id: string }> },
): SecurityLog {
  let waiting: AccessLine[] = []
  let isAway = false
  let timer: NodeJS.Timeout | undefined
  let turn = Promise.resolve()
  let known: { id: string } | undefined

  async function write(): Promise<void> {
    const lines = waiting
    waiting = []
    if (blobs === null || lines.length === 0) return
    try {
      known ??= await installation()
      await writeLines(blobs, known.id, lines, clock())
      isAway = false
      // Lines that came while it took long, for which nobody has waited.
      if (waiting.length > 0) void flush()
    } catch (error) {
      log.warn({ err: (error as Error).message }, 'the security log could not be written; it is tried again')
      isAway = true
      waiting = [...lines, ...waiting].slice(-MOST_WAITING)
      timer ??= setTimeout(() => void flush(), TRY_AGAIN_MS).unref()
    }
  }

  /** One after the other; lines that come meanwhile are written together. */
  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    turn = turn.then(write)
    return turn
  }

  async function note(lines: readonly AccessLine[]): Promise<void> {
    if (blobs === null) return
    waiting = [...waiting, ...lines].slice(-MOST_WAITING)
    // Nobody waits for a store that has just not answered: who does holds locks.
    if (!isAway && !(await isInTime(flush()))) isAway = true
  }

  return {
    async keep(changes) {
      for (const change of changes) log.info({ access_change: change }, 'access changes')
      await note(changes)
      return () => {
        const lines = changes.map((change) => ({ not_made: change }))
        for (const line of lines) log.info({ access_change: line }, 'access did not change')
        void note(lines)
      }
    },
    async close() {
      await flush()
      clearTimeout(timer)
    },
  }
}

/** Waits as long as KEEP_MS for what is under way; says whether it came to its end. Rejects as it does. */
export const isInTime = (written: Promise<void>): Promise<boolean> =>
  Promise.race([written.then(() => true), delay(KEEP_MS, false, { ref: false })])

const folderOf = (installation: string) => `${FOLDER}${installation}/`

/** A blob of their own for these lines of an installation. Throws StorageUnavailable. */
export async function writeLines(
  blobs: Pick<BlobStore, 'write'>,
  installation: string,
  lines: readonly AccessLine[],
  now: Date,
): Promise<void> {
  const time = now.toISOString()
  const key = `${folderOf(installation)}${time.slice(0, 10)}/${time}-${randomUUID()}.jsonl`
  const body = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  await blobs.write(key, body, { contentType: 'application/jsonl' })
}

/** The lines that were noted since this time. Throws StorageUnavailable. */
export async function linesSince(
  blobs: Pick<BlobStore, 'read' | 'list'>,
  installation: string,
  since: Date,
): Promise<string> {
  const time = since.toISOString()
  let lines = ''
  const folder = folderOf(installation)
  for await (const { key } of blobs.list(folder, `${folder}${time.slice(0, 10)}/${time}`)) {
    if (!key.endsWith('.jsonl')) continue
    const blob = await blobs.read(key)
    if (blob) lines += await text(blob.body)
  }
  return lines
}

const markOf = (installation: string) => `${folderOf(installation)}mark.json`

/** Notes in the store when the service was last at work on the books of this installation. Throws StorageUnavailable. */
export async function writeMark(blobs: Pick<BlobStore, 'write'>, mark: { id: string; time: Date }): Promise<void> {
  const json = JSON.stringify({ alive_time: mark.time.toISOString() })
  await blobs.write(markOf(mark.id), Buffer.from(json), { contentType: 'application/json' })
}

/**
 * When the service was last at work on the books of this installation; null where the store does not say, or none is configured.
 * Throws StorageUnavailable where it does not answer, which says nothing.
 */
export async function readMark(blobs: Pick<BlobStore, 'read'>, id: string): Promise<Date | null> {
  const blob = await blobs.read(markOf(id)).catch((error: unknown) => {
    if (error instanceof NoStore) return null
    throw error
  })
  const json = await blob?.body.toArray().catch((cause: Error) => {
    throw new StorageUnavailable(`the blob store broke off: ${cause.message}`, { cause })
  })
  return json ? aliveTimeIn(Buffer.concat(json as Buffer[]).toString()) : null
}

function aliveTimeIn(json: string): Date | null {
  try {
    const time = new Date((JSON.parse(json) as { alive_time?: string }).alive_time ?? '')
    return Number.isNaN(time.getTime()) ? null : time
  } catch {
    return null
  }
}
