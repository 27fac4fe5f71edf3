// Which URLs webhooks may be sent to, judged by scheme and address.
import { isIP } from 'node:net'
import { isPublic, isWithin, rangesOf } from './addresses.ts'

export interface GuardOptions {
  /** Address ranges that are called although they are not public. */
  allowCidrs: readonly string[]
  /** Whether http is called at all; with ranges in `allowCidrs`, only there (decisions §10). */
  allowHttp: boolean
}

export interface Guard {
  /** Whether an address may be connected to under this protocol ('https:' or 'http:'). */
  mayCall(address: string, protocol: string): boolean
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
    whyNot(url) {
      const known = url.protocol === 'https:' || (url.protocol === 'http:' && allowHttp)
      if (!known) return 'The URL must begin with https://.'
      if (url.username !== '' || url.password !== '') return 'The URL must not carry a user name or a password.'
      const address = addressIn(url)
      if (address !== null && !mayCall(address, url.protocol)) return `The address ${address} is not one that is called.`
      return null
    },
  }
}

/** The literal address in a URL, or null for a name. `new URL` has folded decimal, octal and hexadecimal forms. */
export function addressIn(url: URL): string | null {
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  return isIP(host) === 0 ? null : host
}
