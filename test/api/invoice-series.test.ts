// Invoice numbers over HTTP: who wins of series, custom number and default, and what is given next.
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { nextFinancialYear } from '../../domain/financial-year.ts'
import { invoiceBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, THIS_YEAR, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

let ours: TestOrganization
let branch: string
let date: string

const NEXT_YEAR = nextFinancialYear(TODAY, 4)
const FY = THIS_YEAR.label
const uncovered = '2019-07-05'

const service = await useService()
const theirs = await openOrganization(service)
beforeEach(async () => {
  ours = await openOrganization(service)
  branch = (await ours.get('/branches')).branches[0].branch_id
  date = THIS_YEAR.start
})

const series = async (changes: Record<string, unknown> = {}) =>
  (await ours.send('POST', '/invoices/series', { series_name: 'export', prefix: 'EXP-', transaction_date: date, ...changes })).series
const number = async (changes: Record<string, unknown> = {}) => (await ours.invoice({ date, ...changes })).invoice_number
const next = async (query = '') => (await ours.get(`/invoices/series/next-number?transactionDate=${date}&${query}`)).next_number
const taken = { status: 400, code: 'validation.invalid_value', field: 'invoice_number' }

async function addBranch(org: TestOrganization, prefix: string): Promise<string> {
  const id = randomUUID()
  await service.sql(
    `INSERT INTO branches (org_id, id, code, name, state, is_default, is_active, invoice_prefix, bill_prefix, created_time, last_modified_time)
     VALUES ($1, $2, $3, $3, 'IN-MH', false, true, $4, 'PB-', now(), now())`, org.orgId, id, prefix, prefix)
  return id
}

describe('precedence', () => {
  test('neither: the default series', async () => {
    expect([await number(), await number()]).toEqual([`INV-${FY}-001`, `INV-${FY}-002`])
  })

  test('series_name only: that series', async () => {
    await series()
    expect(await ours.invoice({ date, series_name: 'export' })).toMatchObject({ invoice_number: `EXP-${FY}-001`, series_name: 'export' })
    expect([await number({ series_name: 'export' }), await number(), await number({ series_name: 'default' }), await number({ series_name: null })])
      .toEqual([`EXP-${FY}-002`, `INV-${FY}-001`, `INV-${FY}-002`, `INV-${FY}-003`])
  })

  test('invoice_number only, or both: the number as it is, and no sequence moves', async () => {
    await series()
    expect(await ours.invoice({ date, invoice_number: ' a"b\\{num}/1' })).toMatchObject({ invoice_number: ' a"b\\{num}/1', series_name: null })
    expect(await ours.invoice({ date, invoice_number: 'X', series_name: 'export' })).toMatchObject({ invoice_number: 'X', series_name: null })
    expect([await number(), await number({ series_name: 'export' })]).toEqual([`INV-${FY}-001`, `EXP-${FY}-001`])
  })

  test('an unknown series_name: numbers by date', async () => {
    const day = date.replaceAll('-', '')
    expect(await ours.invoice({ date, series_name: 'nowhere' })).toMatchObject({ invoice_number: `INV-${day}-001`, series_name: null })
    expect([await number({ series_name: 'elsewhere' }), await number()]).toEqual([`INV-${day}-002`, `INV-${FY}-001`])
  })

  test('no period covers the date: numbers by date', async () => {
    expect([await number({ date: uncovered }), await number({ date: uncovered }), await number({ date: '2019-07-06' })])
      .toEqual(['INV-20190705-001', 'INV-20190705-002', 'INV-20190706-001'])
  })

  test('a series belongs to its period', async () => {
    await series()
    const later = { date: NEXT_YEAR.start }
    expect(await number(later)).toBe(`INV-${NEXT_YEAR.label}-001`)
    expect(await number({ ...later, series_name: 'export' })).toBe(`INV-${NEXT_YEAR.start.replaceAll('-', '')}-001`)
    await series({ transaction_date: NEXT_YEAR.end, prefix: 'NEW-' })
    expect(await number({ ...later, series_name: 'export' })).toBe(`NEW-${NEXT_YEAR.label}-001`)
  })
})

describe('uniqueness', () => {
  test('a number is used once in a branch', async () => {
    await number({ invoice_number: 'A-1' })
    expect(await ours.refusedInvoice({ date, invoice_number: 'A-1' })).toEqual(taken)
    expect(await ours.refusedInvoice({ date, invoice_number: await number() })).toEqual(taken)
    expect(await number({ invoice_number: 'a-1' })).toBe('a-1')
    expect(await number({ invoice_number: 'A-1', branch_id: await addBranch(ours, 'PUN-') })).toBe('A-1')
    expect((await theirs.invoice({ invoice_number: 'A-1' })).invoice_number).toBe('A-1')
  })

  test('a cancelled invoice keeps its number; a deleted one sets a custom number free', async () => {
    const cancelled = await ours.invoice({ date, invoice_number: 'A-1' })
    await ours.send('POST', `/invoices/${cancelled.invoice_id}/void`)
    expect(await ours.refusedInvoice({ date, invoice_number: 'A-1' })).toEqual(taken)
    const deleted = await ours.invoice({ date, invoice_number: 'A-2' })
    await ours.send('DELETE', `/invoices/${deleted.invoice_id}`)
    expect(await number({ invoice_number: 'A-2' })).toBe('A-2')
  })

  test('a series steps over numbers that were given by hand', async () => {
    for (const n of ['001', '003', '004']) await number({ invoice_number: `INV-${FY}-${n}` })
    expect(await next()).toBe(`INV-${FY}-002`)
    expect([await number(), await number(), await number()]).toEqual([`INV-${FY}-002`, `INV-${FY}-005`, `INV-${FY}-006`])
  })

  test('two series that write the same numbers share them', async () => {
    await series({ series_name: 'one', prefix: 'S-' })
    await series({ series_name: 'two', prefix: 'S-' })
    const given = [await number({ series_name: 'one' }), await number({ series_name: 'two' }), await number({ series_name: 'one' })]
    expect(given).toEqual([`S-${FY}-001`, `S-${FY}-002`, `S-${FY}-003`])
  })

  test('a refused invoice takes no number', async () => {
    await ours.refusedInvoice({ date, currency_code: 'XYZ' })
    expect(await number()).toBe(`INV-${FY}-001`)
  })

  test('of two at once with one custom number, one is made', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => ours.client.post('/invoices', invoiceBody(ours, { invoice_number: 'A-1' }))))
    expect(answers.map(({ status, body }) => body.field ?? status).toSorted()).toEqual([201, 'invoice_number', 'invoice_number'])
  })

  test('many at once: consecutive numbers, none twice', async () => {
    const numbers = await Promise.all(Array.from({ length: 20 }, () => number()))
    expect(numbers.toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => `INV-${FY}-${String(n + 1).padStart(3, '0')}`))
  })
})

