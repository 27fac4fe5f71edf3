// What invoices do to the books: every kind of journal, written as an accountant writes it.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { dateInZone } from '../../domain/dates.ts'
import { line } from '../fixtures/bodies.ts'
import { addItem, openOrganization, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let ours: TestOrganization

beforeAll(async () => {
  service = await startService()
  ours = await openOrganization(service)
  ours.taxes['GST 28% and cess'] = randomUUID()
  await service.sql(
    `INSERT INTO taxes (org_id, id, name, shape, cgst, sgst, igst, cess, created_time, last_modified_time)
     VALUES ($1, $2, 'GST 28% and cess', 'INTRA_STATE', 14, 14, 0, 12, now(), now())`, ours.orgId, ours.taxes['GST 28% and cess'])
})
afterAll(() => service.close())

const taxed = (tax: string, rate: number) => line({ rate, tax_id: ours.taxes[tax] })
const approved = (changes: Record<string, unknown>) => ours.invoice({ ...changes, auto_approve: true })

const text = (lines: string) => lines.slice(1).split('\n').map((each) => each.replace(/^ {4}/, '')).join('\n')

test.each<[string, () => Record<string, unknown>, string]>([
  ['within the state', () => ({ line_items: [taxed('GST 18%', 1000)] }), `
    Dr Accounts Receivable (customer) 1,180.00
       Cr Sales 1,000.00
       Cr Output CGST 90.00
       Cr Output SGST 90.00`],
  ['across states', () => ({ place_of_supply: 'IN-DL', line_items: [taxed('GST 18%', 123456.78)] }), `
    Dr Accounts Receivable (customer) 1,45,679.00
       Cr Sales 1,23,456.78
       Cr Output IGST 22,222.22`],
  ['with cess', () => ({ line_items: [taxed('GST 28% and cess', 100)] }), `
    Dr Accounts Receivable (customer) 140.00
       Cr Sales 100.00
       Cr Output CGST 14.00
       Cr Output SGST 14.00
       Cr Output Cess 12.00`],
  ['lines of one account are one', () => ({ line_items: [taxed('GST 5%', 1), taxed('GST 5%', 1), taxed('Exempt', 1)] }), `
    Dr Accounts Receivable (customer) 3.12
       Cr Sales 3.00
       Cr Output CGST 0.06
       Cr Output SGST 0.06`],
  ['under reverse charge', () => ({ line_items: [taxed('RCM 18%', 100)] }), `
    Dr Accounts Receivable (customer) 100.00
       Cr Sales 100.00`],
  ['without a tax, at a discount', () => ({ line_items: [line({ discount: 12.5 })] }), `
    Dr Accounts Receivable (customer) 87.50
       Cr Sales 87.50`],
  ['rounded up', () => ({ line_items: [taxed('GST 18%', 10)], round_off: 0.2 }), `
    Dr Accounts Receivable (customer) 12.00
       Cr Sales 10.00
       Cr Output CGST 0.90
       Cr Output SGST 0.90
       Cr Round Off 0.20`],
  ['rounded down', () => ({ line_items: [taxed('GST 12%', 10)], round_off: -0.2 }), `
    Dr Accounts Receivable (customer) 11.00
       Cr Sales 10.00
       Cr Output CGST 0.60
       Cr Output SGST 0.60
    Dr Round Off 0.20`],
  ['in dollars', () => ({ currency_code: 'USD', exchange_rate: 83.4567, place_of_supply: 'IN-OT', line_items: [taxed('GST 18%', 10.01)] }), `
    Dr Accounts Receivable (customer) 985.62
       Cr Sales 835.40
       Cr Output IGST 150.22`],
  ['in yen', () => ({ currency_code: 'JPY', exchange_rate: 0.5612, line_items: [line({ rate: 1001 })] }), `
    Dr Accounts Receivable (customer) 561.76
       Cr Sales 561.76`],
  ['in yen, the paisa that rounding leaves goes to the sale', () => ({ currency_code: 'JPY', exchange_rate: 0.005, line_items: [taxed('GST 40%', 7)] }), `
    Dr Accounts Receivable (customer) 0.05
       Cr Sales 0.03
       Cr Output CGST 0.01
       Cr Output SGST 0.01`],
  ['round-off alone', () => ({ round_off: 0.5, line_items: [line({ rate: 0 })] }), `
    Dr Accounts Receivable (customer) 0.50
       Cr Round Off 0.50`],
  ['in dinars', () => ({ currency_code: 'KWD', exchange_rate: 271.5, line_items: [line({ rate: 1.234 })] }), `
    Dr Accounts Receivable (customer) 335.03
       Cr Sales 335.03`],
])('%s', async (_what, body, journal) => {
  const { invoice_id } = await approved(body())
  expect(await ours.ledger(invoice_id)).toEqual([text(journal)])
})

test('an item\'s revenue account is credited with its lines', async () => {
  const item_id = await addItem(ours, { account_id: ours.accounts['Service Income'], tax_id: ours.taxes['GST 18%'] })
  const { invoice_id } = await approved({ line_items: [line(), { item_id, quantity: 1 }, { item_id, quantity: 1, rate: 100 }] })
  expect(await ours.ledger(invoice_id)).toEqual([text(`
    Dr Accounts Receivable (customer) 808.00
       Cr Sales 100.00
       Cr Service Income 600.00
       Cr Output CGST 54.00
       Cr Output SGST 54.00`)])
})

test('a draft posts nothing, its approval posts it, dated as the invoice', async () => {
  const { invoice_id, invoice_number } = await ours.invoice({ date: '2026-05-04' })
  expect(await ours.ledger(invoice_id)).toEqual([])
  await ours.send('POST', `/invoices/${invoice_id}/approve`)
  expect(await ours.ledger(invoice_id)).toEqual(['Dr Accounts Receivable (customer) 100.00\n   Cr Sales 100.00'])
  const [journal] = (await ours.get('/journals')).journals
  expect(journal).toMatchObject({
    date: '2026-05-04T00:00:00.000Z', source: 'INVOICE', source_id: invoice_id, contact_id: ours.customerId, memo: `Invoice ${invoice_number}`,
  })
})

test.each([
  [{ date: '2026-12-01' }, '2026-12-01'], [{ date: '2026-11-30T18:30:00Z' }, '2026-12-01'], [{ date: null }, TODAY], [{}, TODAY], [undefined, TODAY],
])('a void with %j reverses as of %s', async (body, date) => {
  const { invoice_id } = await approved({ line_items: [taxed('GST 18%', 10)], round_off: 0.2 })
  await ours.send('POST', `/invoices/${invoice_id}/void`, body)
  expect(await ours.ledger(invoice_id)).toEqual([text(`
    Dr Accounts Receivable (customer) 12.00
       Cr Sales 10.00
       Cr Output CGST 0.90
       Cr Output SGST 0.90
       Cr Round Off 0.20`), text(`
       Cr Accounts Receivable (customer) 12.00
    Dr Sales 10.00
    Dr Output CGST 0.90
    Dr Output SGST 0.90
    Dr Round Off 0.20`)])
  expect((await ours.get('/journals?per_page=1')).journals[0].date).toBe(`${date}T00:00:00.000Z`)
})

test('the void of a draft posts nothing, and neither does an invoice of nothing', async () => {
  const draft = await ours.invoice()
  await ours.send('POST', `/invoices/${draft.invoice_id}/void`)
  expect(await ours.ledger(draft.invoice_id)).toEqual([])
  const nothing = await approved({ line_items: [line({ rate: 0, tax_id: ours.taxes['GST 18%'] })] })
  expect([nothing.status, nothing.total]).toEqual(['SENT', 0])
  expect((await ours.send('POST', `/invoices/${nothing.invoice_id}/void`)).invoice.status).toBe('CANCELLED')
  expect(await ours.ledger(nothing.invoice_id)).toEqual([])
})

test('what comes to nothing in rupees posts nothing', async () => {
  const { invoice_id, total } = await approved({ currency_code: 'JPY', exchange_rate: 0.001, line_items: [line({ rate: 4 })] })
  expect([total, await ours.ledger(invoice_id)]).toEqual([4, []])
})

test.each(['Pacific/Kiritimati', 'Pacific/Niue'])('today is the day in %s', async (time_zone) => {
  const island = await openOrganization(service, { time_zone })
  const { invoice_id } = await island.invoice({ auto_approve: true })
  await island.send('POST', `/invoices/${invoice_id}/void`)
  const day = dateInZone(new Date().toISOString(), time_zone)
  expect((await island.get('/journals?per_page=1')).journals[0].date).toBe(`${day}T00:00:00.000Z`)
})

test('Rounding does for Round Off; where neither is, the difference goes to Sales', async () => {
  const other = await openOrganization(service)
  const renamed = (name: string) => service.sql('UPDATE accounts SET name = $2 WHERE org_id = $1 AND id = $3', other.orgId, name, other.accounts['Round Off'])
  const posted = async (round_off: number) => other.ledger((await other.invoice({ round_off, auto_approve: true })).invoice_id)
  await renamed('Rounding')
  expect(await posted(0.4)).toEqual(['Dr Accounts Receivable (customer) 100.40\n   Cr Sales 100.00\n   Cr Rounding 0.40'])
  await renamed('Odds and ends')
  expect(await posted(0.4)).toEqual(['Dr Accounts Receivable (customer) 100.40\n   Cr Sales 100.40'])
  expect(await posted(-0.4)).toEqual(['Dr Accounts Receivable (customer) 99.60\n   Cr Sales 99.60'])
})

test('the accounts hold what was posted', async () => {
  const other = await openOrganization(service)
  const { invoice_id } = await other.invoice({ line_items: [line({ tax_id: other.taxes['GST 18%'] })], auto_approve: true })
  await other.invoice({ round_off: -0.25, auto_approve: true })
  const balances = async () => Promise.all(['Accounts Receivable', 'Sales', 'Output CGST', 'Output SGST', 'Round Off'].map(async (name) => (
    (await other.get(`/accounts/${other.accounts[name]}`)).account.current_balance)))
  expect(await balances()).toEqual([217.75, 200, 9, 9, 0.25])
  await other.send('POST', `/invoices/${invoice_id}/void`)
  expect(await balances()).toEqual([99.75, 100, 0, 0, 0.25])
})

test('books in another currency are posted in it', async () => {
  const abroad = await openOrganization(service, { currency_code: 'KWD' })
  const rupees = await abroad.invoice({ currency_code: 'INR', exchange_rate: 0.00368, line_items: [line({ rate: 1000 })], auto_approve: true })
  expect(await abroad.ledger(rupees.invoice_id, 'KWD')).toEqual(['Dr Accounts Receivable (customer) 3.680\n   Cr Sales 3.680'])
})
