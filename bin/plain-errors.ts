// Tells an operator in one line what no command can do anything about: the database is away, or is not migrated.
import type { DatabaseError } from 'pg'
import { MigrationFailed } from '../models/locks-awaited.ts'

const UNREACHABLE = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOENT',
  'EPIPE',
]

const ROLES =
  'Migrations run as the owner of the tables, and grant SERVICE_ROLE the rest (docs/running.md, "The roles in PostgreSQL")'

/** From now on such errors are printed as one line, and end the process with 1; any other with its stack, as before. */
export function explainErrors(databaseUrl: string): void {
  process.on('uncaughtException', (error) => {
    console.error(lineOf(error, databaseUrl) ?? error)
    process.exit(1)
  })
}

type Failure = Partial<DatabaseError> & { errors?: Error[]; parent?: Failure; cause?: unknown }

function lineOf(error: Error, databaseUrl: string): string | null {
  if (error instanceof MigrationFailed) return error.message
  const failure = ((error as Failure).parent ?? error) as Failure
  const { code = '', message = '' } = failure
  const why = message || failure.errors?.map((one) => one.message).join('; ') || code
  const server = serverOf(databaseUrl)
  // Class 08: no connection; 57P: the server shuts down or starts; 53: it has no room for another connection.
  if (UNREACHABLE.includes(code) || /^(08|57P|53)/.test(code) || /terminated|timeout expired/i.test(why))
    return `PostgreSQL does not answer at ${server}: ${why}`
  // Class 28: the user or the password; 3D000: there is no such database.
  if (/^28|^3D/.test(code)) return `PostgreSQL at ${server} refuses: ${why}`
  if (code === '42501') return `PostgreSQL at ${server} refuses: ${why}. ${ROLES}`
  if (code === '42P01' || code === '42703')
    return `The schema is not that of this version (${why}): run npm run migrate`
  // What Temporal answers where it cannot be reached.
  if (error.name === 'ServiceError' || /^Temporal does not answer/.test(why)) return `Temporal does not answer: ${why}`
  return null
}

// Without the password.
function serverOf(databaseUrl: string): string {
  const { host, pathname, searchParams } = new URL(databaseUrl)
  return `${host || searchParams.get('host') || 'localhost'}${pathname}`
}
