// `npm run token -- --org ID --user EMAIL`: creates a personal access token. `npm run token -- list`: those of organisations. `npm run token -- revoke`.
import { openBooks } from '../commands/books/open-books.ts'
import { revokeToken } from '../commands/organizations/access.ts'
import { mintUserToken } from '../commands/organizations/tokens.ts'
import { Fault } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import { openDatabase } from '../models/database.ts'
import { listedTokens, organizationOfToken, type ListedToken } from '../models/issued-access.ts'
import { areTimes, filterOf, isClear, SELECTION, untouched } from './access/selection.ts'
import { databaseUrl } from './database-url.ts'
import { operator, operatorContext } from './operator.ts'
import { onOneLine } from './one-line.ts'
import { argumentsOf } from './options.ts'
import { keepingContext, keepLines } from './restores/keep-changes.ts'

const USAGE = `Usage: npm run token -- --org ID --user EMAIL [--scopes Svc.invoices.READ,...] [--tier default|partner] [--expires 90d]
       npm run token -- list [--org ID] [--created-since TIME] [--created-before TIME] [--valid] [--json]
       npm run token -- revoke TOKEN_ID...
       npm run token -- revoke [--org ID] [--created-since TIME] [--created-before TIME] [--all] [--yes]
         lists the valid tokens of the organisation, of the time or of all; with --yes it revokes them. TIME: 2026-11-23T04:30:00Z`
const DAY_MS = 86_400_000

const { values, positionals } = argumentsOf(
  {
    org: { type: 'string' },
    user: { type: 'string' },
    scopes: { type: 'string' },
    tier: { type: 'string', default: 'default' },
    expires: { type: 'string' },
    ...SELECTION,
    json: { type: 'boolean', default: false },
  },
  USAGE,
)
const [verb = 'create', ...ids] = positionals
const days = values.expires === undefined ? null : /^(\d{1,5})d$/.exec(values.expires)?.[1]
const tier = { default: 'DEFAULT', partner: 'PARTNER' }[values.tier.toLowerCase()] as 'DEFAULT' | 'PARTNER' | undefined
const filter = { orgId: values.org ?? null, ...filterOf(values, verb) }
const isOfOrganization = () => values.org === undefined || isId(values.org)
const isRight: Record<string, () => boolean> = {
  create: () =>
    Boolean(values.org) &&
    Boolean(values.user?.includes('@')) &&
    days !== undefined &&
    tier !== undefined &&
    ids.length === 0,
  list: () => ids.length === 0 && isOfOrganization() && areTimes(filter) && !values.all && !values.yes,
  revoke: () =>
    ids.every(isId) && isOfOrganization() && areTimes(filter) && isClear(values, { ids, whose: values.org }),
}
if (!isRight[verb]?.()) {
  console.error(USAGE)
  process.exit(2)
}

const database = openDatabase({ url: databaseUrl(), pool: 1, name: 'bahi token' })
try {
  if (verb === 'list') await list()
  else if (verb === 'create') await create()
  else if (ids.length > 0) await revoke(ids.map((one) => one.toLowerCase()))
  else await revokeSelected()
} catch (error) {
  if (!(error instanceof Fault)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  await database.close()
}

async function create(): Promise<void> {
  const expires = days == null ? null : new Date(Date.now() + Number(days) * DAY_MS)
  const issued = await openBooks(await keepingContext(database), operator(), (books) =>
    mintUserToken(books, {
      orgId: values.org!,
      email: values.user!,
      scopes: values.scopes?.split(',').map((scope) => scope.trim()) ?? null,
      tier: tier!,
      expires,
    }),
  )
  console.log(issued.secret)
}

/** In pages, so that there may be any number of them. */
async function* selected(): AsyncGenerator<ListedToken[]> {
  for (let after: ListedToken | null = null; ; ) {
    const page: ListedToken[] = await listedTokens(database, filter, after)
    yield page
    after = page.at(-1) ?? null
    if (after === null) return
  }
}

async function list(): Promise<void> {
  for await (const page of selected()) print(page)
}

function print(tokens: ListedToken[]): void {
  for (const token of tokens) console.log(values.json ? JSON.stringify(token) : onOneLine(lineOf(token)))
}

async function revokeSelected(): Promise<void> {
  let found = 0
  for await (const page of selected()) {
    found += page.length
    if (!values.yes) print(page)
    else await revoke(page.map(({ token_id }) => token_id))
  }
  console.error(values.yes ? `${found} tokens were revoked.` : untouched(`${found} tokens are valid`))
}

function lineOf({ token_id, org_id, organization, user, partner, kind, tier, scopes, ...times }: ListedToken): string {
  const { created_time, last_used_time: used, expires_time: expires, revoked_time: revoked } = times
  return [
    `${token_id}  ${org_id} ${organization}`,
    partner === null ? (user ?? 'no user') : `partner ${partner}`,
    `${kind} ${tier} ${scopes.join(',')}`,
    `created ${created_time.toISOString()}`,
    used ? `last used ${used.toISOString()}` : 'no use known',
    ...(expires ? [`expires ${expires.toISOString()}`] : []),
    ...(revoked ? [`revoked ${revoked.toISOString()}`] : []),
  ].join(', ')
}

/** Keeps what it revokes in the security log first, also of those that are revoked already: a run that was broken off is repeated. */
async function revoke(tokenIds: string[]): Promise<void> {
  const now = new Date()
  const found: { orgId: string; id: string }[] = []
  for (const id of tokenIds) {
    const orgId = await organizationOfToken(database, id)
    if (orgId !== null) found.push({ orgId, id })
    else console.error(`There is no token ${id}.`)
    if (orgId === null) process.exitCode = 1
  }
  const time = now.toISOString()
  await keepLines(
    database,
    found.map(({ orgId, id }) => ({ change: 'TOKEN_REVOKED', org_id: orgId, id, time })),
  )
  for (const one of found) {
    const token = await openBooks(operatorContext(database), operator(), (books) => revokeToken(books, one, now))
    console.log(`${one.id} is revoked since ${token!.revoked_time!.toISOString()}.`)
  }
}
