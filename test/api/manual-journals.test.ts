// Manual journals over HTTP: posting, refusing, deleting.
import { describe, expect, test } from '@jest/globals'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, TODAY } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)
const theirs = await openOrganization(service)

const body = (changes: Record<string, unknown> = {}) => ({
  date: '2026-11-10',
  lines: [{ account_id: ours.accounts.Depreciation, debit: 250.5, description: 'The year' }, { account_id: ours.accounts['Accumulated Depreciation'], credit: 250.5 }],
  ...changes,
})
const sides = (dr: number, cr: number, org = ours) => ({
  lines: [{ account_id: org.accounts.Rent, debit: dr }, { account_id: org.accounts['Bank Account'], credit: cr }],
})
const post = async (changes: Record<string, unknown> = {}) => (await ours.send('POST', '/journals', body(changes))).journal
const refused = (changes: Record<string, unknown>) => ours.refusal('POST', '/journals', body(changes))
const written = ({ lines }: Json) => lines.map(({ account_name, debit, credit }: Json) => `${account_name} ${debit} ${credit}`)

test('a manual journal answers what the ledger keeps', async () => {
  const { body: answered, status } = await ours.client.post('/journals', body({ memo: 'Depreciation', contact_id: ours.customerId }))
  expect([status, answered.code, answered.message]).toEqual([201, 0, 'Journal posted.'])
  const { journal } = answered
  expect(journal).toEqual({
    journal_id: expect.any(String), journal_number: 'JV-00001', date: '2026-11-10T00:00:00.000Z', source: 'MANUAL', source_id: null,
    memo: 'Depreciation', contact_id: ours.customerId,
    lines: [
      { account_id: ours.accounts.Depreciation, account_name: 'Depreciation', debit: 250.5, credit: 0, description: 'The year', contact_id: ours.customerId },
      { account_id: ours.accounts['Accumulated Depreciation'], account_name: 'Accumulated Depreciation', debit: 0, credit: 250.5, description: null, contact_id: ours.customerId },
    ],
    reversal_of: null, reversed_by: null, tags: [], created_time: expect.any(String), last_modified_time: journal.created_time,
  })
  expect((await ours.get(`/journals/${journal.journal_id}`)).journal).toEqual(journal)
  expect((await ours.get('/journals?source=MANUAL')).journals).toEqual([journal])
  const [event] = await service.sql<Json>('SELECT event_type, data FROM webhook_events WHERE entity_id = $1', journal.journal_id)
  expect(event).toEqual({
    event_type: 'JOURNAL_POSTED',
    data: { id: journal.journal_id, number: 'JV-00001', contact_id: ours.customerId, total: 250.5, status: null, source: 'MANUAL', sequence: 1 },
  })
  expect((await ours.get(`/activity?entity_id=${journal.journal_id}`)).activity).toMatchObject([{ action: 'JOURNAL_CREATED', entity_type: 'JOURNAL', entity_ref: 'JV-00001' }])
})

test('a side that is no number is reported as one, even where nothing can make a number of it', async () => {
  const [debit, credit] = sides(100, 100).lines
  for (const odd of [{ toString: 1 }, { valueOf: 1, toString: 1 }, [{ toString: 1 }], '100', true, {}]) {
    expect(await refused({ lines: [{ ...debit, debit: odd }, credit] }))
      .toMatchObject({ status: 422, code: 'validation.failed', errors: [{ field: 'lines.0.debit', code: 'type' }] })
    expect(await refused({ lines: [debit, { ...credit, credit: odd }] }))
      .toMatchObject({ status: 422, code: 'validation.failed', errors: [{ field: 'lines.1.credit', code: 'type' }] })
  }
})

test('0.01 goes to Round Off, a paisa more is refused', async () => {
  expect(written(await post(sides(100.01, 100)))).toEqual(['Rent 100.01 0', 'Bank Account 0 100', 'Round Off 0 0.01'])
  expect(written(await post(sides(100, 100.01)))).toEqual(['Rent 100 0', 'Bank Account 0 100.01', 'Round Off 0.01 0'])
  expect(await refused(sides(100.02, 100))).toEqual({
    status: 400, code: 'validation.invalid_value', field: 'lines', details: { difference: 0.02, limit: 0.01 },
  })
})

