// What the audit finds when somebody has changed bulks, or what they created, behind the books' back.
import { beforeEach, expect, test } from '@jest/globals'
import { invoiceBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganizationWithItem } from '../fixtures/organization.ts'
import { useServiceWithoutAudit } from '../fixtures/use-service.ts'

const service = await useServiceWithoutAudit()
const ours = await openOrganizationWithItem(service)
await service.startWorker()

let before: string[]
let bulk: Json
beforeEach(async () => {
  before = await service.audit()
  const rows = [invoiceBody(ours), invoiceBody(ours, { place_of_supply: 'Atlantis' }), invoiceBody(ours)]
  bulk = (await ours.client.post('/bulk/invoices', { invoices: rows })).body
})

test('nothing, while nobody has; a draft may be deleted by a call', async () => {
  await ours.client.delete(`/invoices/${bulk.results[0].invoice.invoice_id}`)
  expect((await service.audit()).sort()).toEqual(before.sort())
})

test.each<[string, string, RegExp]>([
  ['a row that is pending again', "UPDATE bulk_items SET status = 'PENDING', error = NULL, completed_time = NULL WHERE bulk_id = $1 AND index = 1",
    /^bulk BULK of ORG is COMPLETED with 3 rows of 3: 2 succeeded, 0 failed, 1 pending; it says 2 and 1$/],
  ['a row that is gone', 'DELETE FROM bulk_items WHERE bulk_id = $1 AND index = 2',
    /^bulk BULK of ORG is COMPLETED with 2 rows of 3: 1 succeeded, 1 failed, 0 pending; it says 2 and 1$/],
  ['a document that is gone', 'DELETE FROM invoices WHERE id = (SELECT document_id FROM bulk_items WHERE bulk_id = $1 AND index = 0)',
    /^row 0 of bulk BULK of ORG has 0 documents, 1 activity entries of their creation and 1 events$/],
  ['another document', 'UPDATE bulk_items SET document_id = gen_random_uuid() WHERE bulk_id = $1 AND index = 0',
    /^row 0 of bulk BULK of ORG has 0 documents, 0 activity entries of their creation and 0 events$/],
  ['a bulk that was announced too early', "UPDATE bulks SET status = 'RUNNING', completed_time = NULL, succeeded = 0, failed = 0 WHERE id = $1",
    /^bulk BULK of ORG is RUNNING, with 1 entries of its completion and 1 events$/],
])('%s', async (_what, damage, told) => {
  await service.sql(damage, bulk.bulk_id)
  const wanted = new RegExp(told.source.replace('BULK', bulk.bulk_id).replace('ORG', ours.orgId))
  expect((await service.audit()).filter((one) => !before.includes(one))).toContainEqual(expect.stringMatching(wanted))
})
