// Creates a demonstration organisation with a few documents, so that the first lists of a new user are not empty.
import { randomBytes } from 'node:crypto'
import { openDatabase, type Database } from '../models/database.ts'
import { findDefaultBranch } from '../models/branch.ts'
import { costCenters } from '../models/cost-center.ts'
import { exchangeRates } from '../models/currency.ts'
import { mintPartnerKey } from '../models/partner-key.ts'
import { operatorContext, operator } from './operator.ts'
import { openBooks } from '../commands/books/open-books.ts'
import { changePreferences } from '../commands/organizations/preferences.ts'
import { setPassword } from '../commands/people/set-password.ts'
import type { DemoKeys } from './services/demo-card.ts'

interface Where {
  databaseUrl: string
  /** The URL of the API, including /api/public/v1. */
  baseUrl: string
}

type Json = Record<string, unknown>

/** Creates a partner key, an organisation and its token, and then a few documents over HTTP. */
export async function seedDemo({ databaseUrl, baseUrl }: Where): Promise<DemoKeys> {
  const database = openDatabase({ url: databaseUrl, pool: 1, name: 'bahi demo' })
  try {
    const partnerKey = await mintPartnerKey(database, 'Demo partner', new Date())
    const made = await post(`${baseUrl}/partner/organizations`, { 'X-Partner-Key': partnerKey }, 'demo', ORGANIZATION)
    const { org_id, name } = made.organization as { org_id: string; name: string }
    const { token } = made.token as { token: string }
    await seedLookups(operatorContext(database), org_id)
    await seedPreferences(operatorContext(database), org_id)
    await bookDocuments(baseUrl, token)
    const user = await setOwnersPassword(database, org_id)
    return { partner_key: partnerKey, organization: { org_id, name }, token, user }
  } finally {
    await database.close()
  }
}

/** Gives the owner of the demonstration organisation a new password. */
export async function demoOwner(databaseUrl: string, orgId: string): Promise<DemoKeys['user']> {
  const database = openDatabase({ url: databaseUrl, pool: 1, name: 'bahi demo' })
  try {
    return await setOwnersPassword(database, orgId)
  } finally {
    await database.close()
  }
}

async function setOwnersPassword(database: Database, orgId: string): Promise<DemoKeys['user']> {
  const user = { email: ORGANIZATION.user.email, password: randomBytes(12).toString('base64url') }
  await openBooks(operatorContext(database), operator(), (books) => setPassword(books, { orgId, ...user }))
  return user
}

const ORGANIZATION = {
  name: 'Saraswati Stationers', legal_name: 'Saraswati Stationers Private Limited', state_code: 'IN-KA', gstin: '29AAKCS4821M1ZS',
  address: { address: '14, Avenue Road', city: 'Bengaluru', state_code: 'IN-KA', zip: '560002', country: 'India' },
  email: 'accounts@saraswati.example', user: { email: 'owner@saraswati.example', name: 'Owner' },
}

// No call creates exchange rates and cost centers, so they are inserted.
async function seedLookups(context: ReturnType<typeof operatorContext>, orgId: string): Promise<void> {
  await openBooks(context, operator(), async (books) => {
    books.enter(orgId)
    const today = books.now.toISOString().slice(0, 10)
    for (const [currency, rate] of [['USD', '84.5'], ['EUR', '91.2'], ['AED', '23.01']] as const) {
      books.insert(exchangeRates, {
        id: books.newId(), from_currency: currency, to_currency: 'INR', rate, rate_date: today, source: 'Demonstration',
      })
    }
    for (const [code, name] of [['SHOP', 'Shop'], ['SCHOOLS', 'School supplies']] as const) {
      books.insert(costCenters, { id: books.newId(), code, name, is_active: true })
    }
  })
}

// What an invoice shows besides itself: bank, UPI, who signs; and registration at the built-in portal, as a trial.
async function seedPreferences(context: ReturnType<typeof operatorContext>, orgId: string): Promise<void> {
  await openBooks(context, operator(), async (books) => {
    books.enter(orgId)
    const branch = await findDefaultBranch(books)
    const bank_details = {
      account_name: 'Saraswati Stationers Private Limited', account_number: '50200012345678', bank_name: 'HDFC Bank', ifsc: 'HDFC0000076', branch: 'Avenue Road',
    }
    const terms = 'Payment by the due date.\nGoods once sold are exchanged within 15 days.'
    const pdf = { bank_details, upi_id: 'saraswati@hdfcbank', terms, signatory: { name: 'Owner', designation: 'Director' } }
    await changePreferences(books, { posting: {}, documents: { pdf, e_invoicing: { [branch!.id]: { enabled: true } } } })
  })
}

