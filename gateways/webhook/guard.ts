// Which URLs webhooks may be sent to, judged by scheme and address.
import { isIP } from 'node:net'
import { isPublic, isWithin, rangesOf } from './addresses.ts'
import { canBePublic, isLocalhost, whyNoName } from './host-names.ts'

export interface GuardOptions {
  /** Address ranges that are called although they are not public. */
  allowCidrs: readonly string[]
  /** Whether http is called at all; with ranges in `allowCidrs`, only there (decisions §10). */
  allowHttp: boolean
}

export interface Guard {
  /** Whether an address may be connected to under this protocol ('https:' or 'http:'). */
  mayCall(address: string, protocol: string): boolean
  /** Of the addresses that a name has, those to connect to; null when it may not be called. */
  toCall(hostname: string, addresses: readonly string[], protocol: string): string[] | null
  /** What can be said against a URL without asking the name servers, for people; null for nothing. */
  whyNot(url: URL): string | null
}

export function createGuard({ allowCidrs, allowHttp }: GuardOptions): Guard {
  const opened = rangesOf(allowCidrs)

  function mayCall(address: string, protocol: string): boolean {
    if (isWithin(opened, address)) return true
    if (protocol === 'http:' && allowCidrs.length > 0) return false
    return isPublic(address)
  }

  return {
    mayCall,

    toCall(hostname, addresses, protocol) {
      // Its addresses are this machine's own, all of them, so that one family may be opened without the other.
      const callable = addresses.filter((address) => mayCall(address, protocol))
      if (isLocalhost(hostname)) return callable.length > 0 ? callable : null
      // One special address among several refuses them all: whoever serves such names means no good.
      return callable.length === addresses.length ? callable : null
    },

    whyNot(url) {
      const known = url.protocol === 'https:' || (url.protocol === 'http:' && allowHttp)
      if (!known) return 'The URL must begin with https://.'
      if (url.username !== '' || url.password !== '') return 'The URL must not carry a user name or a password.'
      if (url.port === '0') return 'The port must be from 1 to 65535.'
      const address = addressIn(url)
      if (address !== null && !mayCall(address, url.protocol)) return whyNotAddress(address)
      if (address !== null) return null
      const flaw = whyNoName(url.hostname)
      if (flaw !== null) return `The name ${shortened(url.hostname)} ${flaw}; use a valid DNS name.`
      // Where no range is opened, such a name can only lead astray; else its addresses decide.
      if (allowCidrs.length === 0 && !canBePublic(url.hostname)) return notPublic(url.hostname)
      return null
    },
  }
}

// A public one is refused for its scheme alone.
const whyNotAddress = (address: string) => (
  isPublic(address) ? 'The URL must begin with https://.' : `The address ${address} is not public; webhooks are sent to public addresses only.`
)

const shortened = (name: string) => (name.length > 100 ? `${name.slice(0, 100)}...` : name)

/** What is said of a name that leads nowhere on the public internet. */
export function notPublic(hostname: string): string {
  return `The name ${hostname} cannot be public; use a name of the public internet.`
}

/** The literal address in a URL, or null for a name. `new URL` has folded decimal, octal and hexadecimal forms. */
export function addressIn(url: URL): string | null {
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  return isIP(host) === 0 ? null : host
}
