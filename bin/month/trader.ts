// A trader with a new organisation, and an HTTP client for its calls.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
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
  get<Answer>(path: string): Promise<Answer>
  /** Sends a POST with a new idempotency key; throws an Error with the answer if the call is refused. */
  post<Answer>(path: string, body?: object): Promise<Answer>
  /** Prints one line: what was done, the number of the document, its contact, and the amount. */
  printEntry(what: string, number: string, party: string, amount: number, currency?: string): void
  print(line: string): void
}

// A call that is answered with 503 is repeated with its key for this time.
const PATIENCE_MS = 60_000

const ORGANIZATION = {
  name: 'Kaveri Handlooms', legal_name: 'Kaveri Handlooms Private Limited', state_code: 'IN-KA', gstin: '29AAFCK6240P1ZY',
  address: { address: '3, Sayyaji Rao Road', city: 'Mysuru', state_code: 'IN-KA', zip: '570001', country: 'India' },
  email: 'accounts@kaveri.example', user: { email: 'owner@kaveri.example', name: 'Owner' },
}

/** Creates an organisation for the trader, with the partner key. */
export async function openTrader({ baseUrl, partnerKey, print }: Where): Promise<Trader> {
  const { organization, token } = await send<{ organization: { org_id: string; name: string; time_zone: string }; token: { token: string } }>(
    `${baseUrl}/partner/organizations`, 'POST', { 'X-Partner-Key': partnerKey }, ORGANIZATION)
  const headers = { Authorization: `Bearer ${token.token}` }
  const get = <Answer>(path: string) => send<Answer>(baseUrl + path, 'GET', headers)
  const { taxes } = await get<{ taxes: { name: string; tax_id: string }[] }>('/taxes?per_page=200')
  const { accounts } = await get<{ accounts: { name: string; account_id: string }[] }>('/accounts?per_page=500')
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
    get,
    post: (path, body) => send(baseUrl + path, 'POST', headers, body),
    printEntry(what, number, party, amount, currency = 'INR') {
      print(`${what.padEnd(30)}  ${number.padEnd(17)}  ${party.padEnd(22)}  ${rupees(amount).padStart(14)} ${currency}`)
    },
    print,
  }
}

/** An amount in the Indian format: 12,34,567.00. */
export const rupees = (amount: number): string => GROUPED.format(amount)
const GROUPED = new Intl.NumberFormat('en-IN', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

async function send<Answer>(url: string, method: 'GET' | 'POST', headers: Record<string, string>, body?: object): Promise<Answer> {
  const key = randomUUID()
  for (const last = Date.now() + PATIENCE_MS; ;) {
    const answer = await fetch(url, {
      method,
      headers: { ...headers, ...(method === 'POST' ? { 'Idempotency-Key': key } : {}), ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.text()
    if (answer.ok) return JSON.parse(text) as Answer
    if (answer.status !== 503 || Date.now() > last) throw new Error(`${method} ${new URL(url).pathname} answered ${answer.status}: ${text}`)
    await delay(Number(answer.headers.get('Retry-After') ?? 1) * 1000)
  }
}
