// Checks host names without DNS: whether they are valid, whether they can be public, and what the hosts file has for them.
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'

// RFC 6761 (localhost), RFC 6762 (local), RFC 8375 (home.arpa), and ICANN's reservation of internal.
const PRIVATE_SUFFIXES = ['.localhost', '.local', '.internal', '.home.arpa']

/** The name in lower case, without a dot at its end. */
export function bareName(name: string): string {
  return (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase()
}

/** True for `localhost` and the names below it, which always mean this machine. */
export function isLocalhost(name: string): boolean {
  const bare = bareName(name)
  return bare === 'localhost' || bare.endsWith('.localhost')
}

/** False for single labels and for names that are reserved for private networks (decisions §11). */
export function canBePublic(name: string): boolean {
  const bare = bareName(name)
  return bare.includes('.') && !PRIVATE_SUFFIXES.some((suffix) => bare.endsWith(suffix) || bare === suffix.slice(1))
}

// RFC 1035 §2.3.4, as text without the dot of the root.
const MAX_NAME = 253
const MAX_LABEL = 63

/**
 * Why a name cannot exist in DNS, as a part of a message; null where it can. Underscores are allowed: RFC 1123 excludes
 * them, but resolvers answer them. The name is as `new URL` returns it: ASCII, with other letters encoded as `xn--...`.
 */
export function whyNoName(name: string): string | null {
  const bare = bareName(name)
  if (bare.length > MAX_NAME) return `is longer than ${MAX_NAME} characters`
  for (const label of bare.split('.')) {
    if (label === '') return 'has an empty label: two dots side by side, or one at its start'
    if (label.length > MAX_LABEL) return `has a label longer than ${MAX_LABEL} characters`
    if (label.startsWith('-') || label.endsWith('-')) return 'has a label that begins or ends with a hyphen'
    if (!/^[a-z0-9_-]+$/.test(label)) return 'has a character other than letters, digits and hyphens'
  }
  return null
}

const HOSTS_FILE = '/etc/hosts'

/** The addresses of each name in a hosts file, in the order of the file; empty where there is no such file. */
export function readHosts(file = HOSTS_FILE): Map<string, string[]> {
  const hosts = new Map<string, string[]>()
  for (const line of textOf(file).split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names.map(bareName)) hosts.set(name, [...(hosts.get(name) ?? []), address])
  }
  return hosts
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
