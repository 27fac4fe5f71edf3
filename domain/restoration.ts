// What is done to books that were restored from a backup, so that nothing is given out or said twice.
import { ROLES, type Role } from './roles.ts'

/** The reason with which a skipped number is in the register of gaps. */
export const SKIPPED = 'Skipped after the restore of a backup'

/** What each restore adds to the versions of documents at their next change: more changes than one document has between two backups. */
export const SEQUENCE_JUMP = 1_000

/** The last time that `npm run after-restore` was run: documents that were changed before it grow by `jump` when they change next. */
export interface LastRestore {
  time: Date | null
  jump: number
}

export interface ChangedRecord {
  version: number
  last_modified_time?: Date
  created_time?: Date
}

/** The version after this one; above all that receivers may have seen, where the record is as it was before a restore. */
export function versionAfter(record: ChangedRecord, restore: LastRestore | null): number {
  const changed = record.last_modified_time ?? record.created_time
  const wasRestored = restore?.time && changed && changed < restore.time
  return record.version + 1 + (wasRestored ? restore.jump : 0)
}

/** Numbers that are skipped of a sequence in any case: also one that was idle before the backup may have been used after it. */
const LEAST_SKIPPED = 10

/**
 * How many numbers of a sequence may have been given out after the backup, if at most `peak` were in any earlier stretch of time as
 * long: a stretch may lie across two of those that were counted, and business may grow.
 */
export const numbersToSkip = (peak: number): number => 3 * peak + LEAST_SKIPPED

/** A change of who may do what, which a restore of an older backup would undo. */
export type AccessChange =
  | { change: 'TOKEN_REVOKED'; org_id: string; id: string; time: string }
  | { change: 'PARTNER_KEY_REVOKED'; id: string; time: string }
  | { change: 'ORGANIZATION_STATUS'; org_id: string; status: 'ACTIVE' | 'SUSPENDED'; time: string }
  | { change: 'OAUTH_CLIENT_REVOKED' | 'OAUTH_CONSENT_WITHDRAWN'; id: string; time: string }
  /** `role` is null for a member who was removed. */
  | { change: 'MEMBER'; org_id: string; id: string; role: Role | null; time: string }

/**
 * A line of the security log: a change that is about to be made, which is noted first so that none is lost; or that such a change was
 * not made after all.
 */
export type AccessLine = AccessChange | { not_made: AccessChange }

/** In the order in which they were made; of a member the last one alone, because one that was removed may have joined again. */
export function changesToRepeat(changes: readonly AccessChange[]): AccessChange[] {
  const ordered = changes.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time))
  const last = new Map(ordered.map((one) => [memberOf(one), one]))
  return ordered.filter((one) => one.change !== 'MEMBER' || last.get(memberOf(one)) === one)
}

const memberOf = (one: AccessChange) => (one.change === 'MEMBER' ? `${one.org_id}/${one.id}` : null)

/** The changes that were made, in lines of JSON as the security log and the logs of processes have them; other lines are left out. */
export function accessChangesIn(text: string): AccessChange[] {
  const lines = text.split('\n').flatMap((line) => {
    if (!line.includes('"change"')) return []
    try {
      const read = JSON.parse(line) as { access_change?: AccessLine }
      return [read.access_change ?? (read as unknown as AccessLine)]
    } catch {
      return []
    }
  })
  const notMade = new Set(lines.flatMap((line) => ('not_made' in line ? [JSON.stringify(line.not_made)] : [])))
  return lines.filter((line) => isAccessChange(line) && !notMade.has(JSON.stringify(line))) as AccessChange[]
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const OF_AN_ID = new Set(['PARTNER_KEY_REVOKED', 'OAUTH_CLIENT_REVOKED', 'OAUTH_CONSENT_WITHDRAWN'])

function isAccessChange(found: Partial<Record<string, unknown>>): boolean {
  const isId = (value: unknown) => typeof value === 'string' && ID.test(value)
  if (Number.isNaN(Date.parse(String(found.time)))) return false
  if (found.change === 'TOKEN_REVOKED') return isId(found.org_id) && isId(found.id)
  if (OF_AN_ID.has(String(found.change))) return isId(found.id)
  if (found.change === 'MEMBER')
    return isId(found.org_id) && isId(found.id) && [...ROLES, null].includes(found.role as Role | null)
  return (
    found.change === 'ORGANIZATION_STATUS' &&
    isId(found.org_id) &&
    ['ACTIVE', 'SUSPENDED'].includes(String(found.status))
  )
}

/** What a database says of where and when the service ran on it. */
export interface MarksOfDatabase {
  /** The server, database and timeline that the service ran on; null before a worker has noted it. */
  server: string | null
  /** Those that it is on now. */
  current: string
  /** When the service last ran on it. */
  alive_time: Date | null
  /** Set while `npm run after-restore` is under way. */
  restore_begun_time: Date | null
}

/** The marks inside and outside of the database are written one after the other, once a minute. */
const APART_MS = 300_000
const ADVICE =
  'run npm run after-restore, or npm run after-restore -- --nothing-lost where nothing was lost, as by a planned fail-over (docs/running.md, "After a restore")'

/**
 * Why a database looks restored while `npm run after-restore` has not been run, in a sentence; null where it does not. `seenAlive` is
 * when the service last ran on these books, as it was noted outside of the database.
 */
export function signOfRestore(
  { server, current, alive_time: alive, restore_begun_time: begun }: MarksOfDatabase,
  seenAlive: Date | null,
): string | null {
  if (begun !== null) return `npm run after-restore was begun at ${begun.toISOString()} and broken off: run it again`
  if (server !== null && server !== current)
    return `The database was restored, promoted or moved since the service last ran on it: ${ADVICE}`
  if (!isBehind(alive, seenAlive)) return null
  return `The database is as of ${alive!.toISOString()}, but the service ran until ${seenAlive!.toISOString()}: ${ADVICE}`
}

/** For so long after a restore it may turn out that the backup was the wrong one. */
const SETTLED_MS = 7 * 86_400_000

/** Whether the books look restored, or were restored so recently that another backup may yet take their place. */
export function maySeeAnotherRestore(
  marks: MarksOfDatabase & { restored_time: Date | null },
  seenAlive: Date | null,
  now: Date,
): boolean {
  const restored = marks.restored_time
  return (
    signOfRestore(marks, seenAlive) !== null || (restored !== null && now.getTime() - restored.getTime() < SETTLED_MS)
  )
}

/**
 * Whether it is certain that the books are not as the service left them: they are in another database, or behind the note outside of
 * it. A new timeline alone says nothing, because a standby that was promoted may have lost nothing.
 */
export function isSurelyRestored(
  { server, current, alive_time: alive, restore_begun_time: begun }: MarksOfDatabase,
  seenAlive: Date | null,
): boolean {
  const isElsewhere = server !== null && databaseIn(server) !== databaseIn(current)
  return begun !== null || isElsewhere || isBehind(alive, seenAlive)
}

/**
 * Whether the note outside is needed to know that the books are not behind it: the service has run on them, but not within the last
 * minutes. Books on which it has just run cannot be behind by more.
 */
export const needsNoteOutside = ({ alive_time: alive }: Pick<MarksOfDatabase, 'alive_time'>, now: Date): boolean =>
  alive !== null && now.getTime() - alive.getTime() > APART_MS

const isBehind = (alive: Date | null, seenAlive: Date | null): boolean =>
  alive !== null && seenAlive !== null && seenAlive.getTime() - alive.getTime() > APART_MS

/** Without the timeline. */
const databaseIn = (server: string): string => server.slice(0, server.lastIndexOf('/'))
