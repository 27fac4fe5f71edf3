// A trader with a new organisation, and the client of its calls.
import { Bahi, BahiError } from '../../client/src/index.ts'
import { dateInZone } from '../../domain/dates.ts'

export interface Where {
  /** The URL of the API, including /api/public/v1. */
  baseUrl: string
  partnerKey: string
  print(line: string): void
}

export interface Trader {
  orgId: string
  name: string
  token: string
  /** Ids of the seeded taxes by name: 'GST 18%'. */
  taxes: Record<string, string>
  /** Ids of the seeded accounts by name: 'Bank Account'. */
  accounts: Record<string, string>
  /** That day of the current month in the organisation's time zone, or today if that day is in the future. */
  day(ofMonth: number): string
  bahi: Bahi
  /** Prints one line: what was done, the number of the document, its contact, and the amount. */
  printEntry(what: string, number: string, party: string, amount: number, currency?: string): void
  print(line: string): void
}

// A call that is answered with 503 is repeated with its key for about a minute.
const PATIENCE = { retries: 12 }

const ORGANIZATION = {
  name: 'Kaveri Handlooms', legal_name: 'Kaveri Handlooms Private Limited', state_code: 'IN-KA', gstin: '29AAFCK6240P1ZY',
  address: { address: '3, Sayyaji Rao Road', city: 'Mysuru', state_code: 'IN-KA', zip: '570001', country: 'India' },
  email: 'accounts@kaveri.example', user: { email: 'owner@kaveri.example', name: 'Owner' },
}

/** Creates an organisation for the trader, with the partner key. */
export async function openTrader({ baseUrl, partnerKey, print }: Where): Promise<Trader> {
  const partner = new Bahi({ baseUrl, partnerKey, ...PATIENCE })
  const { organization, token } = await partner.post('/partner/organizations', { body: ORGANIZATION })
  const bahi = new Bahi({ baseUrl, token: token.token, ...PATIENCE })
  const { taxes } = await bahi.get('/taxes', { query: { per_page: 200 } })
  const { accounts } = await bahi.get('/accounts', { query: { per_page: 500 } })
  const today = dateInZone(new Date().toISOString(), organization.time_zone)
  return {
    orgId: organization.org_id,
    name: organization.name,
    token: token.token,
    taxes: Object.fromEntries(taxes.map(({ name, tax_id }) => [name, tax_id])),
    accounts: Object.fromEntries(accounts.map(({ name, account_id }) => [name, account_id])),
    day(ofMonth) {
      const day = `${today.slice(0, 8)}${String(ofMonth).padStart(2, '0')}`
      return day < today ? day : today
    },
    bahi,
    printEntry(what, number, party, amount, currency = 'INR') {
      print(`${what.padEnd(30)}  ${number.padEnd(17)}  ${party.padEnd(22)}  ${rupees(amount).padStart(14)} ${currency}`)
    },
    print,
  }
}

/** An amount in the Indian format: 12,34,567.00. */
export const rupees = (amount: number): string => GROUPED.format(amount)
const GROUPED = new Intl.NumberFormat('en-IN', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** What an error says to who runs the demonstration. */
export const reasonOf = (error: Error): string =>
  error instanceof BahiError ? `${error.message} (${[error.code, error.field, error.requestId].filter(Boolean).join(', ')})` : error.message
