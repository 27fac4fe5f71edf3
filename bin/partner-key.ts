// `npm run partner-key -- --name NAME`: mints a key for a partner; a partner of a new name is made.
import { parseArgs } from 'node:util'
import { openDatabase } from '../models/database.ts'
import { mintPartnerKey } from '../models/partner-key.ts'

const { values } = parseArgs({ options: { name: { type: 'string' } } })
const url = process.env.DATABASE_URL
if (!values.name?.trim() || !url) {
  console.error('Usage: DATABASE_URL=... npm run partner-key -- --name NAME')
  process.exit(2)
}
const database = openDatabase({ url, pool: 1, name: 'bahi partner-key' })
try {
  console.log(await mintPartnerKey(database, values.name.trim(), new Date()))
} finally {
  await database.close()
}
