// `npm run audit`: holds the books against their rules, prints what is wrong, and ends with 1 where anything is.
import { openDatabase } from '../models/database.ts'
import { audit } from '../reports/audit.ts'
import { databaseUrl } from './database-url.ts'

// All questions are about one moment, so that the books may be written in meanwhile.
const ONE_MOMENT = { name: 'one moment', text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY' }

const database = openDatabase({ url: databaseUrl(), pool: 1, name: 'bahi audit' })
try {
  const wrong = await database.transaction(async (moment) => {
    await moment.run(ONE_MOMENT, [])
    return audit(moment)
  })
  for (const line of wrong) console.error(line)
  if (wrong.length === 0) console.log('The books are in order.')
  process.exitCode = wrong.length === 0 ? 0 : 1
} finally {
  await database.close()
}
