// The partner channel over HTTP: organisations with their tokens, suspended, reactivated, and nobody else's.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { nextFinancialYear } from '../../domain/financial-year.ts'
import { GST_TAX_LIST } from '../../domain/gst.ts'
import type { Answered, Json } from '../fixtures/client.ts'
import { THIS_YEAR, TODAY } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()

const otherKey = await service.newPartnerKey()

const NOT_FOUND = { status: 404, code: 'not_found.resource' }
const COLLECTION = '/partner/organizations'
const call = (method: string, path: string, body?: unknown, { key = randomUUID() as string, partnerKey = service.partnerKey } = {}) =>
  service.call(method, path, { partnerKey, ...(method === 'POST' ? { key } : {}), ...(body === undefined ? {} : { body }) })
const create = async (changes: Record<string, unknown> = {}): Promise<Json> => (await call('POST', COLLECTION, { name: 'Rekha Foods', ...changes })).body
const STATE_ASSUMED = { code: 'validation.state_assumed', message: expect.stringContaining('IN-KA'), details: { state_code: 'IN-KA' } }
const whoami = (token: string) => service.call('GET', '/whoami', { token })
const refusalOf = ({ status, body: { message: _message, request_id: _id, ...refused } }: Answered) => ({ status, ...refused })

describe('creation', () => {
  test.each([COLLECTION, '/provision/organization'])('POST %s answers the organisation and its token, shown once', async (path) => {
    const { status, body } = await call('POST', path, { name: ' Rekha Foods ', unknown: 1 })
    expect(status).toBe(201)
    expect(body).toEqual({
      code: 0, message: 'Organization created.',
      organization: {
        org_id: expect.any(String), name: 'Rekha Foods', legal_name: null, gstin: null, status: 'ACTIVE', currency_code: 'INR', fiscal_year_start_month: 4,
        time_zone: 'Asia/Kolkata', external_ref: null, sandbox: false, created_time: expect.stringMatching(/Z$/), last_modified_time: body.organization.created_time,
      },
      token: { token_id: expect.any(String), token: expect.stringMatching(/^svc_pat_[A-Za-z0-9_-]{43}$/), scopes: ['Svc.fullaccess.all'], tier: 'PARTNER' },
      warnings: [STATE_ASSUMED],
    })
    const { org_id } = body.organization
    expect((await call('GET', `${COLLECTION}/${org_id}`)).body).toEqual({ code: 0, message: 'success', organization: body.organization })
    expect((await whoami(body.token.token)).body).toEqual({
      code: 0, message: 'success', organization: { org_id, name: 'Rekha Foods', status: 'ACTIVE', sandbox: false },
      token: { token_id: body.token.token_id, org_id, user_id: expect.any(String), scopes: ['Svc.fullaccess.all'], tier: 'PARTNER' },
    })
    const [{ kept } = { kept: '' }] = await service.sql<{ kept: string }>('SELECT string_agg(t::text, $1) AS kept FROM tokens AS t', '')
    expect(kept).not.toContain(body.token.token)
  })

  test.each([
    [{ gstin: '27AAPFU0939F1ZV' }, { gstin: '27AAPFU0939F1ZV' }, { state: 'IN-MH', gstin: '27AAPFU0939F1ZV' }],
    [{ gstin: ' 27aapfu0939f1zv ', state_code: 'Maharashtra', legal_name: 'Rekha Foods LLP' }, { gstin: '27AAPFU0939F1ZV', legal_name: 'Rekha Foods LLP' }, { state: 'IN-MH' }],
    [{ state_code: '33' }, {}, { state: 'IN-TN', gstin: null }], [{ state_code: 'IN-UT', address: { city: 'Dehradun' } }, {}, { state: 'IN-UK', city: 'Dehradun' }],
    [{ currency_code: 'AED', time_zone: 'Asia/Dubai', fiscal_year_start_month: 1, sandbox: true }, { currency_code: 'AED', time_zone: 'Asia/Dubai', fiscal_year_start_month: 1, sandbox: true }, {}],
    [{ pan: 'aapfu0939f', address: 'MG Road', email: null, user: { email: 'rekha@foods.example', name: 'Rekha' } }, {}, {}],
  ])('%j is kept', async (body, organization, branch) => {
    const made = await create(body)
    expect(made.organization).toMatchObject(organization)
    const { branches } = (await service.call('GET', '/branches', { token: made.token.token })).body
    expect(branches).toEqual([expect.objectContaining({ ...branch, is_default: true, invoice_prefix: 'INV-', bill_prefix: 'BILL-' })])
  })

  test.each<[Record<string, unknown>, Json[]]>([
    [{ state_code: 'IN-KA' }, []], [{ gstin: '29AAACB1234C1ZB' }, []], [{ gstin: null, state_code: null }, [STATE_ASSUMED]], [{ gstin: ' ' }, [STATE_ASSUMED]],
  ])('%j warns of a state that was assumed, or of nothing', async (body, warnings) => {
    expect((await create(body)).warnings).toEqual(warnings)
  })

  test.each([['asia/kolkata', 'Asia/Kolkata'], ['Asia/Calcutta', 'Asia/Kolkata'], ['US/Pacific', 'America/Los_Angeles']])('the zone %s is kept as %s', async (time_zone, kept) => {
    expect((await create({ time_zone })).organization.time_zone).toBe(kept)
  })

  test('it starts with an owner, a chart, taxes, currencies, two years and their series', async () => {
    const { organization: { org_id }, token: { token } } = await create({ user: { email: 'rekha@foods.example', name: 'Rekha' } })
    const list = async (path: string) => (await service.call('GET', path, { token })).body
    const names = (await list('/accounts?per_page=500')).accounts.map(({ name }: Json) => name)
    expect(names).toEqual(expect.arrayContaining([
      'Round Off', 'Bank Charges', 'TDS Receivable', 'TDS Payable', 'Exchange Gain or Loss', 'Accounts Receivable', 'Accounts Payable', 'Sales',
      ...['CGST', 'SGST', 'IGST', 'Cess'].flatMap((tax) => [`Input ${tax}`, `Output ${tax}`]),
    ]))
    expect((await list('/taxes?per_page=200')).taxes.map(({ name }: Json) => name).toSorted()).toEqual(GST_TAX_LIST.map(({ name }) => name).toSorted())
    expect((await list('/currencies')).currencies.map(({ currency_code }: Json) => currency_code)).toEqual(expect.arrayContaining(['INR', 'USD', 'EUR']))
    for (const { start } of [THIS_YEAR, nextFinancialYear(TODAY, 4)]) {
      expect((await list(`/invoices/series?transactionDate=${start}`)).series).toEqual([expect.objectContaining({ seriesName: 'default', periodId: expect.any(String) })])
    }
    expect(await service.sql('SELECT email, name, role FROM users WHERE org_id = $1', org_id)).toEqual([{ email: 'rekha@foods.example', name: 'Rekha', role: 'OWNER' }])
  })

  test.each([
    ['gstin', { gstin: '27AAPFU0939F1ZW' }], ['gstin', { gstin: '27AAPFU0939F1Z' }], ['pan', { pan: 'AAPFU0939' }], ['state_code', { state_code: 'Atlantis' }],
    ['state_code', { gstin: '27AAPFU0939F1ZV', state_code: 'IN-KA' }], ['currency_code', { currency_code: 'ZZZ' }], ['time_zone', { time_zone: 'Mars/Olympus' }],
    ['scopes', { scopes: ['Svc.invoices.READ', 'Svc.invoices.FLY'] }],
  ])('%s is refused in %j', async (field, body) => {
    expect(refusalOf(await call('POST', COLLECTION, { name: 'X', ...body }))).toMatchObject({ status: 400, code: 'validation.invalid_value', field })
  })

  test.each<[Json, string[]]>([
    [{}, ['name']], [{ name: ' ' }, ['name']], [{ name: 'X', fiscal_year_start_month: 13, sandbox: 'yes', email: 'x' }, ['email', 'fiscal_year_start_month', 'sandbox']],
    [{ name: 'X', user: { email: 'x' }, scopes: [] }, ['scopes', 'user.email']], [{ name: 'X', address: 7 }, ['address']],
  ])('%j has the wrong shape', async (body, fields) => {
    const refused = refusalOf(await call('POST', COLLECTION, body))
    expect([refused.status, refused.code]).toEqual([422, 'validation.failed'])
    expect([...new Set(refused.errors.map(({ field }: Json) => field))].toSorted()).toEqual(fields)
  })

  test('a key is required, and repeated it answers the same raw token', async () => {
    const { status, body } = await service.call('POST', COLLECTION, { partnerKey: service.partnerKey, body: { name: 'X' } })
    expect([status, body.code]).toEqual([400, 'idempotency.key_required'])
    const [first, again] = [await call('POST', COLLECTION, { name: 'Once' }, { key: 'once' }), await call('POST', COLLECTION, { name: 'Once' }, { key: 'once' })]
    expect([again.status, again.text, again.headers['idempotency-replay']]).toEqual([201, first.text, 'true'])
    expect(await service.sql('SELECT FROM organizations WHERE name = $1', 'Once')).toHaveLength(1)
    const kept = await service.sql<{ body: string; sealed: boolean }>('SELECT body, sealed FROM idempotent_answers WHERE key = $1', 'once')
    expect([kept[0]!.sealed, kept[0]!.body.includes('svc_pat_')]).toEqual([true, false])
  })

  test('an external_ref is used once by a partner', async () => {
    const external_ref = `ref ${randomUUID()}`
    expect((await create({ external_ref })).organization.external_ref).toBe(external_ref)
    expect(refusalOf(await call('POST', COLLECTION, { name: 'X', external_ref }))).toEqual({ status: 409, code: 'validation.duplicate_resource', field: 'external_ref' })
    expect((await call('POST', COLLECTION, { name: 'X', external_ref }, { partnerKey: otherKey })).status).toBe(201)
  })

  test('of two at once with one external_ref, one is made', async () => {
    const external_ref = `ref ${randomUUID()}`
    const answers = await Promise.all([1, 2, 3].map(() => call('POST', COLLECTION, { name: 'X', external_ref })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
    expect(await service.sql('SELECT FROM organizations WHERE external_ref = $1', external_ref)).toHaveLength(1)
  })

  test('scopes bound the token, a sandbox marks it', async () => {
    const { token } = await create({ scopes: ['Svc.contacts.READ'], sandbox: true })
    expect(token).toMatchObject({ token: expect.stringMatching(/^svc_pat_test_/), scopes: ['Svc.contacts.READ'] })
    expect((await service.call('GET', '/contacts', { token: token.token })).status).toBe(200)
    expect(refusalOf(await service.call('POST', '/contacts', { token: token.token, body: { contact_name: 'X' } }))).toMatchObject({ status: 403, code: 'auth.insufficient_scope' })
    expect((await whoami(token.token)).body.organization.sandbox).toBe(true)
  })
})

test('a suspended organisation is closed to its tokens until it is reactivated', async () => {
  const { organization, token: { token } } = await create()
  const path = `${COLLECTION}/${organization.org_id}`
  const { body } = await call('POST', `${path}/suspend`)
  expect(body).toMatchObject({ message: 'Organization suspended.', organization: { ...organization, status: 'SUSPENDED', last_modified_time: expect.any(String) } })
  expect((await call('POST', `${path}/suspend`)).body.organization).toEqual(body.organization)
  const { token: { token: second } } = (await call('POST', `${path}/token`, { grace_seconds: 600 })).body
  for (const secret of [token, second]) {
    for (const [method, of] of [['GET', '/whoami'], ['GET', '/contacts'], ['POST', '/contacts'], ['GET', '/activity']] as const) {
      expect(refusalOf(await service.call(method, of, { token: secret }))).toEqual({ status: 403, code: 'authz.organization_suspended' })
    }
  }
  const { body: again } = await call('POST', `${path}/reactivate`)
  expect(again).toMatchObject({ message: 'Organization reactivated.', organization: { status: 'ACTIVE' } })
  expect([(await whoami(token)).status, (await whoami(second)).status]).toEqual([200, 200])
})

test('another partner\'s organisations do not exist, and none opens without a key', async () => {
  const { organization: { org_id }, token: { token } } = await create()
  const calls = [['GET', `/${org_id}`], ['PUT', `/${org_id}`], ['POST', `/${org_id}/token`], ['POST', `/${org_id}/suspend`], ['POST', `/${org_id}/reactivate`]] as const
  for (const [method, path] of calls) {
    expect(refusalOf(await call(method, COLLECTION + path, method === 'PUT' ? {} : undefined, { partnerKey: otherKey }))).toEqual(NOT_FOUND)
    expect(refusalOf(await call(method, (COLLECTION + path).replace(org_id, 'none'), method === 'PUT' ? {} : undefined))).toEqual(NOT_FOUND)
    const keys: Record<string, string>[] = [{}, { 'x-partner-key': 'svc_prt_wrong' }, { 'x-partner-key': token }, { authorization: `Bearer ${token}` }]
    for (const headers of keys) {
      expect(refusalOf(await service.call(method, COLLECTION + path, { headers }))).toEqual({ status: 401, code: 'auth.invalid_token' })
    }
  }
  expect((await whoami(token)).status).toBe(200)
  expect((await whoami(service.partnerKey)).status).toBe(401)
  const listed = async (partnerKey: string) => (await call('GET', `${COLLECTION}?per_page=200`, undefined, { partnerKey })).body.organizations.map((each: Json) => each.org_id)
  expect(await listed(service.partnerKey)).toContain(org_id)
  expect(await listed(otherKey)).not.toContain(org_id)
})
