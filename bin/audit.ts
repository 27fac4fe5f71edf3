// `npm run audit`: holds the books against their rules, prints what is wrong, and ends with 1 where anything is.
import { openDatabase } from '../models/database.ts'
import { audit } from '../reports/audit.ts'
import { databaseUrl } from './database-url.ts'

const database = openDatabase({ url: databaseUrl(), pool: 1, name: 'bahi audit' })
try {
  const wrong = await audit(database)
  for (const line of wrong) console.error(line)
  if (wrong.length === 0) console.log('The books are in order.')
  process.exitCode = wrong.length === 0 ? 0 : 1
} finally {
  await database.close()
}