async function bookDocuments(baseUrl: string, token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` }
  let step = 0
  const create = async (path: string, body: unknown) => post(`${baseUrl}${path}`, headers, `demo-${(step += 1)}`, body)
  const gst = (await (await fetch(`${baseUrl}/taxes?shape=INTRA_STATE`, { headers })).json() as { taxes: { name: string; tax_id: string }[] }).taxes
  const rate = (percent: string) => gst.find(({ name }) => name === `GST ${percent}%`)?.tax_id
  const id = (made: Json, key: string) => (made[key] as Record<string, string>)[`${key}_id`]!

  const school = id(await create('/contacts', {
    contact_name: 'Vidya Mandir School', contact_type: 'CUSTOMER', place_of_contact: 'IN-KA', payment_terms: 30,
    email: 'office@vidyamandir.example', billing_address: { address: '5, Temple Road', city: 'Mysuru', state_code: 'IN-KA', zip: '570001', country: 'India' },
  }), 'contact')
  const chain = id(await create('/contacts', {
    contact_name: 'Marina Books', contact_type: 'CUSTOMER', gst_no: '33AAGCM7314K1ZF', place_of_contact: 'IN-TN', payment_terms: 15,
    billing_address: { address: '21, Anna Salai', city: 'Chennai', state_code: 'IN-TN', zip: '600002', country: 'India' },
  }), 'contact')
  const mill = id(await create('/contacts', {
    contact_name: 'Deccan Paper Mills', contact_type: 'VENDOR', place_of_contact: 'IN-KA', payment_terms: 45,
  }), 'contact')

  const notebook = id(await create('/items', {
    item_name: 'Ruled notebook, 200 pages', sku: 'NB-200', hsn_or_sac: '4820', unit: 'NOS', rate: 60, purchase_rate: 38, tax_id: rate('12'),
  }), 'item')
  const pen = id(await create('/items', {
    item_name: 'Ball pen, blue', sku: 'PEN-B', hsn_or_sac: '9608', unit: 'BOX', rate: 180, purchase_rate: 120, tax_id: rate('18'),
  }), 'item')
  const binding = id(await create('/items', {
    item_name: 'Book binding', item_type: 'SERVICE', hsn_or_sac: '9989', unit: 'NOS', rate: 45, tax_id: rate('18'),
  }), 'item')

  const today = new Date().toISOString().slice(0, 10)
  const invoice = { date: today, place_of_supply: 'IN-KA', customer_id: school }
  await create('/invoices', { ...invoice, notes: 'To be checked by the school.', line_items: [{ item_id: binding, quantity: 80 }] })
  await create('/invoices', { ...invoice, auto_approve: true, line_items: [{ item_id: notebook, quantity: 250 }, { item_id: pen, quantity: 12, discount: 60 }] })
  const bill = await create('/bills', {
    vendor_id: mill, date: today, place_of_supply: 'IN-KA', bill_number: 'DPM/2231', reference_number: 'DPM/2231', auto_approve: true,
    line_items: [{ item_id: notebook, quantity: 600 }],
  })
  const { bill_id, total } = bill.bill as { bill_id: string; total: number }
  await create('/payments', {
    flow: 'OUTGOING', contact_id: mill, date: today, amount: total, mode: 'BANK_TRANSFER', reference_number: 'UTR0042',
    allocations: [{ bill_id, amount: total }],
  })
  // The newest, which a list begins with: a tax invoice with its IRN.
  const across = { ...invoice, customer_id: chain, place_of_supply: 'IN-TN', auto_approve: true }
  await create('/invoices', { ...across, line_items: [{ item_id: notebook, quantity: 400, rate: 55 }] })
}

async function post(url: string, headers: Record<string, string>, key: string, body: unknown): Promise<Json> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(body),
  })
  const json = await answer.json() as Json
  if (!answer.ok) throw new Error(`POST ${new URL(url).pathname} answered ${answer.status}: ${JSON.stringify(json)}`)
  return json
}