describe('next-number', () => {
  test('shows what comes next without taking it', async () => {
    await series()
    const query = `transactionDate=${date}`
    expect(await ours.get(`/invoices/series/next-number?${query}`))
      .toEqual({ code: 0, message: 'success', next_number: `INV-${FY}-001`, series: 'default', branch_id: branch })
    expect([await next(), await next('series=export'), await next('series=nowhere')])
      .toEqual([`INV-${FY}-001`, `EXP-${FY}-001`, `INV-${date.replaceAll('-', '')}-001`])
    expect([await number({ series_name: 'export' }), await next('series=export'), await number(), await next()])
      .toEqual([`EXP-${FY}-001`, `EXP-${FY}-002`, `INV-${FY}-001`, `INV-${FY}-002`])
    expect((await ours.get('/invoices/series/next-number')).next_number).toBe(`INV-${FY}-002`)
  })

  test.each([['0001-01-01', 'INV-00010101-001'], ['9999-12-31', 'INV-99991231-001']])('on %s it is %s', async (day, text) => {
    expect((await ours.get(`/invoices/series/next-number?transactionDate=${day}`)).next_number).toBe(text)
  })

  test('a branch has its own', async () => {
    const other = await addBranch(ours, 'PUN-')
    const day = date.replaceAll('-', '')
    expect(await next(`branchId=${other}`)).toBe(`PUN-${day}-001`)
    expect([await number({ branch_id: other }), await next(`branchId=${other}`), await next()]).toEqual([`PUN-${day}-001`, `PUN-${day}-002`, `INV-${FY}-001`])
  })
})

describe('the list', () => {
  const DEFAULT = { seriesName: 'default', label: 'Default', prefix: 'INV-', isDefault: true, periodId: expect.any(String) }

  test('has the series of the branch on the date, one of them the default', async () => {
    const { period_id } = await series({ label: 'Exports' })
    expect(await ours.get('/invoices/series')).toEqual({
      code: 0, message: 'success', branchId: branch,
      series: [{ ...DEFAULT, periodId: period_id }, { seriesName: 'export', label: 'Exports', prefix: 'EXP-', isDefault: false, periodId: period_id }],
    })
    expect((await ours.get(`/invoices/series?transactionDate=${NEXT_YEAR.start}&branchId=${branch}`)).series).toEqual([DEFAULT])
  })

  test('has a virtual default where no period or series is', async () => {
    expect((await ours.get(`/invoices/series?transactionDate=${uncovered}`)).series).toEqual([{ ...DEFAULT, periodId: null }])
    const other = await addBranch(ours, 'PUN-')
    expect(await ours.get(`/invoices/series?branchId=${other}`)).toMatchObject({ branchId: other, series: [{ ...DEFAULT, prefix: 'PUN-', periodId: null }] })
    await series({ branch_id: other })
    const { series: both } = await ours.get(`/invoices/series?branchId=${other}`)
    expect(both.filter(({ isDefault }: Json) => isDefault)).toHaveLength(1)
  })

  test.each(['/invoices/series?', '/invoices/series/next-number?'])('%s refuses what it does not know', async (path) => {
    const theirBranch = (await theirs.get('/branches')).branches[0].branch_id
    for (const id of [theirBranch, randomUUID(), 'HO']) {
      expect(await ours.refusal('GET', `${path}branchId=${id}`)).toEqual({ status: 404, code: 'not_found.resource', field: 'branchId' })
    }
    expect(await ours.refusal('GET', `${path}transactionDate=soon`)).toMatchObject({ status: 400, code: 'validation.invalid_value', field: 'transactionDate' })
  })
})