describe('what is refused', () => {
  const account = () => ours.accounts.Rent
  test.each<[string, () => Record<string, unknown>, string[]]>([
    ['one line', () => ({ lines: [{ account_id: account(), debit: 1 }] }), ['lines']],
    ['no lines', () => ({ lines: null }), ['lines']],
    ['no date', () => ({ date: undefined }), ['date']],
    ['both sides, and none', () => ({ lines: [{ account_id: account(), debit: 1, credit: 1 }, { account_id: account(), debit: 0 }] }), ['lines.0', 'lines.1']],
    ['a negative amount', () => ({ lines: [{ account_id: account(), debit: -1 }, { account_id: account(), credit: -1 }] }), ['lines.0.debit', 'lines.1.credit']],
    ['text', () => ({ lines: [{ account_id: account(), debit: '1' }, { credit: 1 }] }), ['lines.0.debit', 'lines.1.account_id']],
  ])('%s: 422', async (_name, changes, fields) => {
    const { status, code, errors } = await refused(changes())
    expect([status, code, errors.map(({ field }: Json) => field).sort()]).toEqual([422, 'validation.failed', fields])
  })

  test('404 for an account or contact that does not exist, or of others', async () => {
    expect(await refused(sides(1, 1, theirs))).toEqual({ status: 404, code: 'not_found.resource', field: 'lines.0.account_id' })
    expect(await refused({ lines: [{ account_id: account(), debit: 1 }, { account_id: 'x', credit: 1 }] })).toMatchObject({ status: 404, field: 'lines.1.account_id' })
    expect(await refused({ contact_id: theirs.customerId })).toEqual({ status: 404, code: 'not_found.resource', field: 'contact_id' })
    expect(await refused({ lines: [{ account_id: account(), debit: 1 }, { account_id: account(), credit: 1, contact_id: 'x' }] })).toMatchObject({ status: 404, field: 'lines.1.contact_id' })
  })

  test('digits that the currency does not have are rounded, before the sides are compared; what comes to nothing is refused', async () => {
    expect(written(await post(sides(1.005, 1.014)))).toEqual(['Rent 1.01 0', 'Bank Account 0 1.01'])
    expect(written(await post(sides(1.005, 1.004)))).toEqual(['Rent 1.01 0', 'Bank Account 0 1', 'Round Off 0 0.01'])
    expect(await refused(sides(1.015, 1.004))).toMatchObject({ field: 'lines', details: { difference: 0.02, limit: 0.01 } })
    expect(await refused(sides(0.004, 1))).toEqual({ status: 400, code: 'validation.invalid_value', field: 'lines.0.debit' })
    const abroad = await openOrganization(service, { currency_code: 'JPY' })
    const yen = async (dr: number, cr: number) => (await abroad.send('POST', '/journals', { date: '2026-11-10', ...sides(dr, cr, abroad) })).journal
    expect(written(await yen(7.5, 8))).toEqual(['Rent 8 0', 'Bank Account 0 8'])
  })
})

describe('deleting', () => {
  test('a manual journal is reversed today, and both are hidden', async () => {
    const journal = await post({ memo: 'A slip' })
    const path = `/journals/${journal.journal_id}`
    expect(await theirs.refusal('DELETE', path)).toMatchObject({ status: 404 })
    expect(await ours.send('DELETE', path)).toEqual({ code: 0, message: 'Journal deleted.' })
    for (const method of ['GET', 'DELETE']) expect(await ours.refusal(method, path)).toEqual({ status: 404, code: 'not_found.resource' })
    const { journal: kept } = await ours.get(`${path}?include_reversed=true`)
    const reversal = (await ours.get(`/journals/${kept.reversed_by}?include_reversed=true`)).journal
    expect(reversal).toMatchObject({ source: 'MANUAL', reversal_of: journal.journal_id, date: `${TODAY}T00:00:00.000Z`, memo: `Deletion of journal ${journal.journal_number}` })
    expect(written(reversal)).toEqual(['Depreciation 0 250.5', 'Accumulated Depreciation 250.5 0'])
    expect(await ours.refusal('DELETE', `/journals/${reversal.journal_id}`)).toMatchObject({ status: 404 })
    expect((await ours.get(`/activity?entity_id=${journal.journal_id}`)).activity[0]).toMatchObject({ action: 'JOURNAL_DELETED' })
    expect((await ours.get('/journals?per_page=200')).journals.map(({ memo }: Json) => memo)).not.toContain('A slip')
  })

  test('at once, by many: one reversal', async () => {
    const { journal_id } = await post({ memo: 'Asked for by many' })
    const answers = await Promise.all(Array.from({ length: 6 }, () => ours.client.delete(`/journals/${journal_id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404])
  })

  test('an entry that a document posted is refused', async () => {
    const invoice = await ours.invoice({ auto_approve: true })
    const [journal] = (await ours.get('/journals?source=INVOICE')).journals
    expect(journal.source_id).toBe(invoice.invoice_id)
    expect(await ours.refusal('DELETE', `/journals/${journal.journal_id}`)).toEqual({ status: 409, code: 'conflict.invalid_state', details: { status: null, allowed: [], source: 'INVOICE' } })
  })
})
