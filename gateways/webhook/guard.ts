// Decides by scheme and address which URLs webhooks may be sent to.
import { isIP } from 'node:net'
import { isPublic, isWithin, rangesOf } from './addresses.ts'
import { canBePublic, isLocalhost, whyNoName } from './host-names.ts'

export interface GuardOptions {
  /** Address ranges that may be called although they are not public. */
  allowCidrs: readonly string[]
  /** Whether http is allowed at all; with ranges in `allowCidrs`, only in these (decisions §10). */
  allowHttp: boolean
}

export interface Guard {
  /** Whether an address may be connected to under this protocol ('https:' or 'http:'). */
  mayCall(address: string, protocol: string): boolean
  /** Those of the addresses of a name that may be connected to; null when the name may not be called. */
  toCall(hostname: string, addresses: readonly string[], protocol: string): string[] | null
  /** Why a URL is refused, as a message; checked without DNS. Null where nothing is wrong with it. */
  whyNot(url: URL): string | null
}

/** Makes a guard. Throws an Error where a range in `allowCidrs` is invalid. */
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
      // All addresses of localhost are this machine's own, so one family may be allowed without the other.
      const callable = addresses.filter((address) => mayCall(address, protocol))
      if (isLocalhost(hostname)) return callable.length > 0 ? callable : null
      // One blocked address among several blocks the name, because such a name is probably an attack.
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
      // Without allowed ranges such a name cannot have an allowed address; with them, its addresses decide.
      if (allowCidrs.length === 0 && !canBePublic(url.hostname)) return notPublic(url.hostname)
      return null
    },
  }
}

// A public address is refused only for its scheme.
const whyNotAddress = (address: string) =>
  isPublic(address)
    ? 'The URL must begin with https://.'
    : `The address ${address} is not public; webhooks are sent to public addresses only.`

const shortened = (name: string) => (name.length > 100 ? `${name.slice(0, 100)}...` : name)

/** The message for a name that cannot exist on the public internet. */
export function notPublic(hostname: string): string {
  return `The name ${hostname} cannot be public; use a name of the public internet.`
}

/** The literal address in a URL, or null for a name. `new URL` has folded decimal, octal and hexadecimal forms. */
export function addressIn(url: URL): string | null {
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  return isIP(host) === 0 ? null : host
}
