// What PostgreSQL refuses, told as the fault it means to the caller.
import { Fault, fault } from '../domain/faults.ts'

const DEADLOCK = '40P01'
const SERIALIZATION = '40001'
const FOREIGN_KEY = '23503'
const UNIQUE = '23505'

// Unique keys that a caller can run into. Each was checked before the deed was written; two calls at once still meet here.
const TAKEN: Record<string, () => Fault> = {
  invoices_org_id_branch_id_invoice_number_key: () =>
    fault('validation.invalid_value', { field: 'invoice_number', message: 'Another invoice of this branch has this number.' }),
  bills_posted_twice: () => fault('validation.invalid_value', {
    field: 'reference_number', message: 'A bill of this vendor, date and total is on the books; another one needs a reference of its own.',
  }),
  organizations_partner_id_external_ref_key: () =>
    fault('validation.duplicate_resource', { field: 'external_ref', message: 'Another organisation of this partner has this external_ref.' }),
  number_series_org_id_branch_id_period_id_series_name_key: () =>
    fault('validation.duplicate_resource', { field: 'series_name', message: 'This branch has a series of this name in the period.' }),
}

interface DatabaseError {
  code?: string
  constraint?: string
}

/**
 * True for a deed that may succeed when it is made anew: a deadlock; a row that it refers to was deleted after it had
 * been read (the next reading misses it and says so); a key that was free when it was read is taken (a number that was
 * sent is refused by the next reading, a series steps over it).
 */
export function isWorthRetrying(error: unknown): boolean {
  const { code, constraint } = causeOf(error)
  if (code === UNIQUE) return constraint !== undefined && constraint in TAKEN
  return code === DEADLOCK || code === SERIALIZATION || code === FOREIGN_KEY
}

/** The fault that a database error means; an error that means none is given back as it is. */
export function asFault(error: unknown): unknown {
  if (error instanceof Fault) return error
  const { code, constraint } = causeOf(error)
  if (code === UNIQUE && constraint && TAKEN[constraint]) return TAKEN[constraint]()
  if (isDatabaseAway(error)) {
    return fault('service.unavailable', { message: 'The database is away; try again.', retryAfter: 2 })
  }
  return error
}

const GONE = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT', 'ENOENT'])

/** True when the server could not be reached, went down, or closed the connection. */
export function isDatabaseAway(error: unknown): boolean {
  const { code } = causeOf(error)
  // Class 08: connection exceptions; 57P01 to 57P03: shut down, crashed, or starting; 53300: too many connections.
  if (code && (GONE.has(code) || code.startsWith('08') || code.startsWith('57P0') || code === '53300')) return true
  const { name, message } = error as Error
  return /^Sequelize(Connection|Host|InvalidConnection|AccessDenied)/.test(name ?? '')
    || /Connection terminated|Client has encountered a connection error|not queryable/.test(message ?? '')
}

// Sequelize wraps the driver's error while it connects.
function causeOf(error: unknown): DatabaseError {
  const wrapped = error as { original?: DatabaseError; parent?: DatabaseError } & DatabaseError
  return wrapped?.original ?? wrapped?.parent ?? wrapped ?? {}
}
