// Addresses of mail as a mail server takes them: what is accepted from callers, and how it is sent.

const LONGEST = 254
// Without quotes, comments and spaces: what providers take, and nothing by which a header could be ended.
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const NEVER_IN_DOMAIN = /[\s/\\:?#@%[\]]/

/**
 * The address as it is sent: the domain in lower case, and an international one (`मेल.भारत`) in its ASCII form, as domain name
 * servers know it. The part before the @ stays as it is, for its case may matter. Null for text that is no address.
 */
export function mailAddress(text: string): string | null {
  const at = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)]
  if (at < 1 || local.length > 64 || text.length > LONGEST || !LOCAL_PART.test(local)) return null
  const host = asciiDomain(domain)
  return host === null || local.length + host.length >= LONGEST ? null : `${local}@${host}`
}

export const isMailAddress = (text: string): boolean => mailAddress(text) !== null

function asciiDomain(domain: string): string | null {
  if (domain === '' || NEVER_IN_DOMAIN.test(domain) || !URL.canParse(`http://${domain}`)) return null
  const host = new URL(`http://${domain}`).hostname
  const labels = host.split('.')
  // A name of numbers alone is an address of the Internet Protocol, which is not a mail domain.
  // `.invalid` is never a name (RFC 2606): an owner without an address has one there.
  const isName =
    labels.length > 1 &&
    labels.at(-1) !== 'invalid' &&
    labels.every((label) => LABEL.test(label)) &&
    /[a-z]/.test(labels.at(-1)!)
  return isName && host.length <= 253 ? host : null
}

/** By which two addresses are the same recipient: mailboxes that differ in case alone do not exist in practice. */
export const recipientKey = (address: string): string => address.toLowerCase()
