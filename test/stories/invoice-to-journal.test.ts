// A month of a trader in Pune: drafts, invoices within the state, across states and abroad, a void; and what the books say.
import { expect, test } from '@jest/globals'
import { Compile } from 'typebox/compile'
import { isDebitNormal, type AccountType } from '../../domain/accounts.ts'
import { deliverySchema, type EventType } from '../../domain/events.ts'
import type { Json } from '../fixtures/client.ts'
import { addContact, addItem, openOrganization, THIS_YEAR } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

let loom: string
let cloth: string
let abroad: string
const invoices: Record<string, Json> = {}

const date = THIS_YEAR.start
const FY = THIS_YEAR.label

const service = await useService()
const trader = await openOrganization(service, { name: 'Pune Handlooms', gstin: '27AAPFU0939F1ZV', state_code: 'IN-MH' })

test('the organisation is set up: items, a customer abroad, a series, a listener, round totals', async () => {
  loom = await addItem(trader, { item_name: 'Hand loom', rate: 15250.5, unit: 'NOS', hsn_or_sac: '8446', tax_id: trader.taxes['GST 18%'] })
  cloth = await addItem(trader, { item_name: 'Cotton cloth', rate: 118.333333, unit: 'MTR', hsn_or_sac: '5208', tax_id: trader.taxes['GST 5%'] })
  abroad = await addContact(trader, { contact_name: 'Loom and Thread', currency_code: 'USD', payment_terms: 60 })
  await trader.send('POST', '/invoices/series', { series_name: 'export', prefix: 'EXP/', padding: 4, transaction_date: date })
  await trader.send('POST', '/webhooks/endpoints', { url: 'http://127.0.0.1:9/books', events: ['INVOICE_CREATED', 'INVOICE_UPDATED', 'INVOICE_VOIDED'] })
  await trader.setPreferences({ roundInvoiceTotals: true, roundingMethod: 'nearest' })
})

test('a sale in Pune is drafted, corrected and approved', async () => {
  const draft = await trader.invoice({ date, place_of_supply: '27-Maharashtra', line_items: [{ item_id: loom, quantity: 1 }, { item_id: cloth, quantity: 12.5, discount: 29.17 }] })
  expect(draft).toMatchObject({ invoice_number: `INV-${FY}-001`, place_of_supply: 'IN-MH', sub_total: 16700.5, tax_total: 2817.6, round_off: -0.1, total: 19518, status: 'DRAFT' })
  expect(await trader.ledger(draft.invoice_id)).toEqual([])
  await trader.send('PUT', `/invoices/${draft.invoice_id}`, { reference_number: 'PO 41', notes: 'By cart, on Tuesday' })
  invoices.home = (await trader.send('POST', `/invoices/${draft.invoice_id}/approve`)).invoice
  expect(invoices.home).toMatchObject({ total: 19518, balance: 19518, status: 'SENT', reference_number: 'PO 41' })
  expect(await trader.ledger(draft.invoice_id)).toEqual([
    'Dr Accounts Receivable (customer) 19,518.00\n   Cr Sales 16,700.50\n   Cr Output CGST 1,408.80\n   Cr Output SGST 1,408.80\nDr Round Off 0.10',
  ])
})

test('a sale to Karnataka is approved at once', async () => {
  invoices.away = await trader.invoice({ date, place_of_supply: 'Karnataka', auto_approve: true, line_items: [{ item_id: cloth, quantity: 100 }] })
  expect(invoices.away).toMatchObject({ invoice_number: `INV-${FY}-002`, sub_total: 11833.33, tax_total: 591.67, round_off: 0, total: 12425 })
  expect(await trader.ledger(invoices.away.invoice_id)).toEqual(['Dr Accounts Receivable (customer) 12,425.00\n   Cr Sales 11,833.33\n   Cr Output IGST 591.67'])
})

