// Reads the parameters of OAuth requests: forms and queries in which no parameter comes twice.
import type { IncomingMessage } from 'node:http'
import { readBody } from '../http/body.ts'
import { OAuthFault } from './refusals.ts'

const FORM_LIMIT = 32_768
const FORM_MS = 10_000

/** The parameters of a query or form. `repeatable` may come several times, and is left to `all`. Throws invalid_request. */
export function parametersOf(sent: URLSearchParams, repeatable: string[] = []): Record<string, string> {
  const parameters: Record<string, string> = Object.create(null)
  for (const [name, value] of sent) {
    if (repeatable.includes(name)) continue
    if (name in parameters) throw new OAuthFault('invalid_request', 'A parameter is sent more than once.')
    // A parameter without a value is as if it were not there (RFC 6749 §3.1).
    if (value !== '') parameters[name] = value
  }
  return parameters
}

/** The form of a request. Throws invalid_request for a body that is none, and what readBody throws. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const [type] = (request.headers['content-type'] ?? '').split(';')
  if (type?.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
    throw new OAuthFault('invalid_request', 'The body must be sent as application/x-www-form-urlencoded.')
  const bytes = await readBody(request, FORM_LIMIT, FORM_MS)
  return new URLSearchParams(bytes.toString('utf8'))
}
