// What PostgreSQL refuses, told as the fault that it means to the caller.
import { Fault, fault, type FaultParticulars } from '../../domain/faults.ts'
import { OutcomeUnknown } from '../../models/transaction.ts'

const FOREIGN_KEY = '23503'
// A unique key that is taken, and an exclusion constraint, which is one that compares by more than equality.
const UNIQUE = new Set(['23505', '23P01'])
const STATEMENT_TIMEOUT = '57014'
// Deadlock, serialisation failure, lock timeout: others were at work on the same rows.
const CONTENTION = new Set(['40P01', '40001', '55P03'])

// Unique keys that a caller can run into. Each was checked before the deed was written; two calls at once still meet here.
// What every other constraint means is said, and held against the catalogue, in test/models/constraints.ts.
export const TAKEN: Record<string, FaultParticulars & { code: 'validation.invalid_value' | 'validation.duplicate_resource' }> = {
  invoices_org_id_branch_id_invoice_number_key: {
    code: 'validation.invalid_value', field: 'invoice_number', message: 'Another invoice of this branch has this number.',
  },
  bills_posted_twice: {
    code: 'validation.invalid_value', field: 'reference_number',
    message: 'A bill with the same vendor, date and total is on the books; another one needs a different reference_number.',
  },
  organizations_partner_id_external_ref_key: {
    code: 'validation.duplicate_resource', field: 'external_ref', message: 'Another organisation of this partner has this external_ref.',
  },
  number_series_org_id_branch_id_period_id_series_name_key: {
    code: 'validation.duplicate_resource', field: 'series_name', message: 'This branch already has a series with this name in the period.',
  },
}

interface DatabaseError {
  code?: string
  constraint?: string
  /** The table that a constraint belongs to. */
  table?: string
}

/**
 * True for a deed that may succeed when it is made anew: others held its rows, or held them in a circle; a row that it
 * refers to was deleted after it had been read (the next reading misses it and says so); a row that it deletes was
 * referred to meanwhile (the next reading counts it); a key that was free when it was read is taken (a number that was
 * sent is refused by the next reading, a series steps over it). Never for a commit whose outcome is unknown.
 */
export function isWorthRetrying(error: unknown): boolean {
  if (error instanceof OutcomeUnknown) return false
  const { code, constraint } = causeOf(error)
  if (UNIQUE.has(code ?? '')) return constraint !== undefined && constraint in TAKEN
  return code === FOREIGN_KEY || CONTENTION.has(code ?? '')
}

/**
 * The fault that a database error means; an error that means none is given back as it is. `deletes` says that the deed
 * deletes rows: then a foreign key that refuses tells that one of them is in use, else that a row has vanished.
 */
export function asFault(error: unknown, { deletes = false } = {}): unknown {
  if (error instanceof Fault) return error
  if (error instanceof OutcomeUnknown) return fault('service.unavailable', { message: UNKNOWN, retryAfter: 2 })
  const { code = '', constraint = '', table } = causeOf(error)
  if (UNIQUE.has(code) && TAKEN[constraint]) return fault(TAKEN[constraint].code, TAKEN[constraint])
  if (code === FOREIGN_KEY) return deletes ? inUse(table) : fault('not_found.resource', { message: VANISHED })
  if (isDatabaseAway(error)) return fault('service.unavailable', { message: 'The database is unavailable; try again.', retryAfter: 2 })
  if (CONTENTION.has(code)) return fault('service.unavailable', { message: BUSY, retryAfter: 1 })
  if (code === STATEMENT_TIMEOUT) return fault('service.unavailable', { message: TOO_LONG, retryAfter: 5 })
  if (isUnstorable(code)) return fault('validation.invalid_value', { message: UNSTORABLE, cause: error })
  return error
}

const UNKNOWN = 'The connection to the database was lost while this call was being written; it may have been carried out. '
  + 'Repeat it with the same Idempotency-Key, or check before you send it again.'
const VANISHED = 'A record that this call refers to was deleted meanwhile.'
const BUSY = 'Other calls are changing the same records; try again.'
const TOO_LONG = 'The database took too long for this call; try again.'
const UNSTORABLE = 'A value of this call, or an amount computed from it, is too large or too long to store.'

const inUse = (table: string | undefined) => (
  fault('conflict.in_use', table === undefined ? {} : { details: { referred_to_by: table } })
)

// Class 22 are values that a type cannot hold; 54000: a text too long for its index. Shapes refuse them before; one that
// gets here is told as the caller's, and to the log.
const isUnstorable = (code: string) => code.startsWith('22') || code === '54000'

const GONE = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT', 'ENOENT'])
// 25P03 and 25P04: a transaction that was idle or open for too long was ended with its connection.
const ENDED = new Set(['25P03', '25P04'])

/** True when the server could not be reached, went down, has no room, or closed the connection. */
function isDatabaseAway(error: unknown): boolean {
  const { code } = causeOf(error)
  // Class 08: connection exceptions; 57P01 to 57P03: shut down, crashed, or starting; 53: too many connections, disk or memory full.
  if (code && (GONE.has(code) || ENDED.has(code) || /^(08|57P0|53)/.test(code))) return true
  const { name, message } = error as Error
  return /^Sequelize(Connection|Host|InvalidConnection|AccessDenied)/.test(name ?? '')
    || /Connection terminated|Client has encountered a connection error|not queryable|Query read timeout/.test(message ?? '')
}

// Sequelize wraps the driver's error while it connects.
function causeOf(error: unknown): DatabaseError {
  const wrapped = error as { original?: DatabaseError; parent?: DatabaseError } & DatabaseError
  return wrapped?.original ?? wrapped?.parent ?? wrapped ?? {}
}
