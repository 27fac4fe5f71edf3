// `npm run partner-key -- --name NAME`: creates a key for a partner, and the partner if the name is new.
import { openDatabase } from '../models/database.ts'
import { mintPartnerKey } from '../models/partner-key.ts'
import { databaseUrl } from './database-url.ts'
import { optionsOf } from './options.ts'

const USAGE = 'Usage: npm run partner-key -- --name NAME'

const values = optionsOf({ name: { type: 'string' } }, USAGE)
if (!values.name?.trim()) {
  console.error(USAGE)
  process.exit(2)
}
const database = openDatabase({ url: databaseUrl(), pool: 1, name: 'bahi partner-key' })
try {
  console.log(await mintPartnerKey(database, values.name.trim(), new Date()))
} finally {
  await database.close()
}
