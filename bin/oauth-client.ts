// `npm run oauth-client -- --name NAME --redirect-uri URI`: registers an OAuth client. `npm run oauth-client -- list`, `... revoke`.
import { openBooks } from '../commands/books/open-books.ts'
import { registerClient, revokeClient } from '../commands/oauth/clients.ts'
import { Fault } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import { openDatabase } from '../models/database.ts'
import { listedClients, type ListedClient } from '../models/oauth-client.ts'
import { databaseUrl } from './database-url.ts'
import { onOneLine } from './one-line.ts'
import { operator, operatorContext } from './operator.ts'
import { keepingContext } from './restores/keep-changes.ts'
import { argumentsOf } from './options.ts'

const USAGE = `Usage: npm run oauth-client -- --name NAME --redirect-uri URI [--redirect-uri URI ...] [--public]
       npm run oauth-client -- list [--json]
       npm run oauth-client -- revoke CLIENT_ID...`

const { values, positionals } = argumentsOf(
  {
    name: { type: 'string' },
    'redirect-uri': { type: 'string', multiple: true },
    public: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  USAGE,
)
const [verb = 'create', ...ids] = positionals
const uris = values['redirect-uri'] ?? []
const isRight: Record<string, () => boolean> = {
  create: () => Boolean(values.name?.trim()) && uris.length > 0 && ids.length === 0,
  list: () => ids.length === 0,
  revoke: () => ids.length > 0 && ids.every(isId),
}
if (!isRight[verb]?.()) {
  console.error(USAGE)
  process.exit(2)
}

const database = openDatabase({ url: databaseUrl(), pool: 1, name: 'bahi oauth-client' })
try {
  if (verb === 'list') await list()
  else if (verb === 'revoke') await revoke()
  else await create()
} catch (error) {
  if (!(error instanceof Fault)) throw error
  console.error(error.field === undefined ? error.message : `${error.field}: ${error.message}`)
  process.exitCode = 1
} finally {
  await database.close()
}

async function create(): Promise<void> {
  const client = { name: values.name!, redirectUris: uris, isPublic: values.public }
  const { row, secret } = await openBooks(operatorContext(database), operator(), (books) =>
    registerClient(books, client),
  )
  console.log(JSON.stringify({ client_id: row.id, client_secret: secret }))
}

async function list(): Promise<void> {
  for (let after: string | null = null; ; ) {
    const page: ListedClient[] = await listedClients(database, after)
    for (const client of page) console.log(values.json ? JSON.stringify(client) : onOneLine(lineOf(client)))
    after = page.at(-1)?.id ?? null
    if (after === null) return
  }
}

function lineOf({ id, name, owner, redirect_uris, is_public, created_time, revoked_time }: ListedClient): string {
  return [
    `${id}  ${name}`,
    owner === null ? 'registered by the operator' : `registered by ${owner}`,
    is_public ? 'public' : 'confidential',
    redirect_uris.join(' '),
    `created ${created_time.toISOString()}`,
    ...(revoked_time ? [`revoked ${revoked_time.toISOString()}`] : []),
  ].join(', ')
}

async function revoke(): Promise<void> {
  for (const id of ids) {
    try {
      const client = await openBooks(await keepingContext(database), operator(), (books) =>
        revokeClient(books, id.toLowerCase()),
      )
      console.log(`${client.id} is revoked since ${client.revoked_time!.toISOString()}.`)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      console.error(`There is no OAuth client ${id}.`)
      process.exitCode = 1
    }
  }
}
