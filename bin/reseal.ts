// `npm run reseal`: seals the secrets of endpoints and of e-invoicing anew under the first key of ENCRYPTION_KEY. Exits with 1 where one cannot be read.
import { resealSecrets } from '../commands/webhooks/reseal.ts'
import { openDatabase } from '../models/database.ts'
import { operatorSettings } from './operator-settings.ts'

const { databaseUrl, encryptionKey } = operatorSettings()
const database = openDatabase({ url: databaseUrl, pool: 1, name: 'bahi reseal' })
try {
  const { current, resealed, unreadable } = await resealSecrets(database, encryptionKey, new Date())
  console.log(
    `${resealed} secrets of endpoints and of e-invoicing were encrypted with the first key; ${current} were already.`,
  )
  if (unreadable.length > 0) {
    console.log(`No key of ENCRYPTION_KEY reads the secrets of ${unreadable.length} of them: ${unreadable.join(', ')}`)
    process.exitCode = 1
  }
} finally {
  await database.close()
}
