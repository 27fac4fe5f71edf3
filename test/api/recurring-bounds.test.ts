// What an organisation may make grow by its recurring schedules has a bound.
import { expect, test } from '@jest/globals'
import { everything } from '../../models/condition.ts'
import { pageOfSchedules } from '../../models/recurring.ts'
import { AHEAD, scheduleBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()

test('an organisation has at most 10,000 schedules that are not completed', async () => {
  const org = await openOrganization(service)
  const { recurring_id: id } = (await org.send('POST', '/recurring', scheduleBody(org))).recurring
  await service.sql(
    `INSERT INTO recurring_schedules SELECT (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid()))).*
     FROM recurring_schedules AS s, generate_series(1, 9999) WHERE s.id = $1`, id)
  expect(await org.refusal('POST', '/recurring', scheduleBody(org))).toMatchObject({ status: 409, code: 'conflict.limit_reached', details: { limit: 10_000 } })
  await service.sql(`UPDATE recurring_schedules SET status = 'COMPLETED', next_run_at = NULL WHERE id = $1`, id)
  expect((await org.send('POST', '/recurring', scheduleBody(org))).recurring).toMatchObject({ status: 'ACTIVE' })
  await service.sql('DELETE FROM recurring_schedules WHERE org_id = $1', org.client.orgId)
})

test('a page of large templates is whole and in order, and holds only the ids of those that are not sent yet', async () => {
  const org = await openOrganization(service)
  const line_items = Array.from({ length: 100 }, (_, n) => ({ name: `Line ${n}`, description: 'As ordered. '.repeat(150), quantity: 1, rate: n + 1 }))
  const starts = [`${AHEAD}-01-01`, `${AHEAD}-02-01`, `${AHEAD}-03-01`, `${AHEAD}-04-01`, `${AHEAD}-05-01`, `${AHEAD}-06-01`, `${AHEAD}-07-01`, `${AHEAD}-08-01`]
  for (const start_date of starts.toReversed()) {
    const body = scheduleBody(org, { start_date })
    await org.send('POST', '/recurring', { ...body, template_payload: { ...(body.template_payload as Json), line_items } })
  }
  const { recurring } = await org.get('/recurring?per_page=200')
  expect(recurring.map(({ start_date }: Json) => start_date.slice(0, 10))).toEqual(starts)
  expect(recurring.every(({ template_payload }: Json) => template_payload.line_items.length === 100)).toBe(true)
  const page = await pageOfSchedules({ connection: service.database, orgId: org.client.orgId }, everything, { page: 1, perPage: 200 })
  expect(page.rows).toEqual(recurring.map(({ recurring_id: id }: Json) => ({ id })))
})
