// Accounts over HTTP: the chart, and balances on their normal side.
import { expect, test } from '@jest/globals'
import type { RequestContext } from '../../api/http/route.ts'
import { accountRoutes } from '../../api/resources/accounts.ts'
import { ACCOUNT_TYPES, CHART_OF_ACCOUNTS } from '../../domain/accounts.ts'
import { accounts } from '../../models/account.ts'
import type { Json } from '../fixtures/client.ts'
import { openEmptyOrganization } from '../fixtures/empty-organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openEmptyOrganization(service)

const codes = (rows: Json[]) => rows.map(({ code }) => code).sort()

test('the whole chart comes in one page of 500, and in pages', async () => {
  const chart = CHART_OF_ACCOUNTS.map(({ code }) => code).sort()
  expect(codes((await ours.get('/accounts?per_page=500')).accounts)).toEqual(chart)
  expect(codes(await ours.listAll('/accounts', 'accounts', 9))).toEqual(chart)
  expect(await ours.refusal('GET', '/accounts?per_page=501'))
    .toEqual({ status: 400, code: 'validation.invalid_value', field: 'per_page' })
})

test('the list is filtered by type and parent', async () => {
  expect(codes((await ours.get('/accounts?account_type=CASH')).accounts)).toEqual(['1010', '1020'])
  const [input] = (await ours.get('/accounts?per_page=500')).accounts.filter(({ code }: Json) => code === '1300')
  const children = (await ours.get(`/accounts?parent_id=${input.account_id}`)).accounts
  expect(codes(children)).toEqual(['1310', '1320', '1330', '1340'])
  expect(children[0]).toMatchObject({ parent_id: input.account_id, account_type: 'GST_ASSET', current_balance: 0, currency_code: 'INR', is_system: true })
  expect((await ours.get('/accounts?parent_id=none')).accounts).toEqual([])
  expect(await ours.refusal('GET', '/accounts?account_type=GOLD'))
    .toEqual({ status: 400, code: 'validation.invalid_value', field: 'account_type', details: { valid: [...ACCOUNT_TYPES] } })
})

test('accounts that are closed are listed on request', async () => {
  await ours.write((books) => books.insert(accounts, {
    id: books.newId(), code: '9999', name: 'Closed', account_type: 'EXPENSE', role: null, parent_id: null, description: null,
    currency_code: 'INR', is_active: false, is_system: false, created_time: books.now, last_modified_time: books.now,
  }))
  expect((await ours.get('/accounts?per_page=1')).accounts[0].code).not.toBe('9999')
  const [closed] = (await ours.get('/accounts?include_inactive=true&per_page=1')).accounts
  expect(closed).toMatchObject({ code: '9999', is_active: false })
  expect((await ours.get(`/accounts/${closed.account_id}`)).account).toEqual(closed)
})

test('a balance is positive on the account\'s normal side, in lists and alone', async () => {
  const org = await openEmptyOrganization(service)
  const tax = (await org.get('/taxes?shape=INTRA_STATE')).taxes.find(({ name }: Json) => name === 'GST 18%').tax_id
  const { contact } = await org.send('POST', '/contacts', { contact_name: 'School' })
  const { invoice } = await org.send('POST', '/invoices', {
    customer_id: contact.contact_id, date: '2026-04-01', place_of_supply: 'IN-KA', auto_approve: true,
    line_items: [{ name: 'Slates', quantity: 1, rate: 1000, tax_id: tax }],
  })
  const balances = async () => Object.fromEntries((await org.get('/accounts?per_page=500')).accounts
    .filter(({ current_balance }: Json) => current_balance !== 0)
    .map(({ name, current_balance }: Json) => [name, current_balance]))
  expect(await balances()).toEqual({ 'Accounts Receivable': 1180, Sales: 1000, 'Output CGST': 90, 'Output SGST': 90 })
  const [sales] = (await org.get('/accounts?account_type=SALES&sort=created_time')).accounts
  expect((await org.get(`/accounts/${sales.account_id}`)).account.current_balance).toBe(1000)
  await org.send('POST', `/invoices/${invoice.invoice_id}/void`, {})
  expect(await balances()).toEqual({})
})

