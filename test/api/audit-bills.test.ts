// What the audit finds when somebody has been at the bills behind the books' back.
import { beforeEach, expect, test } from '@jest/globals'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, THIS_YEAR } from '../fixtures/organization.ts'
import { useServiceWithoutAudit } from '../fixtures/use-service.ts'

let posted: Json

const service = await useServiceWithoutAudit()
const ours = await openOrganization(service)
beforeEach(async () => { posted = await ours.bill({ date: THIS_YEAR.start, auto_approve: true }) })

test('nothing, while nobody has', async () => {
  await ours.bill()
  expect(await service.audit()).toEqual([])
})

test('nothing about bills of the first days of the calendar and of its last, whose financial years begin before it or end after it', async () => {
  for (const date of ['0001-01-01', '0001-03-31', '0001-04-01', '9999-03-31', '9999-04-01', '9999-12-31']) await ours.bill({ date, auto_approve: true })
  expect(await service.audit()).toEqual([])
})

test.each<[string, string, (bill: Json) => string]>([
  ['a total that its lines do not come to', 'UPDATE bills SET sub_total = 90_00, total = 90_00 WHERE id = $1',
    ({ bill_number }) => `bill ${bill_number} of ORG: sub_total 9000 and tax_total 0, its lines sum to 10000 and 0`],
  ['a posted draft', "UPDATE bills SET status = 'DRAFT' WHERE id = $1", ({ bill_number }) => `bill ${bill_number} of ORG is DRAFT with 1 postings and 0 reversals`],
  ['a void bill that still stands in the ledger', "UPDATE bills SET status = 'CANCELLED' WHERE id = $1",
    ({ bill_number }) => `bill ${bill_number} of ORG is CANCELLED with 1 postings and 0 reversals`],
  ['a journal whose bill is gone', 'DELETE FROM bills WHERE id = $1', ({ bill_id }) => `bill ${bill_id} of ORG is gone with 1 postings and 0 reversals`],
  ['a number that is gone', 'DELETE FROM bills WHERE id = $1', ({ bill_number }) => `bill number ${bill_number} of ORG was assigned but does not exist`],
  ['a creation that nobody was told of', 'DELETE FROM webhook_events WHERE entity_id = $1', ({ bill_number }) => `bill ${bill_number} of ORG has no creation event`],
])('%s', async (_what, damage, told) => {
  await service.sql(damage, posted.bill_id)
  expect(await service.audit()).toContain(told(posted).replace('ORG', ours.orgId))
})
