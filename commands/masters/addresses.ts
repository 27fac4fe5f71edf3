// Merges the fields of an address that are sent into the one that is there.
import type { Address } from '../../models/contact.ts'

/** The fields of an address in a body. A field that is left out stays as it is, null clears it. */
export type AddressFields = { [Field in keyof Address]?: Address[Field] | null }

/** The whole address after a change. */
export function mergedAddress(before: Address | null, sent: AddressFields): Address {
  const field = (name: keyof Address) => (sent[name] === undefined ? (before?.[name] ?? null) : sent[name])
  return {
    address: field('address'),
    city: field('city'),
    state_code: field('state_code'),
    zip: field('zip'),
    country: field('country'),
  }
}
