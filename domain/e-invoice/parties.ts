// Supplier, buyer and place of delivery of an e-invoice.
import { stateOfGstin } from '../gstin.ts'
import { findState, STATES } from '../place-of-supply.ts'
import type { EInvoicePayload } from './payload-shape.ts'
import type { EInvoiceBuyer, EInvoiceSupplier, PostalAddress } from './source.ts'

/** State and PIN code of what lies abroad, and the GSTIN of who has none. */
export const ABROAD = { Stcd: '96', Pin: 999_999 }
const UNREGISTERED = 'URP'

/** A text as NIC takes it: no quotation marks, backslashes or control characters. */
export const plainText = (text: string | null | undefined, longest: number): string =>
  (text ?? '')
    .replaceAll(/["\\\p{Cc}\p{Cs}]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, longest)
    .trim()

/** The two digits of a state; those of the text where it is no state of ours. */
export const gstCodeOf = (state: string): string => STATES.find(({ code }) => code === state)?.gst ?? state.slice(-2)

// A former code, such as 28 of Andhra Pradesh before its division, still begins GSTINs, and the portals compare.
const stateOfRegistration = (gstin: string) => {
  const state = stateOfGstin(gstin)
  return state === null ? gstin.slice(0, 2) : gstCodeOf(state)
}

export function sellerOf({
  gstin,
  name,
  legal_name,
  address,
  city,
  email,
  phone,
}: EInvoiceSupplier): EInvoicePayload['SellerDtls'] {
  return {
    Gstin: gstin ?? '',
    LglNm: plainText(legal_name ?? name, 100),
    ...named('TrdNm', plainText(name, 100)),
    ...placeOf({ ...address, city: city ?? address?.city ?? null }),
    Stcd: gstin ? stateOfRegistration(gstin) : '',
    ...reachedBy(phone, email),
  }
}

export function buyerOf(buyer: EInvoiceBuyer, pos: string): EInvoicePayload['BuyerDtls'] {
  const { gst_no: gstin, contact_name, legal_name, billing_address: address, email, phone } = buyer
  const place = placeOf(address)
  return {
    Gstin: gstin ?? UNREGISTERED,
    LglNm: plainText(legal_name ?? contact_name, 100),
    ...named('TrdNm', plainText(contact_name, 100)),
    Pos: pos,
    ...(gstin ? { ...place, Stcd: stateOfRegistration(gstin) } : { ...place, ...ABROAD }),
    ...reachedBy(phone, email),
  }
}

/** Where the goods leave from; null where that is the supplier's own address, or not wholly known. */
export function dispatchOf({
  name,
  address,
  dispatch_address: from,
}: EInvoiceSupplier): EInvoicePayload['DispDtls'] | null {
  if (!from || sameAddress(from, address)) return null
  const whole = { ...placeOf(from), Stcd: stateOfAddress(from) }
  return isWhole(whole) ? { Nm: plainText(name, 100), ...whole } : null
}

/** Where the goods are delivered; null where that is the buyer's own address, or not wholly known. */
export function deliveryOf(buyer: EInvoiceBuyer, abroad: boolean): EInvoicePayload['ShipDtls'] | null {
  const { shipping_address: address, contact_name } = buyer
  if (!address || sameAddress(address, buyer.billing_address)) return null
  const place = placeOf(address)
  const whole = abroad ? { ...place, ...ABROAD } : { ...place, Stcd: stateOfAddress(address) }
  return isWhole(whole) ? { LglNm: plainText(contact_name, 100), ...whole } : null
}

// Whoever writes an address calls its state as they like.
function stateOfAddress({ state_code }: PostalAddress): string {
  const state = state_code === null ? null : findState(state_code)
  return state === null ? '' : gstCodeOf(state)
}

const isWhole = ({ Addr1, Loc, Pin, Stcd }: { Addr1: string; Loc: string; Pin: number; Stcd: string }) =>
  Addr1 !== '' && Loc.length >= 3 && Pin !== 0 && Stcd !== ''

const sameAddress = (one: PostalAddress, other: Partial<PostalAddress> | null) =>
  one.address === other?.address && one.city === other.city && one.zip === other.zip

// What is longer than the first line goes into the second.
function placeOf(address: Partial<PostalAddress> | null): { Addr1: string; Addr2?: string; Loc: string; Pin: number } {
  const text = plainText(typeof address?.address === 'string' ? address.address : '', 200)
  const rest = text.slice(100).trim()
  const city = typeof address?.city === 'string' ? address.city : ''
  const zip = String(address?.zip ?? '').replaceAll(/\D/g, '')
  return {
    Addr1: text.slice(0, 100).trim(),
    ...(rest.length >= 3 && { Addr2: rest }),
    Loc: plainText(city, 100),
    Pin: /^[1-9]\d{5}$/.test(zip) ? Number(zip) : 0,
  }
}

function reachedBy(phone: string | null, email: string | null): { Ph?: string; Em?: string } {
  const digits = (phone ?? '').replaceAll(/\D/g, '')
  const isMail =
    email !== null && email.length >= 6 && email.length <= 100 && /^[^@\s"\\]+@[^@\s"\\]+\.[^@\s"\\]+$/.test(email)
  return { ...(digits.length >= 6 && digits.length <= 12 && { Ph: digits }), ...(isMail && { Em: email }) }
}

const named = <Name extends string>(name: Name, text: string) =>
  (text.length >= 3 ? { [name]: text } : {}) as { [Of in Name]?: string }
