// Changes of a client organisation: names at any time, registration and financial year until something is posted.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { financialYear, nextFinancialYear } from '../../domain/financial-year.ts'
import type { Answered } from './client.ts'
import { TODAY } from './fixtures.ts'
import { openMill, type Mill } from './mill.ts'
import type { Json } from './organization.ts'
import { startService, type Service } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const MAHARASHTRA = '27AAPFU0939F1ZV'
const KARNATAKA = '29AAACB1234C1ZB'
const refusalOf = ({ status, body: { message: _message, request_id: _id, ...refused } }: Answered) => ({ status, ...refused })
const put = (orgId: string, body: unknown) => service.call('PUT', `/partner/organizations/${orgId}`, { partnerKey: service.partnerKey, body })
const read = async (orgId: string): Promise<Json> => (await service.call('GET', `/partner/organizations/${orgId}`, { partnerKey: service.partnerKey })).body.organization
const kept = async (orgId: string): Promise<Json> => (await service.sql('SELECT gstin, pan, state_code, phone, address FROM organizations WHERE id = $1', orgId))[0]
const branchOf = async (mill: Mill): Promise<Json> => (await mill.get('/branches')).branches[0]
const entries = (orgId: string, action: string) =>
  service.sql<{ changes: Json }>('SELECT changes FROM activity WHERE org_id = $1 AND action = $2 ORDER BY occurred_at', orgId, action)
const periods = (orgId: string) =>
  service.sql<{ name: string; start_date: string; end_date: string }>(
    'SELECT name, start_date::text, end_date::text FROM accounting_periods WHERE org_id = $1 ORDER BY start_date', orgId)

describe('names', () => {
  test('change at any time, with what was not sent left as it is', async () => {
    const mill = await openMill(service, { gstin: KARNATAKA, phone: '1' })
    await mill.invoice({ auto_approve: true })
    const before = await read(mill.orgId)
    const { status, body } = await put(mill.orgId, { name: ' Rekha Foods LLP ', legal_name: 'Rekha Foods Limited', address: 'MG Road', email: 'rekha@foods.example', unknown: 1 })
    expect([status, body.message]).toEqual([200, 'Organization updated.'])
    expect(body.organization).toEqual({
      ...before, name: 'Rekha Foods LLP', legal_name: 'Rekha Foods Limited', last_modified_time: expect.any(String),
    })
    expect(body.organization.last_modified_time > before.last_modified_time).toBe(true)
    expect(await kept(mill.orgId)).toEqual({ gstin: KARNATAKA, pan: 'AAACB1234C', state_code: 'IN-KA', phone: '1', address: { address: 'MG Road' } })
    expect(await entries(mill.orgId, 'ORGANIZATION_UPDATED')).toEqual([{ changes: expect.objectContaining({
      name: { old: before.name, new: 'Rekha Foods LLP' }, legal_name: { old: null, new: 'Rekha Foods Limited' },
    }) }])
    // A read of the token is told of it by PostgreSQL, a moment after the commit; a write asks anew.
    expect((await put(mill.orgId, { legal_name: null })).body.organization.legal_name).toBeNull()
  })

  test('nothing that differs leaves no trace; the whole resource may come back', async () => {
    const mill = await openMill(service, { gstin: KARNATAKA, time_zone: 'asia/calcutta', external_ref: randomUUID() })
    await mill.invoice({ auto_approve: true })
    const whole = await read(mill.orgId)
    for (const body of [{}, whole, { ...whole, last_modified_time: '2020-01-01T00:00:00.000Z', time_zone: 'Asia/Calcutta', gstin: KARNATAKA.toLowerCase() }, { state_code: 'Karnataka', pan: null }]) {
      const { status, body: { organization } } = await put(mill.orgId, body)
      expect([status, organization]).toEqual([200, whole])
    }
    expect(await entries(mill.orgId, 'ORGANIZATION_UPDATED')).toEqual([])
  })

  test.each([
    ['org_id', randomUUID()], ['status', 'SUSPENDED'], ['currency_code', 'USD'], ['time_zone', 'Asia/Dubai'], ['time_zone', 'Mars/Olympus'], ['external_ref', 'other'],
    ['external_ref', null], ['sandbox', true], ['created_time', '2020-01-01T00:00:00.000Z'], ['created_time', 'now'],
    ['status', 5], ['currency_code', null], ['sandbox', 'no'],
  ])('%s may not become %j', async (field, value) => {
    const mill = await openMill(service, { external_ref: randomUUID() })
    expect(refusalOf(await put(mill.orgId, { name: 'Other', [field]: value }))).toEqual({ status: 400, code: 'validation.invalid_value', field })
    expect((await read(mill.orgId)).name).not.toBe('Other')
  })

  test.each<[Json, string[]]>([
    [{ name: '' }, ['name']], [{ name: null }, ['name']], [{ address: { lines: 'a'.repeat(4000) } }, ['address']],
    [{ fiscal_year_start_month: 13, email: 'x', address: 7 }, ['address', 'email', 'fiscal_year_start_month']],
  ])('%j has the wrong shape', async (body, fields) => {
    const { orgId } = await openMill(service)
    const refused = refusalOf(await put(orgId, body))
    expect([refused.status, refused.code, [...new Set(refused.errors.map(({ field }: Json) => field))].toSorted()]).toEqual([422, 'validation.failed', fields])
  })
})

