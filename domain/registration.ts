// Checks the registration of a business: GSTIN, PAN, state, currency, time zone.
import { isCurrency } from './currencies.ts'
import { isZone, zoneName } from './dates.ts'
import { fault } from './faults.ts'
import { isGstin, isPan, panOfGstin, stateOfGstin } from './gstin.ts'
import { findState } from './place-of-supply.ts'

interface Registration {
  gstin: string | null
  pan: string | null
  state_code: string | null
}

/**
 * An organisation's GSTIN, PAN and state in canonical form. The GSTIN gives the state, and the PAN where none is sent.
 * Throws validation.invalid_value, with the field, for an invalid value, or a state that is not the GSTIN's.
 */
export function checkedRegistration(sent: { [Field in keyof Registration]?: string | null }): Registration {
  const gstin = sent.gstin?.trim().toUpperCase() || null
  if (gstin !== null && !isGstin(gstin))
    throw refused('gstin', 'This is not a valid GSTIN: its shape or check character is wrong.')
  const pan = checkedPan(sent.pan) ?? (gstin === null ? null : panOfGstin(gstin))
  const named = sent.state_code ? checkedState(sent.state_code, 'state_code') : null
  const registered = gstin === null ? null : stateOfGstin(gstin)
  if (named !== null && registered !== null && named !== registered) {
    throw refused('state_code', `The GSTIN belongs to ${registered}.`)
  }
  return { gstin, pan, state_code: registered ?? named }
}

/** The PAN in upper case, null where none is sent. Throws validation.invalid_value, field pan. */
export function checkedPan(sent: string | null | undefined): string | null {
  const pan = sent?.trim().toUpperCase() || null
  if (pan === null || isPan(pan)) return pan
  throw refused('pan', 'A PAN is five letters, four digits and a letter.')
}

/** The canonical code of the state. Throws validation.invalid_value with the field. */
export function checkedState(sent: string, field: string): string {
  const state = findState(sent)
  if (state === null) throw refused(field, 'This is not a state of India.')
  return state
}

/** The code of the currency. Throws validation.invalid_value, field currency_code, for one that is not in ISO 4217. */
export function checkedCurrency(code: string): string {
  if (isCurrency(code)) return code
  throw refused('currency_code', `${code} is not an ISO 4217 currency code.`)
}

/** The canonical name of the time zone. Throws validation.invalid_value, field time_zone. */
export function checkedZone(zone: string): string {
  if (!isZone(zone)) throw refused('time_zone', 'This is not a time zone of the IANA database.')
  return zoneName(zone)
}

const refused = (field: string, message: string) => fault('validation.invalid_value', { field, message })
