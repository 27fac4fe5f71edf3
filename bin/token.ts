// `npm run token -- --org ID --user EMAIL [--scopes a,b] [--tier partner] [--expires 90d]`: creates a personal access token.
import { openBooks } from '../commands/books/open-books.ts'
import { mintUserToken } from '../commands/organizations/tokens.ts'
import { Fault } from '../domain/faults.ts'
import { openDatabase } from '../models/database.ts'
import { databaseUrl } from './database-url.ts'
import { operatorContext, operator } from './operator.ts'
import { optionsOf } from './options.ts'

const USAGE =
  'Usage: npm run token -- --org ID --user EMAIL [--scopes Svc.invoices.READ,...] [--tier default|partner] [--expires 90d]'
const DAY_MS = 86_400_000

const values = optionsOf(
  {
    org: { type: 'string' },
    user: { type: 'string' },
    scopes: { type: 'string' },
    tier: { type: 'string', default: 'default' },
    expires: { type: 'string' },
  },
  USAGE,
)
const days = values.expires === undefined ? null : /^(\d{1,5})d$/.exec(values.expires)?.[1]
const tier = { default: 'DEFAULT', partner: 'PARTNER' }[values.tier.toLowerCase()] as 'DEFAULT' | 'PARTNER' | undefined
if (!values.org || !values.user?.includes('@') || days === undefined || tier === undefined) {
  console.error(USAGE)
  process.exit(2)
}

const database = openDatabase({ url: databaseUrl(), pool: 1, name: 'bahi token' })
try {
  const expires = days === null ? null : new Date(Date.now() + Number(days) * DAY_MS)
  const issued = await openBooks(operatorContext(database), operator(), (books) =>
    mintUserToken(books, {
      orgId: values.org!,
      email: values.user!,
      scopes: values.scopes?.split(',').map((scope) => scope.trim()) ?? null,
      tier,
      expires,
    }),
  )
  console.log(issued.secret)
} catch (error) {
  if (!(error instanceof Fault)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  await database.close()
}
