// Checks the target and the Host of a request, because the router makes a URL of them and throws if that fails.
import type { IncomingMessage } from 'node:http'
import { fault, type Fault } from '../../domain/faults.ts'
import { MAX_HEADERS } from './bounds.ts'

// RFC 9112, section 3.2: a name, an IPv4 address or an IPv6 address in brackets, and a port.
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+,;=%-]*)(?::\d{0,5})?$/i
const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i
// Paths that a URL parser would change: with a backslash, `.` or `..`.
const NEEDS_RESOLVING = /\\|\/(?:\.|%2e)/i

/**
 * The Fault of a request with too many headers, or an invalid Host or target; null if they are valid. Replaces a target
 * with scheme and authority by its path, and resolves `.` and `..` in it, so that later code sees one form only.
 */
export function checkTarget(request: IncomingMessage): Fault | null {
  if (request.rawHeaders.length >= 2 * MAX_HEADERS) {
    return fault('request.too_large', { status: 431, message: `The request has ${MAX_HEADERS} headers or more.` })
  }
  return checkHost(request) ?? checkPath(request)
}

function checkHost({ headers, httpVersion, rawHeaders }: IncomingMessage): Fault | null {
  if (headers.host === undefined) return httpVersion === '1.1' ? malformed('The header Host is missing.') : null
  if (!isHost(headers.host)) return malformed('The header Host is not a name or an address, with an optional port.')
  const times = rawHeaders.filter(
    (name, place) => place % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host',
  ).length
  return times > 1 ? malformed('The header Host is sent more than once.') : null
}

function checkPath(request: IncomingMessage): Fault | null {
  const { url: target = '' } = request
  let path = target
  if (!target.startsWith('/')) {
    if (target === '*')
      return request.method === 'OPTIONS' ? null : malformed('The request target * is only allowed with OPTIONS.')
    const [, authority, rest = ''] = ABSOLUTE.exec(target) ?? []
    if (!authority || !isHost(authority))
      return malformed('The request target is neither a path nor an http or https URL.')
    path = rest.startsWith('/') ? rest : `/${rest}`
  }
  if (path.includes('#')) return malformed('The request target has a fragment (#).')
  request.url = NEEDS_RESOLVING.test(path) ? resolved(path) : path
  return null
}

// Resolves the path only; the query stays as it was sent.
function resolved(path: string): string {
  const queryStart = path.indexOf('?')
  const end = queryStart < 0 ? path.length : queryStart
  return new URL(`http://localhost${path.slice(0, end)}`).pathname + path.slice(end)
}

const isHost = (host: string) => HOST.test(host) && (host === '' || URL.canParse(`http://${host}/`))

const malformed = (message: string) => fault('request.malformed', { message })
