// `npm run partner-key -- --name NAME`: creates a key for a partner, and the partner if the name is new. `npm run partner-key -- list`, `... revoke`.
import { isId } from '../domain/ids.ts'
import { openDatabase } from '../models/database.ts'
import { listedKeys, type ListedKey } from '../models/issued-access.ts'
import { mintPartnerKey, revokePartnerKey } from '../models/partner-key.ts'
import { areTimes, filterOf, isClear, SELECTION, untouched } from './access/selection.ts'
import { databaseUrl } from './database-url.ts'
import { onOneLine } from './one-line.ts'
import { argumentsOf } from './options.ts'
import { keepLines } from './restores/keep-changes.ts'

const USAGE = `Usage: npm run partner-key -- --name NAME
       npm run partner-key -- list [--name NAME] [--created-since TIME] [--created-before TIME] [--valid] [--json]
       npm run partner-key -- revoke KEY_ID...
       npm run partner-key -- revoke [--name NAME] [--created-since TIME] [--created-before TIME] [--all] [--yes]
         lists the valid keys of the partner, of the time or of all; with --yes it revokes them. TIME: 2026-11-23T04:30:00Z`

const { values, positionals } = argumentsOf(
  { name: { type: 'string' }, ...SELECTION, json: { type: 'boolean', default: false } },
  USAGE,
)
const [verb = 'create', ...ids] = positionals
const filter = { partner: values.name ?? null, ...filterOf(values, verb) }
const isRight: Record<string, () => boolean> = {
  create: () => Boolean(values.name?.trim()) && ids.length === 0,
  list: () => ids.length === 0 && areTimes(filter) && !values.all && !values.yes,
  revoke: () => ids.every(isId) && areTimes(filter) && isClear(values, { ids, whose: values.name }),
}
if (!isRight[verb]?.()) {
  console.error(USAGE)
  process.exit(2)
}

const database = openDatabase({ url: databaseUrl(), pool: 1, name: 'bahi partner-key' })
try {
  if (verb === 'list') print(await listedKeys(database, filter))
  else if (verb === 'revoke' && ids.length > 0) await revoke(ids.map((one) => one.toLowerCase()))
  else if (verb === 'revoke') await revokeSelected()
  else console.log(await mintPartnerKey(database, values.name!.trim(), new Date()))
} finally {
  await database.close()
}

function print(keys: ListedKey[]): void {
  for (const key of keys) {
    const { key_id, partner, created_time, last_used_time: used, revoked_time: revoked } = key
    const text = [
      `${key_id}  ${partner}`,
      `created ${created_time.toISOString()}`,
      used ? `last used ${used.toISOString()}` : 'no use known',
      ...(revoked ? [`revoked ${revoked.toISOString()}`] : []),
    ].join(', ')
    console.log(values.json ? JSON.stringify(key) : onOneLine(text))
  }
}

async function revokeSelected(): Promise<void> {
  const keys = await listedKeys(database, filter)
  if (!values.yes) print(keys)
  else await revoke(keys.map(({ key_id }) => key_id))
  console.error(values.yes ? `${keys.length} keys were revoked.` : untouched(`${keys.length} keys are valid`))
}

/** Keeps what it revokes in the security log first, also of those that are revoked already: a run that was broken off is repeated. */
async function revoke(keyIds: string[]): Promise<void> {
  const now = new Date()
  const all = await listedKeys(database, { partner: null, valid: null, since: null, before: null })
  const known = new Set(all.map(({ key_id }) => key_id))
  const found = keyIds.filter((id) => known.has(id))
  const time = now.toISOString()
  await keepLines(
    database,
    found.map((id) => ({ change: 'PARTNER_KEY_REVOKED', id, time })),
  )
  for (const id of found) {
    const revoked = await revokePartnerKey(database, id, now)
    console.log(`${id} is revoked since ${revoked!.toISOString()}.`)
  }
  for (const id of keyIds.filter((id) => !known.has(id))) {
    console.error(`There is no partner key ${id}.`)
    process.exitCode = 1
  }
}
