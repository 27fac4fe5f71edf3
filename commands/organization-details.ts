// What an organisation is told of itself, checked: when it is created, and when it is changed.
import { isCurrency } from '../domain/currencies.ts'
import { isZone, zoneName } from '../domain/dates.ts'
import { fault } from '../domain/faults.ts'
import { isGstin, isPan, panOfGstin, stateOfGstin } from '../domain/gstin.ts'
import { findState } from '../domain/place-of-supply.ts'
import { DEFAULT_PREFERENCES } from '../models/organization.ts'

export interface NewOrganization {
  name: string
  legal_name?: string | null
  gstin?: string | null
  pan?: string | null
  email?: string | null
  phone?: string | null
  address?: string | Record<string, unknown> | null
  state_code?: string | null
  currency_code?: string | null
  time_zone?: string | null
  fiscal_year_start_month?: number | null
  external_ref?: string | null
  scopes?: string[] | null
  sandbox?: boolean | null
  user?: { email?: string | null; name?: string | null } | null
}

// Where neither GSTIN nor state is told, the books begin in Karnataka; the state can be told later.
const STATE_OTHERWISE = 'IN-KA'

/** The columns of a new organisation. Throws validation.invalid_value, with the field, for a value that cannot be. */
export function checkedOrganization(wanted: NewOrganization) {
  const { gstin, pan, state_code } = checkedRegistration(wanted)
  const currency = wanted.currency_code ?? 'INR'
  if (!isCurrency(currency)) throw refused('currency_code', `${currency} is not an ISO 4217 currency code.`)
  return {
    external_ref: wanted.external_ref ?? null,
    name: wanted.name.trim(),
    legal_name: wanted.legal_name ?? null,
    gstin,
    pan,
    email: wanted.email ?? null,
    phone: wanted.phone ?? null,
    address: keptAddress(wanted.address),
    state_code: state_code ?? STATE_OTHERWISE,
    status: 'ACTIVE' as const,
    currency_code: currency,
    fiscal_year_start_month: wanted.fiscal_year_start_month ?? 4,
    time_zone: checkedZone(wanted.time_zone ?? 'Asia/Kolkata'),
    sandbox: wanted.sandbox ?? false,
    preferences: DEFAULT_PREFERENCES,
  }
}

/**
 * GSTIN, PAN and state as they are kept: the GSTIN gives the PAN where none is told, and the state always.
 * Throws validation.invalid_value for one that cannot be, or a state that is not the GSTIN's.
 */
export function checkedRegistration(
  told: Pick<NewOrganization, 'gstin' | 'pan' | 'state_code'>,
): { gstin: string | null; pan: string | null; state_code: string | null } {
  const gstin = told.gstin?.trim().toUpperCase() || null
  if (gstin !== null && !isGstin(gstin)) throw refused('gstin', 'This is no GSTIN: its shape or check character is wrong.')
  const pan = told.pan?.trim().toUpperCase() || (gstin === null ? null : panOfGstin(gstin))
  if (pan !== null && !isPan(pan)) throw refused('pan', 'A PAN is five letters, four digits and a letter.')
  const named = told.state_code ? findState(told.state_code) : null
  if (told.state_code && named === null) throw refused('state_code', 'This is not a state of India.')
  const registered = gstin === null ? null : stateOfGstin(gstin)
  if (named !== null && registered !== null && named !== registered) {
    throw refused('state_code', `The GSTIN is of ${registered}.`)
  }
  return { gstin, pan, state_code: registered ?? named }
}

/** The one spelling of the zone. Throws validation.invalid_value. */
export function checkedZone(zone: string): string {
  if (!isZone(zone)) throw refused('time_zone', 'This is no zone of the IANA time zone database.')
  return zoneName(zone)
}

/** An address told as a text is kept as an object of one field. */
export function keptAddress(address: NewOrganization['address']): Record<string, unknown> | null {
  return typeof address === 'string' ? { address } : address ?? null
}

export const refused = (field: string, message: string) => fault('validation.invalid_value', { field, message })
