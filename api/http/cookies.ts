// The cookie of a session: how it is read from a request and how it is set.
import type { IncomingMessage } from 'node:http'

export const SESSION_COOKIE = 'bahi_session'
const SECRET = /^[A-Za-z0-9_-]{43}$/

/** How the service is reached: by https outside of loopback, and by which origin. */
export interface Site {
  /** Scheme, host and port, as browsers send them. */
  origin: string
  /** False on loopback over http, where browsers would keep no secure cookie. */
  isSecure: boolean
}

export function siteOf(publicUrl: string): Site {
  const { origin, protocol, hostname } = new URL(publicUrl)
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
  return { origin, isSecure: protocol === 'https:' || !isLoopback }
}

/** The most different cookies of our name that are looked at; each costs a query. */
const MOST_SECRETS = 4

/**
 * The different secrets in cookies of our name, without what has not the form of one. A browser sends several where another site of
 * the same domain has set one; more than MOST_SECRETS are none.
 */
export function secretsIn({ headers }: IncomingMessage): string[] {
  const values = (headers.cookie ?? '').split(';').flatMap((pair) => {
    const [name = '', value = ''] = pair.split('=', 2)
    return name.trim() === SESSION_COOKIE ? [value.trim()] : []
  })
  const secrets = [...new Set(values)].filter((value) => SECRET.test(value))
  return secrets.length > MOST_SECRETS ? [] : secrets
}

/** The header that gives the browser the secret, for so many seconds; without one, it takes the cookie away. */
export function setCookie({ isSecure }: Site, secret: string | null, seconds = 0): Record<string, string> {
  const flags = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${secret === null ? 0 : seconds}${isSecure ? '; Secure' : ''}`
  return { 'Set-Cookie': `${SESSION_COOKIE}=${secret ?? ''}; ${flags}` }
}

/**
 * Whether a page of our own sends the request (decisions §12). Browsers say so in one of these headers, and pages cannot
 * set them.
 */
export function isOwnPage({ headers }: IncomingMessage, { origin }: Site): boolean {
  return headers['sec-fetch-site'] === 'same-origin' || headers.origin === origin
}

/** Whether a page of another site sends it. Programs that are no browsers send neither header. */
export function isForeignPage(request: IncomingMessage, site: Site): boolean {
  const { 'sec-fetch-site': fetched, origin } = request.headers
  return (fetched !== undefined || origin !== undefined) && !isOwnPage(request, site)
}