describe('creation', () => {
  test('answers the series in snake_case', async () => {
    expect(await series()).toEqual({
      id: expect.any(String), series_name: 'export', label: null, prefix: 'EXP-', is_default: false, period_id: expect.any(String), branch_id: branch,
    })
  })

  test.each([
    [{ prefix: 'E/' }, `E/${FY}-001`], [{ padding: 6 }, `EXP-${FY}-000001`], [{ padding: 1 }, `EXP-${FY}-1`],
    [{ format_template: '{num}' }, '001'], [{ format_template: '{prefix}{yy}/{num}/GST' }, `EXP-${THIS_YEAR.short}/001/GST`],
    [{ format_template: '{YYYYMMDD}-{num}' }, `${THIS_YEAR.start.replaceAll('-', '')}-001`],
  ])('%j writes %s', async (changes, text) => {
    await series(changes)
    expect([await next('series=export'), await number({ series_name: 'export' })]).toEqual([text, text])
  })

  test('a name is used once in a period of a branch', async () => {
    await series()
    const body = { series_name: 'export', prefix: 'E2-', transaction_date: date }
    expect(await ours.refusal('POST', '/invoices/series', body)).toEqual({ status: 409, code: 'validation.duplicate_resource', field: 'series_name' })
    expect(await series({ branch_id: await addBranch(ours, 'PUN-') })).toMatchObject({ series_name: 'export' })
    expect(await series({ transaction_date: NEXT_YEAR.start })).toMatchObject({ series_name: 'export' })
  })

  test('a prefix of dollars is answered as it is kept', async () => {
    await series({ prefix: "$&$$-$'" })
    const { invoice_id, invoice_number } = await ours.invoice({ date, series_name: 'export' })
    expect([invoice_number, (await ours.get(`/invoices/${invoice_id}`)).invoice.invoice_number]).toEqual(Array(2).fill(`$&$$-$'${FY}-001`))
  })

  test('of two at once with one name, one is made', async () => {
    const body = { series_name: 'export', prefix: 'EXP-', transaction_date: date }
    const answers = await Promise.all([1, 2, 3].map(() => ours.client.post('/invoices/series', body)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
  })

  test.each([
    [{ transaction_date: uncovered }, { status: 400, code: 'validation.invalid_value', field: 'transaction_date' }],
    [{ format_template: '{prefix}' }, { status: 400, code: 'validation.invalid_value', field: 'format_template' }],
    [{ format_template: '{num}{num}' }, { status: 400, code: 'validation.invalid_value', field: 'format_template' }],
    [{ format_template: '{month}{num}' }, { status: 400, code: 'validation.invalid_value', field: 'format_template' }],
    [{ branch_id: 'HO' }, { status: 404, code: 'not_found.resource', field: 'branch_id' }],
  ])('%j is refused', async (changes, refused) => {
    expect(await ours.refusal('POST', '/invoices/series', { series_name: 's', prefix: 'S-', ...changes })).toEqual(refused)
  })

  test.each([[{}, ['prefix', 'series_name']], [{ series_name: 's', prefix: 'S', padding: 0 }, ['padding']], [{ series_name: '', prefix: 1 }, ['prefix', 'series_name']]])(
    '%j has the wrong shape', async (body, fields) => {
      const refused = await ours.refusal('POST', '/invoices/series', body)
      expect([refused.status, refused.code]).toEqual([422, 'validation.failed'])
      expect([...new Set(refused.errors.map(({ field }: Json) => field))].toSorted()).toEqual(fields)
    })
})

test('a year that begins in January is written with one number', async () => {
  const { client, send } = await openOrganization(service, { fiscal_year_start_month: 1 })
  const { contact: { contact_id } } = await send('POST', '/contacts', { contact_name: 'Noor' })
  const { body } = await client.post('/invoices', invoiceBody({ customerId: contact_id }, { date: TODAY }))
  expect(body.invoice.invoice_number).toBe(`INV-${TODAY.slice(0, 4)}-001`)
})
