// The envelope of every answer, and of every refusal.
import { FAULTS, type Fault } from '../../domain/faults.ts'
import type { Answer } from './route.ts'

export interface Reply {
  status: number
  headers: Record<string, string>
  body: string
}

/** `{code: 0, message, <resource_key>: ...}` (specification, "Response envelope"). */
export function success(status: number, { message = 'success', ...resource }: Answer): Reply {
  return { status, headers: {}, body: JSON.stringify({ code: 0, message, ...resource }) }
}

/** `{code, message, field?, details?, errors?, request_id}`. */
export function refusal(fault: Fault, requestId: string): Reply {
  const { code, message, field, details, errors, retryAfter } = fault
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
  return { status: fault.status, headers, body: JSON.stringify({ code, message, field, details, errors, request_id: requestId }) }
}

/** What GET /errors lists: the very registry that the code throws from. */
export function errorCatalogue(): { code: string; status: number; meaning: string }[] {
  return Object.entries(FAULTS).map(([code, [status, meaning]]) => ({ code, status, meaning }))
}