describe('registration', () => {
  test.each<[what: string, before: Json, sent: Json, after: Json]>([
    ['a GSTIN brings PAN and state', { state_code: 'IN-KA' }, { gstin: MAHARASHTRA.toLowerCase() }, { gstin: MAHARASHTRA, pan: 'AAPFU0939F', state_code: 'IN-MH' }],
    ['a PAN of its own', { state_code: 'IN-KA' }, { gstin: MAHARASHTRA, pan: 'aaacb1234c' }, { gstin: MAHARASHTRA, pan: 'AAACB1234C', state_code: 'IN-MH' }],
    ['another GSTIN', { gstin: MAHARASHTRA, state_code: null }, { gstin: KARNATAKA }, { gstin: KARNATAKA, pan: 'AAACB1234C', state_code: 'IN-KA' }],
    ['no GSTIN any more', { gstin: MAHARASHTRA, state_code: null }, { gstin: null }, { gstin: null, pan: 'AAPFU0939F', state_code: 'IN-MH' }],
    ['another state', { state_code: 'IN-KA' }, { state_code: '7' }, { gstin: null, pan: null, state_code: 'IN-DL' }],
    ['null for the state leaves it', { state_code: 'IN-TN' }, { state_code: null, pan: 'AAACB1234C' }, { gstin: null, pan: 'AAACB1234C', state_code: 'IN-TN' }],
  ])('%s, and the default branch follows', async (_what, before, sent, after) => {
    const mill = await openMill(service, before)
    await mill.invoice()
    expect((await put(mill.orgId, sent)).status).toBe(200)
    expect(await kept(mill.orgId)).toMatchObject(after)
    expect(await branchOf(mill)).toMatchObject({ gstin: after.gstin, state: after.state_code })
    const [entry] = await entries(mill.orgId, 'ORGANIZATION_UPDATED')
    expect(Object.keys(entry!.changes).length).toBeGreaterThan(0)
    const branchChanged = 'state_code' in entry!.changes || 'gstin' in entry!.changes
    expect((await entries(mill.orgId, 'BRANCH_UPDATED')).length).toBe(branchChanged ? 1 : 0)
  })

  test.each([
    ['gstin', { gstin: '27AAPFU0939F1ZW' }], ['pan', { pan: 'AAPFU0939' }], ['state_code', { state_code: 'Atlantis' }], ['state_code', { state_code: 'IN-KL' }],
    ['state_code', { gstin: MAHARASHTRA, state_code: 'IN-KA' }],
  ])('%s is refused in %j', async (field, body) => {
    const mill = await openMill(service, { gstin: KARNATAKA })
    expect(refusalOf(await put(mill.orgId, body))).toEqual({ status: 400, code: 'validation.invalid_value', field })
  })

  test('is closed once a tax document is posted, voided or not, and not by drafts', async () => {
    const mill = await openMill(service, { state_code: 'IN-KA' })
    await mill.invoice()
    expect((await put(mill.orgId, { state_code: 'IN-TN' })).status).toBe(200)
    const { invoice_id } = await mill.invoice({ auto_approve: true })
    await mill.send('POST', `/invoices/${invoice_id}/void`)
    const others = { gstin: '33ABCDE1234F1Z7', pan: 'AAACB1234C', state_code: 'IN-KA', fiscal_year_start_month: 1 }
    for (const [field, value] of Object.entries(others)) {
      const body = { [field]: value }
      expect(refusalOf(await put(mill.orgId, { ...body, name: 'Other' }))).toEqual({ status: 409, code: 'conflict.in_use', field, details: { posted: ['INVOICE'] } })
    }
    expect((await put(mill.orgId, { state_code: '33', fiscal_year_start_month: 4, name: 'Other' })).body.organization.name).toBe('Other')
  })
})

describe('the month in which the financial year starts', () => {
  test.each([1, 3, 7, 12])('%d: this year and the next move there, and numbers are those of the years', async (month) => {
    const mill = await openMill(service)
    const series = (await mill.send('POST', '/invoices/series', { series_name: 'export', prefix: 'EXP-' })).series
    expect((await put(mill.orgId, { fiscal_year_start_month: month })).body.organization.fiscal_year_start_month).toBe(month)
    const years = [financialYear(TODAY, month), nextFinancialYear(TODAY, month)]
    expect(await periods(mill.orgId)).toEqual(years.map(({ label, start, end }) => ({ name: `FY ${label}`, start_date: start, end_date: end })))
    expect((await mill.get('/invoices/series')).series.map(({ seriesName }: Json) => seriesName).toSorted()).toEqual(['default', series.series_name])
    expect((await mill.invoice({ date: TODAY })).invoice_number).toBe(`INV-${years[0]!.label}-001`)
    expect((await mill.invoice({ date: years[1]!.start })).invoice_number).toBe(`INV-${years[1]!.label}-001`)
  })

  test('may not change once a number was taken, be it a deleted draft\'s', async () => {
    const [mill, billed] = [await openMill(service), await openMill(service)]
    const { invoice_id } = await mill.invoice()
    await mill.send('DELETE', `/invoices/${invoice_id}`)
    await billed.bill()
    for (const { orgId } of [mill, billed]) {
      const before = await periods(orgId)
      expect(refusalOf(await put(orgId, { fiscal_year_start_month: 1 }))).toMatchObject({ status: 409, code: 'conflict.in_use', field: 'fiscal_year_start_month' })
      expect(await periods(orgId)).toEqual(before)
    }
  })
})
