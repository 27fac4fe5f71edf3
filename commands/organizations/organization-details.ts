// The details of an organisation as a partner sends them, checked.
import { DEFAULT_POSTING_PREFERENCES } from '../../domain/preferences.ts'
import { checkedCurrency, checkedRegistration, checkedZone } from '../../domain/registration.ts'

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

// The state of an organisation that is created without a GSTIN and without a state: Karnataka. It can be changed later.
const STATE_OTHERWISE = 'IN-KA'

/** The columns of a new organisation. Throws validation.invalid_value, with the field, for an invalid value. */
export function checkedOrganization(input: NewOrganization) {
  const { gstin, pan, state_code } = checkedRegistration(input)
  const currency = checkedCurrency(input.currency_code ?? 'INR')
  return {
    external_ref: input.external_ref ?? null,
    name: input.name.trim(),
    legal_name: input.legal_name ?? null,
    gstin,
    pan,
    email: input.email ?? null,
    phone: input.phone ?? null,
    address: keptAddress(input.address),
    state_code: state_code ?? STATE_OTHERWISE,
    status: 'ACTIVE' as const,
    currency_code: currency,
    fiscal_year_start_month: input.fiscal_year_start_month ?? 4,
    time_zone: checkedZone(input.time_zone ?? 'Asia/Kolkata'),
    sandbox: input.sandbox ?? false,
    preferences: DEFAULT_POSTING_PREFERENCES,
  }
}

/** The address as it is stored: a text becomes an object with the one field `address`. */
export function keptAddress(address: NewOrganization['address']): Record<string, unknown> | null {
  return typeof address === 'string' ? { address } : (address ?? null)
}
