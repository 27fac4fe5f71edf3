// `npm run reseal [-- --lost-key]`: seals the secrets of endpoints and of e-invoicing anew under the first key of ENCRYPTION_KEY. Exits with 1 where one cannot be read.
import { resealSecrets } from '../commands/webhooks/reseal.ts'
import { openDatabase } from '../models/database.ts'
import { resealSample, unfitKey } from '../models/installation.ts'
import { operatorSettings } from './operator-settings.ts'
import { optionsOf } from './options.ts'

const USAGE = 'Usage: npm run reseal [-- --lost-key]'

const { 'lost-key': isLost } = optionsOf({ 'lost-key': { type: 'boolean', default: false } }, USAGE)
const { databaseUrl, encryptionKey } = operatorSettings()
const database = openDatabase({ url: databaseUrl, pool: 1, name: 'bahi reseal' })
try {
  const unfit = await unfitKey(database, encryptionKey)
  if (unfit !== null && !isLost) {
    console.log(unfit)
    process.exitCode = 1
  } else process.exitCode = await reseal(unfit !== null)
} finally {
  await database.close()
}

async function reseal(isLost: boolean): Promise<0 | 1> {
  const { current, resealed, unreadable } = await resealSecrets(database, encryptionKey, new Date())
  // The sample last: until then the command can be repeated with the keys that it had.
  await resealSample(database, encryptionKey)
  console.log(
    `${resealed} secrets of endpoints and of e-invoicing were encrypted with the first key; ${current} were already.`,
  )
  if (isLost) console.log('From now on the first key is that of the database, and processes with it start.')
  if (unreadable.length === 0) return 0
  console.log(`No key of ENCRYPTION_KEY reads the secrets of ${unreadable.length} of them: ${unreadable.join(', ')}`)
  return 1
}
