// Branches, bank accounts, cost centers, currencies and exchange rates over HTTP: whole lists, only read.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { COMMON_CURRENCIES } from '../../domain/currencies.ts'
import { accounts } from '../../models/account.ts'
import { branches } from '../../models/branch.ts'
import { costCenters } from '../../models/cost-center.ts'
import { currencies, exchangeRates } from '../../models/currency.ts'
import type { Json } from '../fixtures/client.ts'
import { openEmptyOrganization, type EmptyOrganization } from '../fixtures/empty-organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let ours: EmptyOrganization

beforeAll(async () => {
  service = await startService()
  ours = await openEmptyOrganization(service, { gstin: '29AAGCB7383J1Z4', address: { city: 'Mysuru' } })
  await ours.write((books) => {
    const times = { created_time: books.now, last_modified_time: books.now }
    books.insert(branches, {
      id: books.newId(), code: 'AB', name: 'Closed shop', gstin: null, state: 'IN-TN', city: null, address: null, dispatch_address: null, is_default: false, is_active: false,
      invoice_prefix: 'AB-', bill_prefix: 'ABB-', ...times,
    })
    for (const [code, type, active] of [['0999', 'BANK', true], ['0998', 'BANK', false]] as const) {
      books.insert(accounts, {
        id: books.newId(), code, name: `Bank ${code}`, account_type: type, role: null, parent_id: null, description: null,
        currency_code: 'INR', is_active: active, is_system: false, ...times,
      })
    }
    for (const [code, active] of [['WEB', true], ['SHOP', true], ['OLD', false]] as const) {
      books.insert(costCenters, { id: books.newId(), code, name: `The ${code}`, is_active: active })
    }
    for (const [from, to, rate, day] of RATES) {
      books.insert(exchangeRates, { id: books.newId(), from_currency: from, to_currency: to, rate, rate_date: day, source: 'RBI' })
    }
    books.insert(currencies, { currency_code: 'ISK', name: 'Iceland Krona', symbol: 'kr', minor_digits: 0, is_enabled: false })
  })
})
afterAll(() => service.close())

const RATES = [
  ['USD', 'INR', '84.5', '2026-04-01'], ['USD', 'INR', '84.7512345678', '2026-04-03'], ['EUR', 'INR', '91.2', '2026-04-02'],
  ['INR', 'USD', '0.0118', '2026-03-31'],
] as const

test('branches: the active ones, or all, the default first', async () => {
  const whole = await ours.get('/branches')
  expect(Object.keys(whole)).toEqual(['code', 'message', 'branches'])
  expect(whole.branches).toEqual([{
    branch_id: expect.any(String), code: 'HO', name: 'Head Office', gstin: '29AAGCB7383J1Z4', state: 'IN-KA', city: 'Mysuru', address: null, dispatch_address: null,
    is_default: true, is_active: true, invoice_prefix: 'INV-', bill_prefix: 'BILL-',
  }])
  const all = (await ours.get('/branches?active_only=false')).branches
  expect(all.map(({ code }: Json) => code)).toEqual(['HO', 'AB'])
  expect((await ours.get(`/branches/${all[1].branch_id}`)).branch).toEqual(all[1])
  expect(await ours.refusal('GET', '/branches?active_only=perhaps'))
    .toEqual({ status: 400, code: 'validation.invalid_value', field: 'active_only' })
})

test('a branch of another organisation is not found', async () => {
  const theirs = await openEmptyOrganization(service)
  const { branch_id } = (await ours.get('/branches')).branches[0]
  expect(await theirs.refusal('GET', `/branches/${branch_id}`)).toEqual({ status: 404, code: 'not_found.resource' })
  expect((await theirs.get('/branches?active_only=false')).branches).toHaveLength(1)
})

test('bank accounts: with or without cash and closed ones', async () => {
  const listed = async (query: string) => (await ours.get(`/bank_accounts${query}`)).bank_accounts.map(({ code }: Json) => code)
  expect(await listed('')).toEqual(['0999', '1000', '1010', '1020'])
  expect(await listed('?include_cash=false')).toEqual(['0999', '1000'])
  expect(await listed('?include_cash=false&active_only=false')).toEqual(['0998', '0999', '1000'])
  const [bank] = (await ours.get('/bank_accounts')).bank_accounts
  const { bank_account_id, ...account } = bank
  expect((await ours.get(`/accounts/${bank_account_id}`)).account).toEqual(account)
})

test('cost centers: the active ones, by code', async () => {
  const whole = await ours.get('/cost_centers')
  expect(whole.cost_centers).toEqual([
    { cost_center_id: expect.any(String), code: 'SHOP', name: 'The SHOP', is_active: true },
    { cost_center_id: expect.any(String), code: 'WEB', name: 'The WEB', is_active: true },
  ])
  expect(whole).not.toHaveProperty('page_context')
})

test('a cost center may be put into a transaction\'s tags', async () => {
  const [{ cost_center_id }] = (await ours.get('/cost_centers')).cost_centers
  const { contact } = await ours.send('POST', '/contacts', { contact_name: 'School' })
  const { invoice } = await ours.send('POST', '/invoices', {
    customer_id: contact.contact_id, date: '2026-04-01', place_of_supply: 'IN-KA', tags: [cost_center_id],
    line_items: [{ name: 'Slates', quantity: 1, rate: 10 }],
  })
  expect(invoice.tags).toEqual([cost_center_id])
})

test('currencies: the enabled ones, with the places of their minor unit', async () => {
  const { currencies: listed } = await ours.get('/currencies')
  expect(listed.map(({ currency_code }: Json) => currency_code)).toEqual(COMMON_CURRENCIES.map(({ code }) => code).sort())
  expect(listed.find(({ currency_code }: Json) => currency_code === 'INR'))
    .toEqual({ currency_code: 'INR', name: 'Indian Rupee', symbol: '₹', decimal_places: 2, is_base: true, is_enabled: true })
  expect(listed.find(({ currency_code }: Json) => currency_code === 'JPY')).toMatchObject({ decimal_places: 0, is_base: false })
})

test('exchange rates: the newest first, filtered by either currency, limited', async () => {
  const listed = async (query: string) => (await ours.get(`/exchange_rates${query}`)).exchange_rates
  expect((await listed('')).map(({ rate_date }: Json) => rate_date)).toEqual(['2026-04-03', '2026-04-02', '2026-04-01', '2026-03-31'])
  expect(await listed('?from_currency=USD&to_currency=INR&limit=1')).toEqual([{
    exchange_rate_id: expect.any(String), from_currency: 'USD', to_currency: 'INR', rate: 84.7512345678, rate_date: '2026-04-03', source: 'RBI',
  }])
  expect((await listed('?to_currency=INR')).map(({ from_currency }: Json) => from_currency)).toEqual(['USD', 'EUR', 'USD'])
  expect(await listed('?from_currency=CHF')).toEqual([])
})

test.each([['limit', '0'], ['limit', '1001'], ['limit', 'many'], ['from_currency', 'dollars']])('exchange rates of %s=%s are refused', async (field, value) => {
  expect(await ours.refusal('GET', `/exchange_rates?${field}=${value}`)).toEqual({ status: 400, code: 'validation.invalid_value', field })
})
