// The redirect URIs of OAuth clients: which may be registered, and whether one that is sent is a registered one.

export const MAX_REDIRECT_URIS = 10
export const MAX_REDIRECT_URI = 1_000

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?(?=[/?]|$)/
// Schemes of native apps have a dot, as domain names turned round do (RFC 8252 §7.1).
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\/(?!\/)/

// Labels as RFC 1123 §2.1 has them, so `.`, `a..b` and `xn--` are no hosts.
const HOST =
  /^https:\/\/((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*)(?::\d{1,5})?(?=[/?]|$)/
const MAX_HOST = 253
// What the answer itself says, and an app might read in the registered query instead.
const OF_ANSWERS = new Set(['code', 'state', 'iss', 'error', 'error_description', 'error_uri'])

/** What is wrong with a redirect URI, in words; null where it can be registered. */
export function redirectUriProblem(uri: string, isPublic: boolean): string | null {
  if (uri.length > MAX_REDIRECT_URI) return `is longer than ${MAX_REDIRECT_URI} characters`
  if (!/^[\x21-\x7e]+$/.test(uri) || /["<>\\^`{|}*]/.test(uri)) return 'has characters that a URI cannot have'
  if (uri.includes('#')) return 'has a fragment'
  const own = [...new URLSearchParams(/\?(.*)$/.exec(uri)?.[1] ?? '').keys()].find((name) =>
    OF_ANSWERS.has(name.toLowerCase()),
  )
  if (own !== undefined) return `has the parameter ${own}, which the answer has itself`
  if (PRIVATE_SCHEME.test(uri)) return isPublic ? null : 'has a scheme that only public clients may use'
  if (!URL.canParse(uri)) return 'is no absolute URI'
  const { protocol, hostname, username, password } = new URL(uri)
  if (username !== '' || password !== '') return 'has credentials'
  if (protocol === 'http:' && LOOPBACK.test(uri)) return null
  if (protocol !== 'https:') return 'is neither https nor http on loopback'
  // What parses to another text could be read as another address by somebody else.
  const isHost = HOST.exec(uri)?.[1] === hostname && hostname.length <= MAX_HOST
  return isHost ? null : 'has no host as host names are written'
}

/** Whether it is one of the registered ones, character by character; on loopback, the port may differ (RFC 8252 §7.3). */
export function isRegistered(registered: readonly string[], sent: string): boolean {
  return registered.some((one) => one === sent || (LOOPBACK.test(one) && withoutPort(one) === withoutPort(sent)))
}

// A port that no URL can have stays, so that it matches nothing.
const withoutPort = (uri: string) =>
  LOOPBACK.test(uri) && URL.canParse(uri) ? uri.replace(/^(http:\/\/(?:\[::1\]|[^:/?]+)):\d{1,5}/, '$1') : uri

/** The redirect URI with the parameters of an answer; its own query stays as it is. */
export function withAnswer(uri: string, answer: Record<string, string>): string {
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(answer).toString()}`
}

/** What a Content-Security-Policy calls the place that the URI leads to; it has no word for an IPv6 address but its scheme. */
export function sourceOf(uri: string): string {
  if (PRIVATE_SCHEME.test(uri)) return `${uri.slice(0, uri.indexOf(':'))}:`
  const { origin, protocol, hostname } = new URL(uri)
  return hostname.startsWith('[') ? protocol : origin
}
