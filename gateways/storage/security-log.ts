// The security log: revocations and suspensions, kept in the blob store, because a database that is restored does not know them.
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { Logger } from 'pino'
import { accessChangesIn, type AccessChange } from '../../domain/restoration.ts'
import { type BlobStore, NoStore, StorageUnavailable } from './blobs.ts'

export interface SecurityLog {
  /** Writes the changes to the log of the process at once, and to the store a moment later. Never throws, and nobody waits for it. */
  note(changes: readonly AccessChange[]): void
  /** Writes what the store does not have yet, once. */
  close(): Promise<void>
}

const FOLDER = 'security-log/'
const REST_MS = 1_000
const TRY_AGAIN_MS = 15_000
/** More than that is left to the log of the process while the store is away. */
const MOST_WAITING = 10_000

/** Without a store (`blobs` null), the log of the process alone has the changes. */
export function createSecurityLog(
  blobs: Pick<BlobStore, 'write'> | null,
  log: Logger,
  { clock, installation }: { clock: () => Date; installation: () => Promise<{ id: string }> },
): SecurityLog {
  let waiting: AccessChange[] = []
  let timer: NodeJS.Timeout | undefined
  const later = (ms: number) => {
    timer ??= setTimeout(() => void flush(), ms)
    timer.unref()
  }

  async function flush(): Promise<void> {
    timer = undefined
    const changes = waiting
    waiting = []
    if (blobs === null || changes.length === 0) return
    try {
      await writeChanges(blobs, (await installation()).id, changes, clock())
    } catch (error) {
      log.warn({ err: (error as Error).message }, 'the security log could not be written; it is tried again')
      waiting = [...changes, ...waiting].slice(-MOST_WAITING)
      later(TRY_AGAIN_MS)
    }
  }

  return {
    note(changes) {
      for (const change of changes) log.info({ access_change: change }, 'access changed')
      if (blobs === null) return
      waiting = [...waiting, ...changes].slice(-MOST_WAITING)
      later(REST_MS)
    },
    async close() {
      clearTimeout(timer)
      await flush()
      clearTimeout(timer)
    },
  }
}

const folderOf = (installation: string) => `${FOLDER}${installation}/`

/** A blob of their own for these changes of an installation. Throws StorageUnavailable. */
export async function writeChanges(
  blobs: Pick<BlobStore, 'write'>,
  installation: string,
  changes: readonly AccessChange[],
  now: Date,
): Promise<void> {
  const lines = changes.map((change) => `${JSON.stringify(change)}\n`).join('')
  const time = now.toISOString()
  const key = `${folderOf(installation)}${time.slice(0, 10)}/${time}-${randomUUID()}.jsonl`
  await blobs.write(key, Buffer.from(lines), { contentType: 'application/jsonl' })
}

/** The changes that were noted since this time. Throws StorageUnavailable. */
export async function changesSince(
  blobs: Pick<BlobStore, 'read' | 'list'>,
  installation: string,
  since: Date,
): Promise<AccessChange[]> {
  const time = since.toISOString()
  const found: AccessChange[] = []
  const folder = folderOf(installation)
  for await (const { key } of blobs.list(folder, `${folder}${time.slice(0, 10)}/${time}`)) {
    if (!key.endsWith('.jsonl')) continue
    const blob = await blobs.read(key)
    if (blob) found.push(...accessChangesIn(await text(blob.body)))
  }
  return found
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
