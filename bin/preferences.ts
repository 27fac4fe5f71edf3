// `npm run preferences -- --org ID`: prints what an organisation has chosen for documents, mail, reminders and e-invoices.
import { parseArgs } from 'node:util'
import { isId } from '../domain/ids.ts'
import { INVOICE_TEMPLATES } from '../domain/preferences.ts'
import { openDatabase } from '../models/database.ts'
import { findPreferences } from '../models/preferences.ts'
import { databaseUrl } from './database-url.ts'

const { values } = parseArgs({ options: { org: { type: 'string' } } })
if (!values.org || !isId(values.org)) {
  console.error('Usage: npm run preferences -- --org ID')
  process.exit(2)
}

const database = openDatabase({ url: databaseUrl(), pool: 1, name: 'bahi preferences' })
try {
  const preferences = await findPreferences({ connection: database, orgId: values.org })
  console.log(JSON.stringify(preferences, null, 2))
  console.log(`Invoice templates: ${INVOICE_TEMPLATES.join(', ')}`)
} finally {
  await database.close()
}
