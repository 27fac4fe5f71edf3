// Recurring schedules over HTTP: what is accepted, what a change, a pause and a resumption do, and whom they belong to.
import { expect, test } from '@jest/globals'
import { addDays } from '../../domain/dates.ts'
import { AHEAD, expenseBody, invoiceBody, journalBody, scheduleBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { midnight, openOrganization, TODAY } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const NOWHERE = '019e0000-0000-7000-8000-000000000000'
const service = await useService()
const ours = await openOrganization(service)
const at = (date: string) => `${date}T03:30:00.000Z`

const add = async (changes: Json = {}, org = ours): Promise<Json> =>
  (await org.send('POST', '/recurring', scheduleBody(org, changes))).recurring
const refused = (changes: Json) => ours.refusal('POST', '/recurring', scheduleBody(ours, changes))
const change = async (id: string, body: Json): Promise<Json> => (await ours.send('PUT', `/recurring/${id}`, body)).recurring
const read = async (id: string): Promise<Json> => (await ours.get(`/recurring/${id}`)).recurring
const previewOf = async (id: string, count = 3): Promise<string[]> =>
  (await ours.get(`/recurring/${id}/preview?count=${count}`)).preview.map(({ date }: Json) => date.slice(0, 10))

test('a schedule has its defaults, and its first run at 09:00 in India on its start date', async () => {
  const { recurring_id, created_time, last_modified_time, template_payload, ...rest } = await add()
  expect(rest).toEqual({
    entity_type: 'INVOICE', name: 'Rent', frequency: 'MONTHLY', interval: 1, month_anchor: 'START_DAY', start_date: midnight(`${AHEAD}-01-01`), end_date: null,
    next_run_at: at(`${AHEAD}-01-01`), last_run_at: null, is_active: true, status: 'ACTIVE', template_entity_id: null, run_count: 0, max_runs: null,
    auto_approve: false, auto_charge: false, last_error: null,
  })
  expect(created_time).toBe(last_modified_time)
  expect(template_payload).toEqual(scheduleBody(ours).template_payload)
  expect(await read(recurring_id)).toMatchObject({ recurring_id, ...rest })
  expect((await ours.get(`/recurring/${recurring_id}/runs`))).toMatchObject({ runs: [], page_context: { page: 1, per_page: 50, has_more_page: false } })
})

test('fields that the payload does not know are ignored, and its date may be left out', async () => {
  const payload = { ...invoiceBody(ours), colour: 'red', line_items: [{ name: 'Rent', quantity: 1, rate: 5, shade: { deep: true } }] }
  const { template_payload } = await add({ template_payload: payload })
  expect(template_payload).toEqual({ ...invoiceBody(ours), line_items: [{ name: 'Rent', quantity: 1, rate: 5 }] })
})

test('the preview has the dates and numbers to come, as far as the schedule goes', async () => {
  const { recurring_id } = await add({ start_date: `${AHEAD}-01-31`, max_runs: 3 })
  expect((await ours.get(`/recurring/${recurring_id}/preview`)).preview).toEqual([
    { occurrence: 1, date: midnight(`${AHEAD}-01-31`), run_at: at(`${AHEAD}-01-31`) },
    { occurrence: 2, date: midnight(`${AHEAD}-02-28`), run_at: at(`${AHEAD}-02-28`) },
    { occurrence: 3, date: midnight(`${AHEAD}-03-31`), run_at: at(`${AHEAD}-03-31`) },
  ])
  const yearly = await add({ frequency: 'YEARLY', start_date: `${AHEAD + 1}-02-29`, end_date: `${AHEAD + 4}-02-28` })
  expect(await previewOf(yearly.recurring_id, 100)).toEqual([`${AHEAD + 1}-02-29`, `${AHEAD + 2}-02-28`, `${AHEAD + 3}-02-28`, `${AHEAD + 4}-02-28`])
  const lastDays = await add({ start_date: `${AHEAD}-01-15`, month_anchor: 'LAST_DAY' })
  expect(lastDays.next_run_at).toBe(at(`${AHEAD}-01-31`))
  for (const count of [0, 101, 'x']) {
    expect(await ours.refusal('GET', `/recurring/${recurring_id}/preview?count=${count}`)).toMatchObject({ status: 400, field: 'count' })
  }
})

test.each<[string, Json, Json]>([
  ['neither template', { template_payload: null }, { status: 400, code: 'validation.required_field', field: 'template_entity_id' }],
  ['both templates', { template_entity_id: NOWHERE }, { status: 400, code: 'validation.required_field', field: 'template_entity_id' }],
  ['an unknown kind', { entity_type: 'PAYMENT' }, {
    status: 400, code: 'validation.invalid_value', field: 'entity_type', details: { valid: ['INVOICE', 'BILL', 'EXPENSE', 'JOURNAL'] },
  }],
  ['a template that is nowhere', { template_payload: null, template_entity_id: NOWHERE }, { status: 404, code: 'not_found.resource', field: 'template_entity_id' }],
  ['a template that can be none', { template_payload: null, template_entity_id: 'x' }, { status: 404, code: 'not_found.resource', field: 'template_entity_id' }],
  ['an end before the start', { end_date: '2026-12-31' }, { status: 400, code: 'validation.invalid_value', field: 'end_date' }],
  ['an end before the first last day', { month_anchor: 'LAST_DAY', end_date: `${AHEAD}-01-30` }, { status: 400, field: 'end_date' }],
  ['last days of weeks', { frequency: 'WEEKLY', month_anchor: 'LAST_DAY' }, { status: 400, field: 'month_anchor' }],
  ['a link for a bill', { entity_type: 'BILL', auto_charge: true, template_payload: { vendor_id: NOWHERE, place_of_supply: 'IN-KA', line_items: [{ name: 'Rent', quantity: 1, rate: 5 }] } },
    { status: 400, field: 'auto_charge' }],
  ['an unknown variable', { template_payload: { ...invoiceBody(ours), notes: 'Rent of {{moon}}' } }, { status: 400, code: 'validation.invalid_value', field: 'template_payload.notes' }],
  ['a due date before the date', { template_payload: { ...invoiceBody(ours), due_date: '2026-11-09' } }, { status: 400, field: 'template_payload.due_date' }],
])('%s is refused', async (_case, changes, refusal) => {
  expect(await refused(changes)).toMatchObject(refusal)
})

test('a body or a payload of the wrong shape is told its problems', async () => {
  const { status, errors } = await refused({ frequency: 'HOURLY', interval: 0, name: ' ', start_date: '2027-02-30', max_runs: 0, is_active: 'yes' })
  expect(status).toBe(422)
  expect(errors.map(({ field }: Json) => field).sort()).toEqual(['frequency', 'interval', 'is_active', 'max_runs', 'name', 'start_date'])
  expect(await refused({ template_payload: { customer_id: ours.customerId, line_items: [{ name: 'x', quantity: 0, rate: 1 }] } })).toMatchObject({
    status: 422, code: 'validation.failed',
    errors: expect.arrayContaining([
      expect.objectContaining({ field: 'template_payload.place_of_supply', code: 'required' }),
      expect.objectContaining({ field: 'template_payload.line_items.0.quantity', code: 'out_of_range' }),
    ]),
  })
  expect(await refused({ entity_type: 'JOURNAL', template_payload: { lines: [] } })).toMatchObject({ status: 422, errors: [{ field: 'template_payload.lines' }] })
})

test('every kind has a template: a payload, or a document of that kind', async () => {
  const { invoice_id } = await ours.invoice()
  const { bill_id } = await ours.bill()
  const { expense } = await ours.send('POST', '/expenses', expenseBody(ours))
  const { journal } = await ours.send('POST', '/journals', journalBody(ours))
  for (const [entity_type, template_entity_id, other] of [
    ['INVOICE', invoice_id, bill_id], ['BILL', bill_id, invoice_id], ['EXPENSE', expense.expense_id, bill_id], ['JOURNAL', journal.journal_id, invoice_id],
  ]) {
    expect(await add({ entity_type, template_payload: null, template_entity_id: template_entity_id.toUpperCase() })).toMatchObject({ entity_type, template_entity_id })
    expect(await refused({ entity_type, template_payload: null, template_entity_id: other })).toMatchObject({ status: 404, field: 'template_entity_id' })
  }
  const posted = (await ours.get('/journals?source=EXPENSE')).journals[0].journal_id
  expect(await refused({ entity_type: 'JOURNAL', template_payload: null, template_entity_id: posted })).toMatchObject({ status: 400, field: 'template_entity_id' })
  expect(await add({ entity_type: 'EXPENSE', template_payload: expenseBody(ours) })).toMatchObject({ entity_type: 'EXPENSE' })
})

test('a changed rule counts anew from the start date, an explicit next_run_at from that date', async () => {
  const { recurring_id } = await add({ start_date: `${AHEAD}-01-31` })
  expect(await change(recurring_id, { frequency: 'WEEKLY', interval: 2 })).toMatchObject({ next_run_at: at(`${AHEAD}-01-31`) })
  expect(await previewOf(recurring_id)).toEqual([`${AHEAD}-01-31`, `${AHEAD}-02-14`, `${AHEAD}-02-28`])
  expect(await change(recurring_id, { next_run_at: `${AHEAD}-03-05T20:00:00Z` })).toMatchObject({ next_run_at: at(`${AHEAD}-03-06`), start_date: midnight(`${AHEAD}-01-31`) })
  expect(await previewOf(recurring_id)).toEqual([`${AHEAD}-03-06`, `${AHEAD}-03-20`, `${AHEAD}-04-03`])
  expect(await change(recurring_id, { start_date: `${AHEAD}-05-31`, frequency: 'MONTHLY', interval: 1 })).toMatchObject({ next_run_at: at(`${AHEAD}-05-31`) })
  expect(await previewOf(recurring_id)).toEqual([`${AHEAD}-05-31`, `${AHEAD}-06-30`, `${AHEAD}-07-31`])
  expect(await ours.refusal('PUT', `/recurring/${recurring_id}`, { end_date: `${AHEAD}-06-01`, next_run_at: `${AHEAD}-06-02` }))
    .toMatchObject({ status: 400, field: 'next_run_at' })
  expect(await ours.refusal('PUT', `/recurring/${recurring_id}`, { end_date: `${AHEAD}-05-30` })).toMatchObject({ status: 400, field: 'end_date' })
})

test('the template changes from a payload to a document and back; sending both is refused', async () => {
  const { recurring_id, template_payload } = await add()
  const { invoice_id } = await ours.invoice()
  expect(await change(recurring_id, { template_entity_id: invoice_id })).toMatchObject({ template_entity_id: invoice_id, template_payload: null })
  expect(await change(recurring_id, { template_payload })).toMatchObject({ template_entity_id: null, template_payload })
  const more = { ...template_payload, notes: 'New' }
  expect(await change(recurring_id, { template_payload: more })).toMatchObject({ template_payload: more })
  expect(await ours.refusal('PUT', `/recurring/${recurring_id}`, { template_entity_id: invoice_id, template_payload: more })).toMatchObject({ status: 400, field: 'template_entity_id' })
  expect(await ours.refusal('PUT', `/recurring/${recurring_id}`, { template_payload: null })).toMatchObject({ status: 400, field: 'template_entity_id' })
  expect(await ours.refusal('PUT', `/recurring/${recurring_id}`, { entity_type: 'BILL' })).toMatchObject({ status: 400, field: 'entity_type' })
})

test('a change to what it is already changes nothing; the log tells the others', async () => {
  const schedule = await add()
  expect(await change(schedule.recurring_id, schedule)).toEqual(schedule)
  await change(schedule.recurring_id, { name: 'Rent of the shop', max_runs: 6 })
  const { activity } = await ours.get(`/activity?entity_id=${schedule.recurring_id}`)
  expect(activity.map(({ action, entity_type, changes }: Json) => [action, entity_type, changes])).toEqual([
    ['RECURRING_UPDATED', 'RECURRING', { name: { old: 'Rent', new: 'Rent of the shop' }, max_runs: { old: null, new: 6 } }],
    ['RECURRING_CREATED', 'RECURRING', null],
  ])
})

test('paused it keeps its next run; resumed it skips what fell due meanwhile', async () => {
  const { recurring_id: id } = await add({ frequency: 'DAILY', start_date: addDays(TODAY, -40) })
  expect((await ours.send('POST', `/recurring/${id}/pause`)).recurring).toMatchObject({ is_active: false, status: 'PAUSED', next_run_at: at(addDays(TODAY, -40)) })
  expect(await ours.refusal('POST', `/recurring/${id}/pause`)).toMatchObject({ status: 409, code: 'conflict.invalid_state', details: { status: 'PAUSED', allowed: ['ACTIVE'] } })
  const [whilePaused] = (await ours.get(`/recurring/${id}/preview?count=1`)).preview
  const { recurring } = await ours.send('POST', `/recurring/${id}/resume`)
  expect(recurring).toMatchObject({ is_active: true, status: 'ACTIVE', run_count: 0 })
  expect([at(TODAY), at(addDays(TODAY, 1))]).toContain(recurring.next_run_at)
  expect(Date.parse(recurring.next_run_at)).toBeGreaterThan(Date.parse(recurring.last_modified_time))
  const [next] = (await ours.get(`/recurring/${id}/preview?count=1`)).preview
  expect(next).toMatchObject({ occurrence: next.date === midnight(TODAY) ? 41 : 42, run_at: recurring.next_run_at })
  // Unless a tick was due between the two calls.
  expect([next.occurrence, next.occurrence - 1]).toContain(whilePaused.occurrence)
  expect(await ours.refusal('POST', `/recurring/${id}/resume`)).toMatchObject({ status: 409, code: 'conflict.invalid_state' })
  const ahead = await add({ is_active: false })
  expect(ahead).toMatchObject({ is_active: false, status: 'PAUSED' })
  expect((await ours.send('POST', `/recurring/${ahead.recurring_id}/resume`)).recurring.next_run_at).toBe(at(`${AHEAD}-01-01`))
})

test('is_active in a PUT pauses and resumes too, and an end that is past completes', async () => {
  const { recurring_id: id } = await add({ start_date: addDays(TODAY, -3), end_date: addDays(TODAY, 300) })
  expect(await change(id, { is_active: false })).toMatchObject({ status: 'PAUSED' })
  expect(await change(id, { is_active: true })).toMatchObject({ status: 'ACTIVE' })
  await change(id, { is_active: false })
  await change(id, { end_date: TODAY })
  expect(await read(id)).toMatchObject({ status: 'COMPLETED', is_active: false, next_run_at: null })
  expect((await ours.get(`/recurring/${id}/preview`)).preview).toEqual([])
  expect(await ours.refusal('POST', `/recurring/${id}/resume`)).toMatchObject({ status: 409, details: { status: 'COMPLETED' } })
  expect(await ours.refusal('PUT', `/recurring/${id}`, { is_active: true })).toMatchObject({ status: 409, code: 'conflict.invalid_state' })
  expect(await change(id, { end_date: null })).toMatchObject({ status: 'PAUSED', is_active: false })
  expect(await change(id, { is_active: true })).toMatchObject({ status: 'ACTIVE' })
})

test('a change tries a failed run again, and leaves what 31 documents have put off', async () => {
  const { recurring_id: id } = await add()
  const putOff = async (failures: number, body: Json) => {
    await service.sql(`UPDATE recurring_schedules SET not_before = '${AHEAD}-01-01', failures = $2 WHERE id = $1`, id, failures)
    await change(id, body)
    const [row] = await service.sql<Json>('SELECT not_before IS NOT NULL AS off FROM recurring_schedules WHERE id = $1', id)
    return row!.off
  }
  expect(await putOff(0, { name: 'Rent, renamed' })).toBe(true)
  expect(await putOff(1, { name: 'Rent' })).toBe(false)
  expect(await putOff(0, { next_run_at: `${AHEAD}-02-01` })).toBe(false)
})

test('a deleted schedule is gone', async () => {
  const { recurring_id } = await add()
  expect(await ours.send('DELETE', `/recurring/${recurring_id}`)).toEqual({ code: 0, message: 'Recurring schedule deleted.' })
  for (const [method, path] of [['GET', ''], ['GET', '/runs'], ['GET', '/preview'], ['DELETE', ''], ['POST', '/pause'], ['POST', '/resume']] as const) {
    expect(await ours.refusal(method, `/recurring/${recurring_id}${path}`)).toMatchObject({ status: 404, code: 'not_found.resource' })
  }
})

test('the list is in the order of the next run, the completed last, filtered and in pages by number', async () => {
  const org = await openOrganization(service)
  for (const start_date of [`${AHEAD}-03-01`, `${AHEAD}-01-01`, `${AHEAD}-02-01`]) await add({ name: start_date, start_date }, org)
  await add({ name: 'paused', start_date: `${AHEAD}-04-01`, is_active: false }, org)
  await add({ name: 'expense', entity_type: 'EXPENSE', start_date: `${AHEAD}-05-01`, template_payload: expenseBody(org) }, org)
  const list = async (query = '') => {
    const { recurring, page_context } = await org.get(`/recurring${query}`)
    return [recurring.map(({ name }: Json) => name), page_context]
  }
  expect(await list()).toEqual([[`${AHEAD}-01-01`, `${AHEAD}-02-01`, `${AHEAD}-03-01`, 'paused', 'expense'], { page: 1, per_page: 50, has_more_page: false }])
  expect(await list('?per_page=2')).toEqual([[`${AHEAD}-01-01`, `${AHEAD}-02-01`], { page: 1, per_page: 2, has_more_page: true }])
  expect(await list('?per_page=2&page=3')).toEqual([['expense'], { page: 3, per_page: 2, has_more_page: false }])
  expect((await list('?is_active=false'))[0]).toEqual(['paused'])
  expect((await list('?is_active=true&entity_type=EXPENSE'))[0]).toEqual(['expense'])
  expect(await org.refusal('GET', '/recurring?entity_type=PAYMENT')).toMatchObject({ status: 400, field: 'entity_type', details: { valid: ['INVOICE', 'BILL', 'EXPENSE', 'JOURNAL'] } })
  expect(await org.refusal('GET', '/recurring?per_page=201')).toMatchObject({ status: 400, field: 'per_page' })
})

test('a schedule of another organisation is not found, nor is a template', async () => {
  const theirs = await openOrganization(service)
  const { recurring_id } = await add()
  const { invoice_id } = await ours.invoice()
  for (const [method, path] of [['GET', ''], ['GET', '/runs'], ['GET', '/preview'], ['DELETE', ''], ['POST', '/pause'], ['POST', '/resume']] as const) {
    expect(await theirs.refusal(method, `/recurring/${recurring_id}${path}`)).toMatchObject({ status: 404, code: 'not_found.resource' })
  }
  expect(await theirs.refusal('PUT', `/recurring/${recurring_id}`, { name: 'Mine' })).toMatchObject({ status: 404 })
  expect(await theirs.refusal('POST', '/recurring', scheduleBody(theirs, { template_payload: null, template_entity_id: invoice_id }))).toMatchObject({ status: 404 })
  expect((await theirs.get('/recurring')).recurring).toEqual([])
})

test('the same key at once creates one schedule', async () => {
  const org = await openOrganization(service)
  const key = 'rent-of-the-shop'
  const answers = await Promise.all(Array.from({ length: 8 }, () => org.client.post('/recurring', scheduleBody(org), key)))
  expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true)
  expect((await org.get('/recurring')).recurring).toHaveLength(1)
})

test('each change leaves a signal for its workflow, in the transaction of the change', async () => {
  const { recurring_id: id } = await add()
  await ours.send('POST', `/recurring/${id}/pause`)
  await ours.send('POST', `/recurring/${id}/resume`)
  await change(id, { name: 'Other' })
  await ours.send('DELETE', `/recurring/${id}`)
  const signals = await service.sql<{ signal: string }>('SELECT signal FROM recurring_signals WHERE schedule_id = $1 ORDER BY created_time, id', id)
  expect(signals.map(({ signal }) => signal)).toEqual(['configChanged', 'pause', 'resume', 'configChanged', 'deleted'])
})
