// `npm run preferences -- --org ID [--file preferences.json]`: prints an organisation's preferences, or changes them first.
import { readFileSync } from 'node:fs'
import { validateBody } from '../api/http/validate.ts'
import { PreferenceChangesBody, preferenceChanges, showPreferences } from '../api/shapes/preferences.ts'
import { openBooks } from '../commands/books/open-books.ts'
import { changePreferences, readPreferences } from '../commands/organizations/preferences.ts'
import { Fault } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import { openDatabase } from '../models/database.ts'
import { databaseUrl } from './database-url.ts'
import { operator, operatorContext } from './operator.ts'
import { onOneLine } from './one-line.ts'
import { optionsOf } from './options.ts'

const USAGE = 'Usage: npm run preferences -- --org ID [--file preferences.json]'

const values = optionsOf({ org: { type: 'string' }, file: { type: 'string' } }, USAGE)
const orgId = values.org?.toLowerCase() ?? ''
if (!isId(orgId)) {
  console.error(USAGE)
  process.exit(2)
}

const database = openDatabase({ url: databaseUrl(), pool: 1, name: 'bahi preferences' })
try {
  if (values.file !== undefined) await change(values.file)
  console.log(JSON.stringify(showPreferences(await readPreferences({ connection: database, orgId })), null, 2))
} catch (error) {
  if (!(error instanceof Fault || error instanceof SyntaxError || isOfFile(error))) throw error
  console.error(error.message)
  for (const { field, message } of error instanceof Fault ? (error.errors ?? []) : [])
    console.error(`${field} ${message}`)
  process.exitCode = 1
} finally {
  await database.close()
}

// Such as a file that is not there, or that this user may not read.
function isOfFile(error: unknown): error is NodeJS.ErrnoException {
  return ['open', 'read'].includes((error as NodeJS.ErrnoException).syscall ?? '')
}

async function change(file: string): Promise<void> {
  const body = JSON.parse(readFileSync(file, 'utf8')) as Parameters<typeof preferenceChanges>[0]
  validateBody(PreferenceChangesBody, body)
  const changes = preferenceChanges(body)
  await openBooks(operatorContext(database), operator(), async (books) => {
    books.enter(orgId)
    await changePreferences(books, changes)
    for (const { message } of books.warnings) console.error(`Warning: ${onOneLine(message)}`)
  })
}
