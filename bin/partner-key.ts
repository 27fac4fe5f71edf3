// `npm run partner-key -- --name NAME`: creates a key for a partner, and the partner if the name is new. `npm run partner-key -- list`, `... revoke ID`.
import { isId } from '../domain/ids.ts'
import { openDatabase } from '../models/database.ts'
import { listedKeys } from '../models/issued-access.ts'
import { mintPartnerKey, revokePartnerKey } from '../models/partner-key.ts'
import { databaseUrl } from './database-url.ts'
import { argumentsOf } from './options.ts'
import { keepingContext } from './restores/keep-changes.ts'

const USAGE = `Usage: npm run partner-key -- --name NAME
       npm run partner-key -- list [--json]
       npm run partner-key -- revoke KEY_ID...`

const { values, positionals } = argumentsOf(
  { name: { type: 'string' }, json: { type: 'boolean', default: false } },
  USAGE,
)
const [verb = 'create', ...ids] = positionals
const isRight: Record<string, () => boolean> = {
  create: () => Boolean(values.name?.trim()) && ids.length === 0,
  list: () => ids.length === 0,
  revoke: () => ids.length > 0 && ids.every(isId),
}
if (!isRight[verb]?.()) {
  console.error(USAGE)
  process.exit(2)
}

const database = openDatabase({ url: databaseUrl(), pool: 1, name: 'bahi partner-key' })
try {
  if (verb === 'list') await list()
  else if (verb === 'revoke') await revoke()
  else console.log(await mintPartnerKey(database, values.name!.trim(), new Date()))
} finally {
  await database.close()
}

async function list(): Promise<void> {
  for (const key of await listedKeys(database)) {
    const { key_id, partner, created_time, last_used_time: used, revoked_time: revoked } = key
    const text = [
      `${key_id}  ${partner}`,
      `created ${created_time.toISOString()}`,
      used ? `last used ${used.toISOString()}` : 'no use known',
      ...(revoked ? [`revoked ${revoked.toISOString()}`] : []),
    ].join(', ')
    console.log(values.json ? JSON.stringify(key) : text)
  }
}

async function revoke(): Promise<void> {
  const { keep, kept } = keepingContext(database)
  for (const id of ids.map((one) => one.toLowerCase())) {
    const revoked = await revokePartnerKey(database, id, new Date())
    if (revoked) keep([{ change: 'PARTNER_KEY_REVOKED', id, time: revoked.toISOString() }])
    if (revoked) console.log(`${id} is revoked since ${revoked.toISOString()}.`)
    else console.error(`There is no partner key ${id}.`)
    if (!revoked) process.exitCode = 1
  }
  await kept()
}
