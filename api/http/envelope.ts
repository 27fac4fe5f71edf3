// The envelope of every answer, and of every refusal.
import { FAULTS, type Fault } from '../../domain/faults.ts'
import { MOST_FIELD, MOST_MESSAGE, shortened } from './problems.ts'
import type { Answer } from './route.ts'

export interface Reply {
  status: number
  headers: Record<string, string>
  body: string
  /** Where the answer is told while it is read: `body` is its beginning, and this what follows. */
  rest?: Rest
}

export interface Rest {
  /** The rows as JSON, a portion at a time, without the list's brackets. */
  texts: AsyncIterable<string>
  closing: string
  /** Aborted when nobody waits for the rest any more. */
  over: AbortController
}

/** `{code: 0, message, <resource_key>: ...}` (specification, "Response envelope"). */
export function success(status: number, { message = 'success', ...resource }: Answer): Reply {
  return { status, headers: {}, body: JSON.stringify({ code: 0, message, ...resource }) }
}

/** The two ends of an answer whose last list is empty: what goes before its rows, and after. */
export function opened(answer: Answer): { opening: string; closing: string } {
  const { body } = success(200, answer)
  const end = /\[\]\}+$/.exec(body)
  if (!end) throw new Error('An answer that is told while it is read ends with an empty list.')
  return { opening: body.slice(0, end.index + 1), closing: body.slice(end.index + 1) }
}

/** The two ends of an answer that has an empty list under this key: what goes before its rows, and after. */
export function openedAt(answer: Answer, key: string): { opening: string; closing: string } {
  const { body } = success(200, answer)
  const place = `${JSON.stringify(key)}:[]`
  const end = body.indexOf(place) + place.length - 1
  return { opening: body.slice(0, end), closing: body.slice(end) }
}

/** `{code, message, field?, details?, errors?, request_id}`; texts that quote the caller are shortened. */
export function refusal(fault: Fault, requestId: string): Reply {
  const { code, details, errors, retryAfter } = fault
  const message = shortened(fault.message, MOST_MESSAGE)
  const field = fault.field === undefined ? undefined : shortened(fault.field, MOST_FIELD)
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
  return {
    status: fault.status, headers, body: JSON.stringify({ code, message, field, details, errors, request_id: requestId }, briefly),
  }
}

const briefly = (_name: string, value: unknown) => (typeof value === 'string' ? shortened(value, MOST_MESSAGE) : value)

/** What GET /errors lists: the very registry that the code throws from. */
export function errorCatalogue(): { code: string; status: number; meaning: string }[] {
  return Object.entries(FAULTS).map(([code, [status, meaning]]) => ({ code, status, meaning }))
}