test('an export is created in dollars, in its own series', async () => {
  invoices.export = await trader.invoice({
    date, customer_id: abroad, place_of_supply: '97', series_name: 'export', currency_code: 'USD', exchange_rate: 83.1275, auto_approve: true,
    line_items: [{ item_id: cloth, quantity: 33, rate: 4.35, tax_id: trader.taxes['IGST 0%'] }],
  })
  expect(invoices.export).toMatchObject({ invoice_number: `EXP/${FY}-0001`, sub_total: 143.55, round_off: 0.45, total: 144, currency_code: 'USD' })
  expect(await trader.ledger(invoices.export.invoice_id)).toEqual(['Dr Accounts Receivable (customer) 11,970.36\n   Cr Sales 11,932.95\n   Cr Round Off 37.41'])
})

test('a draft by mistake is deleted, and its number is accounted for', async () => {
  const { invoice_id, invoice_number } = await trader.invoice({ date })
  await trader.send('DELETE', `/invoices/${invoice_id}`)
  expect((await trader.get('/invoices/series/gaps')).gaps.map(({ number }: Json) => number)).toEqual([invoice_number])
  expect((await trader.get(`/invoices/series/next-number?transactionDate=${date}`)).next_number).toBe(`INV-${FY}-004`)
})

test('the sale to Karnataka is void, reversed on the day of the return', async () => {
  const { invoice } = await trader.send('POST', `/invoices/${invoices.away.invoice_id}/void`, { reason: 'Returned unopened', date: THIS_YEAR.end })
  expect(invoice).toMatchObject({ status: 'CANCELLED', total: 12425, balance: 0 })
  expect((await trader.ledger(invoice.invoice_id))[1]).toBe('   Cr Accounts Receivable (customer) 12,425.00\nDr Sales 11,833.33\nDr Output IGST 591.67')
  expect((await trader.get('/journals?per_page=1')).journals[0].date).toBe(`${THIS_YEAR.end}T00:00:00.000Z`)
})

test('the accounts say what is owed, sold and due to the state; the books balance', async () => {
  const { accounts } = await trader.get('/accounts?per_page=500')
  const moved = accounts.filter(({ current_balance }: Json) => current_balance !== 0).map(({ name, current_balance }: Json) => [name, current_balance])
  expect(Object.fromEntries(moved)).toEqual({
    'Accounts Receivable': 31488.36, Sales: 28633.45, 'Output CGST': 1408.8, 'Output SGST': 1408.8, 'Round Off': -37.31,
  })
  const paise = (account: Json) => Math.round(account.current_balance * 100) * (isDebitNormal(account.account_type as AccountType) ? 1 : -1)
  expect(accounts.reduce((sum: number, account: Json) => sum + paise(account), 0)).toBe(0)
})

test('the log and the listener heard it all, in order', async () => {
  const { activity } = await trader.get('/activity?entity_type=INVOICE')
  expect(activity.toReversed().map(({ action, entity_ref }: Json) => `${action} ${entity_ref.replace(FY, 'FY')}`)).toEqual([
    'INVOICE_CREATED INV-FY-001', 'INVOICE_UPDATED INV-FY-001', 'INVOICE_SENT INV-FY-001',
    'INVOICE_CREATED INV-FY-002', 'INVOICE_SENT INV-FY-002', 'INVOICE_CREATED EXP/FY-0001', 'INVOICE_SENT EXP/FY-0001',
    'INVOICE_CREATED INV-FY-003', 'INVOICE_DELETED INV-FY-003', 'INVOICE_VOIDED INV-FY-002',
  ])
  const { deliveries } = await trader.get('/webhooks/deliveries?per_page=200')
  const bodies = deliveries.toReversed().map(({ payload }: Json) => payload)
  for (const body of bodies) expect([...Compile(deliverySchema(body.event_type as EventType)).Errors(body)]).toEqual([])
  expect(bodies.map(({ event_type, data }: Json) => `${event_type} ${data.number.replace(FY, 'FY')} ${data.status} ${data.total}`)).toEqual([
    'INVOICE_CREATED INV-FY-001 DRAFT 19518', 'INVOICE_UPDATED INV-FY-001 DRAFT 19518', 'INVOICE_UPDATED INV-FY-001 SENT 19518',
    'INVOICE_CREATED INV-FY-002 SENT 12425', 'INVOICE_CREATED EXP/FY-0001 SENT 144', 'INVOICE_CREATED INV-FY-003 DRAFT 100', 'INVOICE_VOIDED INV-FY-002 CANCELLED 12425',
  ])
})
