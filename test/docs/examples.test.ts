// Every example of the documents is run against the service, and answers as the document shows.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Client } from '../fixtures/client.ts'
import { addPerson, givePassword, PASSWORD } from '../fixtures/persons.ts'
import { eInvoiceStarter, openEInvoicingOrganization } from '../fixtures/e-invoices.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { differences, examplesOf, learn, ROOT, spelled, type Example, type Words } from './examples.ts'

const DOCUMENTS = [
  'README.md', 'docs/api.md', 'docs/partners.md', 'docs/contacts-and-items.md', 'docs/invoices.md', 'docs/bills.md',
  'docs/payments.md', 'docs/estimates.md', 'docs/sales-orders.md', 'docs/purchase-orders.md', 'docs/credit-notes.md',
  'docs/debit-notes.md', 'docs/expenses.md', 'docs/recurring.md', 'docs/ledger.md', 'docs/bulk.md', 'docs/email.md', 'docs/webhooks.md',
  'docs/attachments.md', 'docs/comments.md', 'docs/pdfs.md', 'docs/e-invoicing.md', 'docs/people.md',
]

let service: Service
let eInvoices: ReturnType<typeof eInvoiceStarter>

beforeAll(async () => {
  service = await startService()
  eInvoices = eInvoiceStarter(service)
  // Some of the documents convert others, which the engine does.
  await service.startWorker()
})
afterAll(async () => {
  await eInvoices?.close()
  await service?.close()
})

// The examples are dated 21 November 2026: their financial year is there, whenever the tests run.
async function openYear(org: Client): Promise<void> {
  await service.sql(
    `WITH period AS (
       INSERT INTO accounting_periods (org_id, id, name, start_date, end_date, created_time)
       SELECT $1::uuid, gen_random_uuid(), 'FY 2026-27', '2026-04-01', '2027-03-31', now()
       WHERE NOT EXISTS (SELECT FROM accounting_periods WHERE org_id = $1 AND start_date = '2026-04-01')
       RETURNING id)
     INSERT INTO number_series
       (org_id, id, branch_id, period_id, series_name, label, prefix, padding, format_template, is_default, created_time)
     SELECT $1, gen_random_uuid(), b.id, period.id, 'default', 'Default', 'INV-', 3, '{prefix}{fy}-{num}', true, now()
     FROM period, branches AS b WHERE b.org_id = $1 AND b.is_default`,
    org.orgId,
  )
}

/** What the reader of a document has before its first example. */
async function wordsOf(document: string, partnerKey: string): Promise<Words> {
  const org = document === 'docs/e-invoicing.md' ? (await openEInvoicingOrganization(service)).client : await service.organization({ name: 'Saraswati Stationers' })
  await openYear(org)
  const taxes = (await org.get('/taxes?shape=INTRA_STATE')).body.taxes as { name: string; tax_id: string }[]
  const tax = taxes.find(({ name }) => name === 'GST 18%')!.tax_id
  const contact = await org.post('/contacts', {
    contact_name: 'Vidya Mandir School', place_of_contact: 'IN-KA', payment_terms: 30,
  })
  const item = await org.post('/items', {
    item_name: 'Ruled notebook, 200 pages', hsn_or_sac: '4820', unit: 'NOS', rate: 60, tax_id: tax,
  })
  const EMAIL = document === 'docs/people.md' ? await addPerson(service, org.orgId, 'OWNER', 'owner@saraswati.example') : ''
  if (EMAIL !== '') await givePassword(service, org.orgId, EMAIL)
  return {
    ORIGIN: service.origin, EMAIL, PASSWORD, BASE_URL: `${service.origin}/api/public/v1`, TOKEN: org.token, PARTNER_KEY: partnerKey, MAILBOX_URL: service.mailboxUrl, ORG_ID: org.orgId, TAX_ID: tax,
    CONTACT_ID: contact.body.contact.contact_id, ITEM_ID: item.body.item.item_id,
  }
}

function formOf({ form, files }: Example, words: Words): FormData {
  const made = new FormData()
  for (const field of form) {
    const [, name = '', file, value = ''] = /^(\w+)=(?:@(.*)|([\s\S]*))$/.exec(field)!
    if (file === undefined) made.append(name, spelled(value, words))
    else made.append(name, new Blob([files[file]!]), file)
  }
  return made
}

interface Answer {
  status: number
  json: unknown
  headers: Headers
}

async function run(example: Example, words: Words): Promise<Answer> {
  const { method, url, headers, body, form, output, sendsCookies, keepsCookies } = example
  const response = await fetch(spelled(url, words), {
    method,
    redirect: 'manual',
    headers: Object.fromEntries(Object.entries({ ...headers, ...(sendsCookies && { cookie: '$COOKIES' }) }).map(([name, value]) => [name, spelled(value, words)])),
    ...(body === null ? {} : { body: spelled(body, words) }),
    ...(form.length === 0 ? {} : { body: formOf(example, words) }),
  })
  // The engine of PDFs may take longer to start than a call waits for it: the same call finds the file.
  if (output !== null && response.status === 503) return run(example, words)
  if (keepsCookies) words.COOKIES = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]).join('; ')
  const bytes = Buffer.from(await response.arrayBuffer())
  if (output === null || response.status >= 400) return { status: response.status, json: JSON.parse(bytes.toString()), headers: response.headers }
  if (response.status === 200) expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
  const etag = response.headers.get('etag')
  if (etag !== null) words.ETAG = etag
  return { status: response.status, json: null, headers: response.headers }
}

const eInvoiceStatus = (json: unknown) => (json as { invoice?: { e_invoice?: { status?: string } } } | undefined)?.invoice?.e_invoice?.status

/** Repeats a call whose document shows a registered e-invoice until the worker has registered it. */
async function untilRegistered(shown: unknown, call: () => Promise<Answer>): Promise<Answer> {
  const answer = await call()
  if (eInvoiceStatus(shown) !== 'GENERATED' || eInvoiceStatus(answer.json) !== 'PENDING') return answer
  await eInvoices.start()
  return untilRegistered(shown, call)
}

describe.each(DOCUMENTS)('%s', (document) => {
  test('its calls answer as it shows', async () => {
    const words = await wordsOf(document, await service.newPartnerKey())
    const wrong: string[] = []
    for (const example of examplesOf(document)) {
      const { shown, line } = example
      const { status, json, headers } = await untilRegistered(shown?.json, () => run(example, words))
      const expected = shown?.status == null ? status < 300 : status === shown.status
      if (!expected) wrong.push(`line ${line}: answers ${status} ${JSON.stringify(json)}`)
      const parted = shown ? differences(shown.json, json, shown.shortened) : []
      for (const [name, value] of shown?.heads ?? []) if (headers.get(name) !== value) wrong.push(`line ${line}: ${name} is ${headers.get(name)}`)
      wrong.push(...parted.map((difference) => `line ${line}: ${difference}`))
      learn(words, json)
    }
    expect(wrong).toEqual([])
  })
})

test('every document with a call by curl is among these', () => {
  const all = ['README.md', ...readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)]
  expect(new Set(all.filter((document) => examplesOf(document).length > 0))).toEqual(new Set(DOCUMENTS))
})

test('the documents have examples to run', () => {
  expect(DOCUMENTS.map((document) => examplesOf(document).length).every((count) => count >= 3)).toBe(true)
})
