// Whether a text is a range of addresses, such as 10.0.0.0/8.
import { isIP } from 'node:net'

/** A single address is a range too; addresses.ts accepts the same form. */
export function isAddressRange(text: string): boolean {
  const [, address = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(address)
  return family !== 0 && Number(bits ?? 0) <= (family === 4 ? 32 : 128)
}
