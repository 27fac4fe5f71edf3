// The registry of faults: every error code of the API, with its usual status and its meaning.

/** A problem of one field in a body whose shape is wrong (decisions §1, `422 validation.failed`). */
export interface FieldProblem {
  field: string
  code: string
  message: string
}

export const FAULTS = {
  'auth.invalid_token': [401, 'The token is missing, invalid, expired or revoked.'],
  'authn.token_invalid': [401, 'The token is missing, invalid, expired or revoked (activity calls).'],
  'auth.insufficient_scope': [403, 'The token lacks the scope that this call requires.'],
  'authz.scope_missing': [403, 'The token lacks the scope activity.READ (activity calls).'],
  'authz.organization_suspended': [403, 'The organisation is suspended; its tokens are not accepted.'],
  'not_found.resource': [404, 'There is no such record in this organisation.'],
  'not_found.route': [404, 'There is no such path.'],
  'request.method_not_allowed': [405, 'The path exists, but not with this method.'],
  'request.malformed': [400, 'The request is not valid HTTP.'],
  'request.timeout': [408, 'The request did not arrive in time.'],
  'request.malformed_json': [400, 'The body is not JSON.'],
  'request.unsupported_media_type': [415, 'The body must be sent as application/json.'],
  'request.too_large': [413, 'The body is larger than this call accepts.'],
  'validation.failed': [422, 'The body has the wrong shape; `errors` lists every problem.'],
  'validation.invalid_value': [400, 'A value has the right shape but is not acceptable.'],
  'validation.required_field': [400, 'A value that this call requires is missing.'],
  'validation.duplicate_resource': [409, 'A record like this one already exists.'],
  'conflict.invalid_state': [409, 'The document is in a state that does not allow this call.'],
  'conflict.already_cancelled': [409, 'The document is already cancelled.'],
  'conflict.invoice_paid': [409, 'A paid invoice cannot be voided; delete its payment first.'],
  'conflict.bill_paid': [409, 'A paid bill cannot be voided; delete its payment first.'],
  'conflict.credit_applied': [409, 'A credit has been applied, so this call is not possible.'],
  'conflict.e_invoice_registered': [
    409,
    'The IRN of the document is older than 24 hours and can no longer be cancelled.',
  ],
  'conflict.allocated': [409, 'The payment is allocated; its amount cannot be changed.'],
  'conflict.already_converted': [409, 'The document has already been converted; `details` names the target.'],
  'conflict.in_use': [409, 'Other records refer to this one; `details` counts them.'],
  'conflict.limit_reached': [409, 'The organisation has reached the limit for records of this kind.'],
  'gone.cursor': [410, 'The change feed does not have all events after this cursor; `details.reason` says why.'],
  'idempotency.key_required': [400, 'This call requires the header Idempotency-Key.'],
  'idempotency.in_progress': [409, 'Another request with this Idempotency-Key is still running.'],
  'rate_limit.exceeded': [429, 'Too many requests; wait for the number of seconds in Retry-After.'],
  'email.send_failed': [502, 'The mail provider refused the message or did not respond.'],
  'storage.upload_failed': [502, 'The object store refused the upload; it is safe to send it again.'],
  'pdf.render_failed': [502, 'The PDF engine could not render the document, and is not asked again for ten minutes.'],
  'service.unavailable': [
    503,
    'A service that this call depends on is unavailable; try again after Retry-After seconds.',
  ],
  'internal.error': [500, 'An internal error occurred; nothing was written.'],
} as const satisfies Record<string, readonly [status: number, meaning: string]>

export type FaultCode = keyof typeof FAULTS

export interface FaultParticulars {
  message?: string
  field?: string
  details?: Record<string, unknown>
  errors?: FieldProblem[]
  /** Set where the specification gives the code another status than its usual one. */
  status?: number
  /** Seconds for the header Retry-After. */
  retryAfter?: number
  /** The unexpected error that this fault replaces; it is logged. */
  cause?: unknown
}

/** A refusal that is answered to the caller, in the envelope of the specification's section "Errors". */
export class Fault extends Error {
  readonly code: FaultCode
  readonly status: number
  readonly field: string | undefined
  readonly details: Record<string, unknown> | undefined
  readonly errors: FieldProblem[] | undefined
  readonly retryAfter: number | undefined

  constructor(code: FaultCode, particulars: FaultParticulars = {}) {
    super(particulars.message ?? FAULTS[code][1], { cause: particulars.cause })
    this.name = 'Fault'
    this.code = code
    this.status = particulars.status ?? FAULTS[code][0]
    this.field = particulars.field
    this.details = particulars.details
    this.errors = particulars.errors
    this.retryAfter = particulars.retryAfter
  }
}

/** conflict.invalid_state is made by invalidState alone, so that its details are always complete. */
type PlainCode = Exclude<FaultCode, 'conflict.invalid_state'>

/** Makes the Fault to throw: `throw fault('conflict.in_use', { message: 'Documents refer to this contact.' })`. */
export function fault(code: PlainCode, particulars: FaultParticulars = {}): Fault {
  return new Fault(code, particulars)
}

/** The Fault of a record that the organisation does not have: `There is no such invoice.` `field` is its field in a body. */
export function notFound(noun: string, field?: string): Fault {
  return fault('not_found.resource', {
    message: `There is no such ${noun}.`,
    ...(field === undefined ? {} : { field }),
  })
}

/**
 * The Fault of a call that a state does not allow. `details` always has the `status` (null for a record without one)
 * and the statuses in which the call is `allowed`; `more` are further causes (decisions §11).
 */
export function invalidState(
  message: string,
  status: string | null,
  allowed: readonly string[],
  more: Record<string, unknown> = {},
): Fault {
  return new Fault('conflict.invalid_state', { message, details: { status, allowed: [...allowed], ...more } })
}
