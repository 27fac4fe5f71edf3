// `npm run password -- --org ID --user EMAIL`: sets the password of a user, read from standard input or else made and printed.
import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { openBooks } from '../commands/books/open-books.ts'
import { setPassword } from '../commands/people/set-password.ts'
import { Fault } from '../domain/faults.ts'
import { openDatabase } from '../models/database.ts'
import { databaseUrl } from './database-url.ts'
import { operator, operatorContext } from './operator.ts'
import { optionsOf } from './options.ts'

const USAGE =
  'Usage: npm run password -- --org ID --user EMAIL < FILE, or without a file: a password is made and printed'

const { org: orgId, user: email } = optionsOf({ org: { type: 'string' }, user: { type: 'string' } }, USAGE)
if (!orgId || !email?.includes('@')) {
  console.error(USAGE)
  process.exit(2)
}

const database = openDatabase({ url: databaseUrl(), pool: 1, name: 'bahi password' })
try {
  // The line of a terminal would stay visible.
  const [sent = ''] = process.stdin.isTTY ? [] : (await text(process.stdin)).split(/\r?\n/)
  const password = sent === '' ? randomBytes(15).toString('base64url') : sent
  await openBooks(operatorContext(database), operator(), (books) => setPassword(books, { orgId, email, password }))
  console.log(sent === '' ? password : 'The password is set, and every session of the user has ended.')
} catch (error) {
  if (!(error instanceof Fault)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  await database.close()
}
