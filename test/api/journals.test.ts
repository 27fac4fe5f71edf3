// Journals over HTTP: the ledger as documents post it, its filters, and what is hidden of it.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Books } from '../../commands/books/books.ts'
import { credit, debit, reversalOf } from '../../domain/posting/posting.ts'
import type { Json } from '../fixtures/client.ts'
import { openEmptyOrganization, type EmptyOrganization } from '../fixtures/empty-organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let ours: EmptyOrganization
let contact: string
let invoice: Json
const account: Record<string, string> = {}

beforeAll(async () => {
  service = await startService()
  ours = await openEmptyOrganization(service)
  for (const { name, account_id } of (await ours.get('/accounts?per_page=500')).accounts) account[name] = account_id
  contact = (await ours.send('POST', '/contacts', { contact_name: 'School' })).contact.contact_id
  const tax = (await ours.get('/taxes?shape=INTRA_STATE')).taxes.find(({ name }: Json) => name === 'GST 18%').tax_id
  invoice = (await ours.send('POST', '/invoices', {
    customer_id: contact, date: '2026-04-01', place_of_supply: 'IN-KA', auto_approve: true,
    line_items: [{ name: 'Slates', quantity: 3, rate: 33.45, tax_id: tax }],
  })).invoice
})
afterAll(() => service.close())

// As an accountant writes it.
const written = ({ lines }: Json) => lines.map(({ account_name, debit: dr, credit: cr }: Json) => (
  dr > 0 ? `Dr ${account_name} ${dr}` : `   Cr ${account_name} ${cr}`
)).join('\n')

const bankCharges = () => [debit(account['Bank Charges']!, 2500n), credit(account['Bank Account']!, 2500n)]
const manual = { date: '2026-05-02', source: 'MANUAL', sourceId: null, contactId: null, branchId: null } as const
const listed = async (query = '') => (await ours.get(`/journals?${query}`)).journals.map(({ memo }: Json) => memo)

test('an approved invoice is in the ledger, to the paisa', async () => {
  const { journals: [journal] } = await ours.get('/journals')
  expect(written(journal)).toBe(
    'Dr Accounts Receivable 118.41\n   Cr Sales 100.35\n   Cr Output CGST 9.03\n   Cr Output SGST 9.03',
  )
  expect(journal).toMatchObject({
    journal_number: 'JV-00001', date: '2026-04-01T00:00:00.000Z', source: 'INVOICE', source_id: invoice.invoice_id,
    memo: `Invoice ${invoice.invoice_number}`, contact_id: contact, reversal_of: null, reversed_by: null,
  })
  expect(journal.lines[0]).toEqual({
    account_id: account['Accounts Receivable'], account_name: 'Accounts Receivable', debit: 118.41, credit: 0, description: null, contact_id: contact,
  })
  expect((await ours.get(`/journals/${journal.journal_id}`)).journal).toEqual(journal)
  const theirs = await openEmptyOrganization(service)
  expect(await theirs.refusal('GET', `/journals/${journal.journal_id}`)).toEqual({ status: 404, code: 'not_found.resource' })
  expect((await theirs.get('/journals')).journals).toEqual([])
})

test('a voided invoice stays, with the entry that undoes it', async () => {
  const org = await openEmptyOrganization(service)
  const { contact: customer } = await org.send('POST', '/contacts', { contact_name: 'School' })
  const { invoice: made } = await org.send('POST', '/invoices', {
    customer_id: customer.contact_id, date: '2026-04-01', place_of_supply: 'IN-KA', auto_approve: true,
    line_items: [{ name: 'Slates', quantity: 1, rate: 10 }],
  })
  await org.send('POST', `/invoices/${made.invoice_id}/void`, { date: '2026-04-09' })
  const { journals: [reversal, posting] } = await org.get('/journals')
  expect(written(posting)).toBe('Dr Accounts Receivable 10\n   Cr Sales 10')
  expect(written(reversal)).toBe('   Cr Accounts Receivable 10\nDr Sales 10')
  expect([posting.reversed_by, posting.reversal_of]).toEqual([reversal.journal_id, null])
  expect([reversal.reversed_by, reversal.reversal_of, reversal.date]).toEqual([null, posting.journal_id, '2026-04-09T00:00:00.000Z'])
})

test('a deleted manual journal and its reversal are hidden unless requested', async () => {
  let deleted = ''
  let reversal = ''
  await ours.write((books: Books) => {
    books.post({ ...manual, memo: 'kept', lines: bankCharges() })
    deleted = books.post({ ...manual, memo: 'deleted', lines: bankCharges() })!
    reversal = books.post({ ...manual, memo: 'undone', reversalOf: deleted, lines: reversalOf(bankCharges()) })!
  })
  expect(await listed('source=MANUAL')).toEqual(['kept'])
  expect(await listed('source=MANUAL&include_reversed=true')).toEqual(['undone', 'deleted', 'kept'])
  for (const [id, other] of [[deleted, reversal], [reversal, deleted]] as const) {
    expect(await ours.refusal('GET', `/journals/${id}`)).toEqual({ status: 404, code: 'not_found.resource' })
    const { journal } = await ours.get(`/journals/${id}?include_reversed=true`)
    expect([journal.reversed_by, journal.reversal_of]).toContain(other)
  }
})

test('the list is filtered by source, account, contact and dates', async () => {
  const posted = `Invoice ${invoice.invoice_number}`
  expect(await listed()).toEqual(['kept', posted])
  expect(await listed('sort=created_time')).toEqual([posted, 'kept'])
  expect(await listed('source=INVOICE')).toEqual([posted])
  expect(await listed(`account_id=${account['Bank Charges']}`)).toEqual(['kept'])
  expect(await listed(`account_id=${account['Output IGST']}`)).toEqual([])
  expect(await listed(`contact_id=${contact}`)).toEqual([posted])
  expect(await listed('date_from=2026-05-02')).toEqual(['kept'])
  expect(await listed('date_to=2026-04-01&date_from=2026-04-01')).toEqual([posted])
  expect(await listed("account_id=1' OR '1'='1")).toEqual([])
  expect(await listed('contact_id=nobody')).toEqual([])
  const [kept] = (await ours.get('/journals')).journals
  expect(await listed(`modified_since=${kept.created_time}`)).toEqual(['kept'])
  expect((await ours.listAll('/journals', 'journals', 1)).map(({ memo }) => memo)).toEqual(['kept', posted])
  expect(await ours.refusal('GET', '/journals?source=TILL')).toMatchObject({ status: 400, code: 'validation.invalid_value', field: 'source' })
  expect(await ours.refusal('GET', '/journals?date_from=soon')).toEqual({ status: 400, code: 'validation.invalid_value', field: 'date_from' })
})

test('amounts are in the organisation\'s own currency', async () => {
  const abroad = await openEmptyOrganization(service, { currency_code: 'KWD' })
  const { contact: customer } = await abroad.send('POST', '/contacts', { contact_name: 'School' })
  await abroad.send('POST', '/invoices', {
    customer_id: customer.contact_id, date: '2026-04-01', place_of_supply: 'IN-KA', auto_approve: true,
    line_items: [{ name: 'Slates', quantity: 1, rate: 1.234 }],
  })
  expect(written((await abroad.get('/journals')).journals[0])).toBe('Dr Accounts Receivable 1.234\n   Cr Sales 1.234')
})
