// Translates errors of PostgreSQL into the faults that they mean to the caller.
import { Fault, fault, type FaultParticulars } from '../../domain/faults.ts'
import { OutcomeUnknown } from '../../models/transaction.ts'

const FOREIGN_KEY = '23503'
// unique_violation and exclusion_violation (a unique constraint with other operators than equality).
const UNIQUE = new Set(['23505', '23P01'])
const STATEMENT_TIMEOUT = '57014'
// Deadlock, serialisation failure, lock timeout: other transactions are changing the same rows.
const CONTENTION = new Set(['40P01', '40001', '55P03'])

// The unique constraints that a caller can violate. Commands check each before they write; two calls at once can still both pass.
// test/models/constraints.ts classifies every other constraint, and compares the list with the catalogue of the database.
export const TAKEN: Record<
  string,
  FaultParticulars & { code: 'validation.invalid_value' | 'validation.duplicate_resource' }
> = {
  invoices_org_id_branch_id_invoice_number_key: {
    code: 'validation.invalid_value',
    field: 'invoice_number',
    message: 'Another invoice of this branch has this number.',
  },
  bills_posted_twice: {
    code: 'validation.invalid_value',
    field: 'reference_number',
    message:
      'A bill with the same vendor, date and total is on the books; another one needs a different reference_number.',
  },
  organizations_partner_id_external_ref_key: {
    code: 'validation.duplicate_resource',
    field: 'external_ref',
    message: 'Another organisation of this partner has this external_ref.',
  },
  people_email: {
    code: 'validation.duplicate_resource',
    field: 'user.email',
    message: 'Other calls are adding a user with this address; try again.',
  },
  branches_org_id_code_key: {
    code: 'validation.duplicate_resource',
    field: 'code',
    message: 'Another branch has this code.',
  },
  cost_centers_org_id_code_key: {
    code: 'validation.duplicate_resource',
    field: 'code',
    message: 'Another cost center has this code.',
  },
  users_email: {
    code: 'validation.duplicate_resource',
    field: 'email',
    message: 'This person is becoming a member at this moment.',
  },
  emails_reminder_day: {
    code: 'validation.duplicate_resource',
    message: 'The customer was reminded of this invoice today; the next reminder can be sent tomorrow.',
  },
  number_series_org_id_branch_id_period_id_series_name_key: {
    code: 'validation.duplicate_resource',
    field: 'series_name',
    message: 'This branch already has a series with this name in the period.',
  },
}

interface DatabaseError {
  code?: string
  constraint?: string
  /** The table that a constraint belongs to. */
  table?: string
  /** The function of the server that failed. */
  routine?: string
}

/**
 * True for an error after which the unit of work may succeed when it is run again:
 * - contention: a deadlock, a serialisation failure or a lock timeout;
 * - a foreign key: a row that it refers to was deleted since it was read, or a row that it deletes is referred to since then.
 *   The next run reads again, and succeeds or refuses with the right fault;
 * - a unique key that was free when it was read. The next run refuses a number that was sent; a series takes the next one.
 * False for a commit whose outcome is unknown.
 */
export function isWorthRetrying(error: unknown): boolean {
  if (error instanceof OutcomeUnknown) return false
  const { code, constraint } = causeOf(error)
  if (UNIQUE.has(code ?? '')) return constraint !== undefined && constraint in TAKEN
  return code === FOREIGN_KEY || CONTENTION.has(code ?? '')
}

/**
 * The fault that a database error means; any other error is returned unchanged. `deletes`: the unit of work deletes rows,
 * so a violated foreign key means that one of them is in use; otherwise it means that a row was deleted meanwhile.
 */
export function asFault(error: unknown, { deletes = false } = {}): unknown {
  if (error instanceof Fault) return error
  if (error instanceof OutcomeUnknown) return fault('service.unavailable', { message: UNKNOWN, retryAfter: 2 })
  const { code = '', constraint = '', table } = causeOf(error)
  if (UNIQUE.has(code) && TAKEN[constraint]) return fault(TAKEN[constraint].code, TAKEN[constraint])
  if (code === FOREIGN_KEY) return deletes ? inUse(table) : fault('not_found.resource', { message: VANISHED })
  if (isDatabaseUnavailable(error))
    return fault('service.unavailable', { message: 'The database is unavailable; try again.', retryAfter: 2 })
  if (CONTENTION.has(code)) return fault('service.unavailable', { message: BUSY, retryAfter: 1 })
  if (code === STATEMENT_TIMEOUT) return fault('service.unavailable', { message: TOO_LONG, retryAfter: 5 })
  if (isUnstorable(code)) return fault('validation.invalid_value', { message: UNSTORABLE, cause: error })
  return error
}

const UNKNOWN =
  'The connection to the database was lost while this call was being written; it may have been carried out. ' +
  'Repeat it with the same Idempotency-Key, or check before you send it again.'
const VANISHED = 'A record that this call refers to was deleted meanwhile.'
const BUSY = 'Other calls are changing the same records; try again.'
const TOO_LONG = 'The database took too long for this call; try again.'
const UNSTORABLE = 'A value of this call, or an amount computed from it, is too large or too long to store.'

const inUse = (table: string | undefined) =>
  fault('conflict.in_use', table === undefined ? {} : { details: { referred_to_by: table } })

// Class 22: a value does not fit its type; 54000: a text is too long for its index. The shapes of bodies should refuse them
// earlier, so one that gets here is answered as a client error, and logged with its cause. Errors of other services have numbers.
const isUnstorable = (code: unknown) => typeof code === 'string' && (code.startsWith('22') || code === '54000')

const UNREACHABLE = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT', 'ENOENT'])
// 25P03 and 25P04: the server ended the connection, because its transaction was idle or open for too long.
const ENDED = new Set(['25P03', '25P04'])

// A table that cannot grow, though the disk is not full: a quota or a limit for files. PostgreSQL has no code for it.
const INTERNAL = 'XX000'
const EXTENDING = new Set(['mdextend', 'mdzeroextend'])

/** True when the server cannot be reached, shuts down, is out of resources, or closed the connection. */
function isDatabaseUnavailable(error: unknown): boolean {
  const { code, routine } = causeOf(error)
  if (code === INTERNAL && EXTENDING.has(routine ?? '')) return true
  // Class 08: connection exceptions; 57P01 to 57P03: shut down, crashed, starting up; class 53: too many connections, disk or memory full.
  if (code && (UNREACHABLE.has(code) || ENDED.has(code) || /^(08|57P0|53)/.test(code))) return true
  const { name, message } = error as Error
  return (
    /^Sequelize(Connection|Host|InvalidConnection|AccessDenied)/.test(name ?? '') ||
    // The last: this process shuts down, and has given up what the call still waited for.
    /Connection terminated|Client has encountered a connection error|not queryable|Query read timeout|connection manager was closed/.test(
      message ?? '',
    )
  )
}

// Sequelize wraps the driver's error when connecting fails.
function causeOf(error: unknown): DatabaseError {
  const wrapped = error as { original?: DatabaseError; parent?: DatabaseError } & DatabaseError
  return wrapped?.original ?? wrapped?.parent ?? wrapped ?? {}
}
