// `npm run after-restore`: what has to be done once after a restore, before the service runs on the restored books; and what to tell whom.
import { readFileSync } from 'node:fs'
import { afterRestore, type RestoreInput } from '../commands/restores/after-restore.ts'
import { isId } from '../domain/ids.ts'
import { accessChangesIn, signOfRestore, type AccessChange } from '../domain/restoration.ts'
import { openBlobStore } from '../gateways/storage/azure-blobs.ts'
import { StorageUnavailable } from '../gateways/storage/blobs.ts'
import { linesSince, readMark } from '../gateways/storage/security-log.ts'
import { openDatabase } from '../models/database.ts'
import { hasOtherKey, installationOf, WRONG_KEY } from '../models/installation.ts'
import { connectedProcesses, endRestore, restoreMarks } from '../models/restoration.ts'
import { lastTimeOfBooks } from '../models/skipped-numbers.ts'
import { storageOf } from '../settings.ts'
import { operatorContext, operator } from './operator.ts'
import { operatorSettings } from './operator-settings.ts'
import { optionsOf, timeOf } from './options.ts'
import { keepLines } from './restores/keep-changes.ts'
import { reportText } from './restores/report.ts'
import { takeNamespace } from './restores/take-namespace.ts'

const USAGE = `Usage: npm run after-restore [-- OPTIONS]
  --failed-at TIME           when the service stopped on the books that are lost, such as 2026-11-23T04:30:00Z; otherwise what the blob store says, or now
  --skip N                   how many numbers of every sequence are skipped; otherwise what the month before suggests
  --security-log FILE        logs of the API since the backup, for the revocations and suspensions in them; also several times
  --without-store            also where the blob store, with the security log, is lost or does not answer
  --suspend ORG_ID           suspends an organisation that was suspended since the backup; also several times
  --nothing-lost             only notes that the database is another one now, after a fail-over or a move that lost nothing
  --take-namespace           also makes Temporal serve this database in the place of the one that it served; alone where nothing else is to do
  --again                    also where it was run already, or where nothing looks restored
  --beside-running           also while processes of the service are connected
  --json                     prints the report as JSON`

const values = optionsOf(
  {
    'failed-at': { type: 'string' },
    skip: { type: 'string' },
    'security-log': { type: 'string', multiple: true, default: [] },
    suspend: { type: 'string', multiple: true, default: [] },
    'nothing-lost': { type: 'boolean', default: false },
    'take-namespace': { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    'without-store': { type: 'boolean', default: false },
    'beside-running': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  USAGE,
)
const MOST_SKIP = 1_000_000
/** The backup may have begun that long before its last entry. */
const EARLIER_MS = 24 * 3_600_000

const skip = values.skip === undefined ? null : Number(values.skip)
const failedAt = timeOf(values['failed-at'])
if (
  (skip !== null && !(Number.isInteger(skip) && skip >= 0 && skip <= MOST_SKIP)) ||
  Number.isNaN(failedAt?.getTime()) ||
  !values.suspend.every(isId)
) {
  console.error(USAGE)
  process.exit(2)
}

const settings = operatorSettings()
const hasStore = settings.azureStorageConnectionString !== null && !values['without-store']
const blobs = hasStore ? openBlobStore(storageOf(settings)) : null
const database = openDatabase({ url: settings.databaseUrl, pool: 1, name: 'bahi after-restore', answerMs: 0 })
try {
  process.exitCode = await run(new Date())
} catch (error) {
  if (!(error instanceof StorageUnavailable)) throw error
  console.error(
    `The blob store, with the security log, cannot be read (${(error.cause as Error).message}). Nothing was done. Without it: --without-store`,
  )
  process.exitCode = 1
} finally {
  await database.close()
}

async function run(now: Date): Promise<0 | 1> {
  await installationOf(database)
  if (await hasOtherKey(database, settings.encryptionKey)) return refuse(WRONG_KEY)
  const marks = (await restoreMarks(database))!
  if (values['nothing-lost']) {
    if (marks.restore_begun_time !== null) return refuse(signOfRestore(marks, null)!)
    await endRestore(database)
    console.log('The service runs on this database from now on.')
    return takeIfAsked()
  }
  const seenAlive = blobs && (await readMark(blobs, marks.id))
  const sign = signOfRestore(marks, seenAlive)
  const isWhole = sign === null && marks.server !== null && !values.again
  if (isWhole && values['take-namespace']) return takeIfAsked()
  const running = await connectedProcesses(database)
  if (running.length > 0 && !values['beside-running'])
    return refuse(
      `Processes of the service are connected: ${running.join(', ')}. Stop them first, or add --beside-running.`,
    )
  // A backup of an earlier version has no marks.
  if (isWhole) {
    const before = marks.restored_time ? ` after-restore was run at ${marks.restored_time.toISOString()}.` : ''
    return refuse(`This database does not look restored.${before} To run it all the same, add --again.`)
  }
  const lost = await lostTime(marks.alive_time, seenAlive, now)
  const { changes, sources } = await changesOf(marks.id, lost.from, now)
  const done = await afterRestore(operatorContext(database), operator(), { lost, skip, changes })
  const report = { ...done, lost, sources }
  console.log(values.json ? JSON.stringify(report, null, 2) : reportText(report))
  return takeIfAsked()
}

async function takeIfAsked(): Promise<0 | 1> {
  return values['take-namespace'] ? takeNamespace(settings, database) : 0
}

function refuse(why: string): 1 {
  console.error(why)
  return 1
}

async function lostTime(aliveTime: Date | null, seenAlive: Date | null, now: Date): Promise<RestoreInput['lost']> {
  const last = await lastTimeOfBooks(database)
  const from = new Date(Math.max(last?.getTime() ?? 0, aliveTime?.getTime() ?? 0) || now.getTime())
  // The store was told a minute before the failure at the latest.
  const to =
    failedAt ?? (seenAlive && seenAlive > from ? new Date(Math.min(seenAlive.getTime() + 60_000, now.getTime())) : now)
  return { from, to: to > from ? to : from }
}

/** What is known of revocations and suspensions since, and where from. What the store does not have yet is kept there. */
async function changesOf(
  installation: string,
  from: Date,
  now: Date,
): Promise<{ changes: AccessChange[]; sources: string[] }> {
  const since = new Date(from.getTime() - EARLIER_MS)
  const isSince = ({ time }: AccessChange) => Date.parse(time) >= since.getTime()
  const stored = blobs ? await linesSince(blobs, installation, since) : ''
  const sources = [...(blobs ? ['the security log in the blob store'] : []), ...values['security-log']]
  const time = now.toISOString()
  const suspended: AccessChange[] = values.suspend.map((org_id) => ({
    change: 'ORGANIZATION_STATUS',
    org_id,
    status: 'SUSPENDED',
    time,
  }))
  const given = values['security-log'].map((file) => readFileSync(file, 'utf8'))
  const changes = [...accessChangesIn([stored, ...given].join('\n')).filter(isSince), ...suspended]
  const known = new Set(accessChangesIn(stored).map((change) => JSON.stringify(change)))
  const added = changes.filter((change) => !known.has(JSON.stringify(change)))
  await keepLines(database, hasStore ? added : suspended)
  return { changes, sources }
}
