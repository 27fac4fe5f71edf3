// Changes of a client organisation: names at any time, registration and financial year until something is posted.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { financialYear, nextFinancialYear } from '../../domain/financial-year.ts'
import type { Answered, Json } from '../fixtures/client.ts'
import { openOrganization, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()

const MAHARASHTRA = '27AAPFU0939F1ZV'
const KARNATAKA = '29AAACB1234C1ZB'
const refusalOf = ({ status, body: { message: _message, request_id: _id, ...refused } }: Answered) => ({ status, ...refused })
const put = (orgId: string, body: unknown) => service.call('PUT', `/partner/organizations/${orgId}`, { partnerKey: service.partnerKey, body })
const read = async (orgId: string): Promise<Json> => (await service.call('GET', `/partner/organizations/${orgId}`, { partnerKey: service.partnerKey })).body.organization
const kept = async (orgId: string): Promise<Json> => (await service.sql('SELECT gstin, pan, state_code, phone, address FROM organizations WHERE id = $1', orgId))[0]
const branchOf = async (org: TestOrganization): Promise<Json> => (await org.get('/branches')).branches[0]
const entries = (orgId: string, action: string) =>
  service.sql<{ changes: Json }>('SELECT changes FROM activity WHERE org_id = $1 AND action = $2 ORDER BY occurred_at', orgId, action)
const periods = (orgId: string) =>
  service.sql<{ name: string; start_date: string; end_date: string }>(
    'SELECT name, start_date::text, end_date::text FROM accounting_periods WHERE org_id = $1 ORDER BY start_date', orgId)

describe('names', () => {
  test('change at any time, with what was not sent left as it is', async () => {
    const org = await openOrganization(service, { gstin: KARNATAKA, phone: '1' })
    await org.invoice({ auto_approve: true })
    const before = await read(org.orgId)
    const { status, body } = await put(org.orgId, { name: ' Rekha Foods LLP ', legal_name: 'Rekha Foods Limited', address: 'MG Road', email: 'rekha@foods.example', unknown: 1 })
    expect([status, body.message]).toEqual([200, 'Organization updated.'])
    expect(body.organization).toEqual({
      ...before, name: 'Rekha Foods LLP', legal_name: 'Rekha Foods Limited', last_modified_time: expect.any(String),
    })
    expect(body.organization.last_modified_time > before.last_modified_time).toBe(true)
    expect(await kept(org.orgId)).toEqual({ gstin: KARNATAKA, pan: 'AAACB1234C', state_code: 'IN-KA', phone: '1', address: { address: 'MG Road' } })
    expect(await entries(org.orgId, 'ORGANIZATION_UPDATED')).toEqual([{ changes: expect.objectContaining({
      name: { old: before.name, new: 'Rekha Foods LLP' }, legal_name: { old: null, new: 'Rekha Foods Limited' },
    }) }])
    // A read of the token learns of it by PostgreSQL's notification, a moment after the commit; a write reads the row again.
    expect((await put(org.orgId, { legal_name: null })).body.organization.legal_name).toBeNull()
  })

  test('nothing that differs leaves no trace; the whole resource may come back', async () => {
    const org = await openOrganization(service, { gstin: KARNATAKA, time_zone: 'asia/calcutta', external_ref: randomUUID() })
    await org.invoice({ auto_approve: true })
    const whole = await read(org.orgId)
    for (const body of [{}, whole, { ...whole, last_modified_time: '2020-01-01T00:00:00.000Z', time_zone: 'Asia/Calcutta', gstin: KARNATAKA.toLowerCase() }, { state_code: 'Karnataka', pan: null }]) {
      const { status, body: { organization } } = await put(org.orgId, body)
      expect([status, organization]).toEqual([200, whole])
    }
    expect(await entries(org.orgId, 'ORGANIZATION_UPDATED')).toEqual([])
  })

  test.each([
    ['org_id', randomUUID()], ['status', 'SUSPENDED'], ['currency_code', 'USD'], ['time_zone', 'Asia/Dubai'], ['time_zone', 'Mars/Olympus'], ['external_ref', 'other'],
    ['external_ref', null], ['sandbox', true], ['created_time', '2020-01-01T00:00:00.000Z'], ['created_time', 'now'],
    ['status', 5], ['currency_code', null], ['sandbox', 'no'],
  ])('%s may not become %j', async (field, value) => {
    const org = await openOrganization(service, { external_ref: randomUUID() })
    expect(refusalOf(await put(org.orgId, { name: 'Other', [field]: value }))).toEqual({ status: 400, code: 'validation.invalid_value', field })
    expect((await read(org.orgId)).name).not.toBe('Other')
  })

  test.each<[Json, string[]]>([
    [{ name: '' }, ['name']], [{ name: null }, ['name']], [{ address: { lines: 'a'.repeat(4000) } }, ['address']],
    [{ fiscal_year_start_month: 13, email: 'x', address: 7 }, ['address', 'email', 'fiscal_year_start_month']],
  ])('%j has the wrong shape', async (body, fields) => {
    const { orgId } = await openOrganization(service)
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
    const org = await openOrganization(service, before)
    await org.invoice()
    expect((await put(org.orgId, sent)).status).toBe(200)
    expect(await kept(org.orgId)).toMatchObject(after)
    expect(await branchOf(org)).toMatchObject({ gstin: after.gstin, state: after.state_code })
    const [entry] = await entries(org.orgId, 'ORGANIZATION_UPDATED')
    expect(Object.keys(entry!.changes).length).toBeGreaterThan(0)
    const branchChanged = 'state_code' in entry!.changes || 'gstin' in entry!.changes
    expect((await entries(org.orgId, 'BRANCH_UPDATED')).length).toBe(branchChanged ? 1 : 0)
  })

  test.each([
    ['gstin', { gstin: '27AAPFU0939F1ZW' }], ['pan', { pan: 'AAPFU0939' }], ['state_code', { state_code: 'Atlantis' }], ['state_code', { state_code: 'IN-KL' }],
    ['state_code', { gstin: MAHARASHTRA, state_code: 'IN-KA' }],
  ])('%s is refused in %j', async (field, body) => {
    const org = await openOrganization(service, { gstin: KARNATAKA })
    expect(refusalOf(await put(org.orgId, body))).toEqual({ status: 400, code: 'validation.invalid_value', field })
  })

  test('is closed once a tax document is posted, voided or not, and not by drafts', async () => {
    const org = await openOrganization(service, { state_code: 'IN-KA' })
    await org.invoice()
    expect((await put(org.orgId, { state_code: 'IN-TN' })).status).toBe(200)
    const { invoice_id } = await org.invoice({ auto_approve: true })
    await org.send('POST', `/invoices/${invoice_id}/void`)
    const others = { gstin: '33ABCDE1234F1Z7', pan: 'AAACB1234C', state_code: 'IN-KA', fiscal_year_start_month: 1 }
    for (const [field, value] of Object.entries(others)) {
      const body = { [field]: value }
      expect(refusalOf(await put(org.orgId, { ...body, name: 'Other' }))).toEqual({ status: 409, code: 'conflict.in_use', field, details: { posted: ['INVOICE'] } })
    }
    expect((await put(org.orgId, { state_code: '33', fiscal_year_start_month: 4, name: 'Other' })).body.organization.name).toBe('Other')
  })
})

describe('the month in which the financial year starts', () => {
  test.each([1, 3, 7, 12])('%d: this year and the next move there, and numbers are those of the years', async (month) => {
    const org = await openOrganization(service)
    const series = (await org.send('POST', '/invoices/series', { series_name: 'export', prefix: 'EXP-' })).series
    expect((await put(org.orgId, { fiscal_year_start_month: month })).body.organization.fiscal_year_start_month).toBe(month)
    const years = [financialYear(TODAY, month), nextFinancialYear(TODAY, month)]
    expect(await periods(org.orgId)).toEqual(years.map(({ label, start, end }) => ({ name: `FY ${label}`, start_date: start, end_date: end })))
    expect((await org.get('/invoices/series')).series.map(({ seriesName }: Json) => seriesName).toSorted()).toEqual(['default', series.series_name])
    expect((await org.invoice({ date: TODAY })).invoice_number).toBe(`INV-${years[0]!.label}-001`)
    expect((await org.invoice({ date: years[1]!.start })).invoice_number).toBe(`INV-${years[1]!.label}-001`)
  })

  test('may not change once a number was taken, be it a deleted draft\'s', async () => {
    const [org, billed] = [await openOrganization(service), await openOrganization(service)]
    const { invoice_id } = await org.invoice({ date: TODAY })
    await org.send('DELETE', `/invoices/${invoice_id}`)
    await billed.bill({ date: TODAY })
    for (const { orgId } of [org, billed]) {
      const before = await periods(orgId)
      expect(refusalOf(await put(orgId, { fiscal_year_start_month: 1 }))).toMatchObject({ status: 409, code: 'conflict.in_use', field: 'fiscal_year_start_month' })
      expect(await periods(orgId)).toEqual(before)
    }
  })
})