test('a balance is answered as of the end of a day, by the dates of the entries', async () => {
  const org = await openEmptyOrganization(service)
  const { contact } = await org.send('POST', '/contacts', { contact_name: 'Academy' })
  const sell = (date: string, rate: number) => org.send('POST', '/invoices', {
    customer_id: contact.contact_id, date, place_of_supply: 'IN-KA', auto_approve: true, line_items: [{ name: 'Slates', quantity: 1, rate }],
  })
  // The later one is written first; the last is for a day to come.
  await sell('2026-03-31', 200)
  const { invoice } = await sell('2026-03-05', 50)
  await sell('2031-01-01', 7)
  await org.send('POST', `/invoices/${invoice.invoice_id}/void`, { date: '2026-04-02' })
  const [owed] = (await org.get('/accounts?account_type=ACCOUNTS_RECEIVABLE')).accounts
  const [sales] = (await org.get('/accounts?account_type=SALES&sort=created_time')).accounts
  const asOf = async (account: Json, date: string) => (await org.get(`/accounts/${account.account_id}?as_of=${date}`)).account.current_balance
  for (const account of [owed, sales]) {
    for (const [date, balance] of [
      ['2026-03-04', 0], ['2026-03-05', 50], ['2026-03-30', 50], ['2026-03-31', 250], ['2026-04-01', 250], ['2026-04-02', 200], ['2030-12-31', 200],
      ['2031-01-01', 207], ['0001-01-01', 0], ['9999-12-31', 207],
      // The calendar date in India.
      ['2026-03-30T20:00:00Z', 250], ['2026-03-30T18:00:00Z', 50],
    ] as const) {
      expect([account.name, date, await asOf(account, date)]).toEqual([account.name, date, balance])
    }
  }
  // All else is as without it, and nothing else takes it.
  expect((await org.get(`/accounts/${owed.account_id}?as_of=2026-03-31`)).account).toEqual({ ...owed, current_balance: 250 })
  expect((await org.get(`/accounts/${owed.account_id}`)).account).toEqual(owed)
  expect(owed.current_balance).toBe(207)
  expect(await org.refusal('GET', `/accounts/${owed.account_id}?as_of=2026-02-30`))
    .toEqual({ status: 400, code: 'validation.invalid_value', field: 'as_of' })
  expect(await org.refusal('GET', `/accounts/${org.client.orgId}?as_of=2026-03-31`)).toEqual({ status: 404, code: 'not_found.resource' })
})

test('the balances of a page are of one moment, whatever is posted while it is shown', async () => {
  const org = await openEmptyOrganization(service)
  const context = {
    connection: service.database, orgId: org.client.orgId, gateways: {}, caller: { organization: { id: org.client.orgId, currency_code: 'INR' } },
  } as unknown as RequestContext
  const list = accountRoutes.find(({ path }) => path === '/accounts')!.list!
  const { rows, show } = await list(context, { params: {}, query: { per_page: 500 }, body: {} })
  const first = await show(rows.slice(0, 2)) as Json[]
  const [debited, credited] = [first[0]!.account_id, (rows.at(-1) as Json).id]
  await org.send('POST', '/journals', { date: '2026-04-01', lines: [{ account_id: debited, debit: 7 }, { account_id: credited, credit: 7 }] })
  const rest = await show(rows.slice(2)) as Json[]
  expect([...first, ...rest].filter(({ current_balance }) => current_balance !== 0)).toEqual([])
  expect((await org.get(`/accounts/${credited}`)).account.current_balance).not.toBe(0)
})

test('an account of another organisation is not found', async () => {
  const [account] = (await ours.get('/accounts?per_page=1')).accounts
  const theirs = await openEmptyOrganization(service)
  expect(await theirs.refusal('GET', `/accounts/${account.account_id}`)).toEqual({ status: 404, code: 'not_found.resource' })
})
