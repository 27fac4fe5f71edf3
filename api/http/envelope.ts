// The JSON envelope of successful and refused calls.
import type { Readable } from 'node:stream'
import { FAULTS, type Fault } from '../../domain/faults.ts'
import { MAX_FIELD, MAX_MESSAGE, shortened } from './problems.ts'
import { Rendered } from './rendered.ts'
import { HEADERS, type Answer } from './route.ts'

export interface Reply {
  status: number
  headers: Record<string, string>
  body: string
  /** Set for a streamed answer: `body` is its beginning, and this is the rest. */
  rest?: Rest
  /** Set for an answer that is a file: `body` is empty. */
  file?: FileBody
}

export interface Rest {
  /** The rows as JSON, a portion at a time, without the list's brackets. */
  texts: AsyncIterable<string>
  closing: string
  /** Aborted when the rest is no longer needed. */
  over: AbortController
}

/** The content of a reply, which is none for a redirection. */
export interface FileBody {
  content: Buffer | Readable | null
  /** Aborted when the content is no longer needed. */
  over: AbortController
}

/** `{code: 0, message, <resource_key>: ...}` (specification, "Response envelope"). */
export function success(status: number, { message = 'success', [HEADERS]: headers, ...resource }: Answer): Reply {
  const [[key, value] = [], ...others] = Object.entries(resource)
  const body =
    value instanceof Rendered && others.length === 0
      ? `{"code":0,"message":${JSON.stringify(message)},${JSON.stringify(key)}:${value.json}}`
      : JSON.stringify({ code: 0, message, ...resource })
  return { status, headers: { ...headers }, body }
}

/** The text of an answer before and after the rows of its last list, which must be empty. */
export function opened(answer: Answer): { opening: string; closing: string } {
  const { body } = success(200, answer)
  const end = /\[\]\}+$/.exec(body)
  if (!end) throw new Error('An answer that is told while it is read ends with an empty list.')
  return { opening: body.slice(0, end.index + 1), closing: body.slice(end.index + 1) }
}

/** The text of an answer before and after the rows of the list under this key, which must be empty. */
export function openedAt(answer: Answer, key: string): { opening: string; closing: string } {
  const { body } = success(200, answer)
  const place = `${JSON.stringify(key)}:[]`
  const end = body.indexOf(place) + place.length - 1
  return { opening: body.slice(0, end), closing: body.slice(end) }
}

/** `{code, message, field?, details?, errors?, request_id}`; texts that quote the caller are shortened. */
export function refusal(fault: Fault, requestId: string): Reply {
  const { code, details, errors, retryAfter } = fault
  const message = shortened(fault.message, MAX_MESSAGE)
  const field = fault.field === undefined ? undefined : shortened(fault.field, MAX_FIELD)
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
  return {
    status: fault.status,
    headers,
    body: JSON.stringify({ code, message, field, details, errors, request_id: requestId }, shortenTexts),
  }
}

const shortenTexts = (_name: string, value: unknown) =>
  typeof value === 'string' ? shortened(value, MAX_MESSAGE) : value

/** The codes that GET /errors lists: the registry from which the code throws. */
export function errorCatalogue(): { code: string; status: number; meaning: string }[] {
  return Object.entries(FAULTS).map(([code, [status, meaning]]) => ({ code, status, meaning }))
}
