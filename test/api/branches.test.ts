// Changes of a branch by an owner: its name and addresses, which documents print and e-invoices name.
import { beforeAll, expect, test } from '@jest/globals'
import { readEInvoiceSource } from '../../commands/e-invoices/source.ts'
import { eInvoicePayload } from '../../domain/e-invoice/payload.ts'
import { readPrinted } from '../../reports/print/printed.ts'
import type { Json } from '../fixtures/client.ts'
import { eInvoiceBody, openEInvoicingOrganization, type EInvoicingOrganization } from '../fixtures/e-invoices.ts'
import { personWith, type Person } from '../fixtures/persons.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const CHORD_ROAD = { address: '7 Chord Road', city: 'Bengaluru', state_code: 'IN-KA', zip: '560010', country: null }
const PEENYA = { address: 'Plot 8, Peenya', city: 'Bengaluru', state_code: 'Karnataka', zip: '560058', country: null }
let org: EInvoicingOrganization
let owner: Person

beforeAll(async () => {
  org = await openEInvoicingOrganization(service)
  owner = await personWith(service, org.orgId, 'OWNER')
})

const change = (body: Json) => owner.call('PUT', `/branches/${org.branchId}`, { body })
const shown = async (): Promise<Json> => (await org.get(`/branches/${org.branchId}`)).branch

test('addresses merge, null removes them, and the whole branch may come back', async () => {
  expect(await shown()).toMatchObject({ address: null, dispatch_address: null })
  const first = await change({ address: { ...CHORD_ROAD, zip: '560001' }, dispatch_address: PEENYA })
  expect([first.status, first.body.message]).toEqual([200, 'Branch updated.'])
  expect((await change({ address: { zip: '560010' }, name: ' Chord Road ' })).body.branch).toEqual(await shown())
  expect(await shown()).toMatchObject({ name: 'Chord Road', address: CHORD_ROAD, dispatch_address: PEENYA })
  expect((await change(await shown())).body.branch).toEqual(await shown())
  expect((await change({ address: null, dispatch_address: { address: null, city: ' ', state_code: null, zip: null } })).body.branch).toMatchObject({ address: null, dispatch_address: null })
  const { activity } = await org.get('/activity')
  const entries = activity.filter(({ action }: Json) => action === 'BRANCH_UPDATED')
  expect(entries.map(({ changes }: Json) => Object.keys(changes).sort())).toEqual([['address', 'dispatch_address'], ['address', 'name'], ['address', 'dispatch_address']])
})

test.each<[Json, number, string, string]>([
  [{ gstin: '33AABCT1332L1ZX' }, 400, 'validation.invalid_value', 'gstin'],
  [{ state: 'IN-TN' }, 400, 'validation.invalid_value', 'state'],
  [{ is_default: false }, 400, 'validation.invalid_value', 'is_default'],
  [{ name: '' }, 422, 'validation.failed', 'name'],
  [{ address: { zip: 560010 } }, 422, 'validation.failed', 'address.zip'],
])('%j is refused', async (body, status, code, field) => {
  const answer = await change(body)
  expect([answer.status, answer.body.code, answer.body.field ?? answer.body.errors[0].field]).toEqual([status, code, field])
})

test('a document and its e-invoice have the address of the branch, and where the goods leave from', async () => {
  await change({ address: CHORD_ROAD, dispatch_address: PEENYA })
  const { invoice } = await org.send('POST', '/invoices', eInvoiceBody(org))
  const scope = { connection: service.database, database: service.database, orgId: org.orgId }
  const { data } = (await readPrinted(scope, 'INVOICE', invoice.invoice_id))!
  expect(data.organization.address).toEqual([{ text: '7 Chord Road' }, { text: 'Bengaluru 560010, Karnataka' }])
  expect(data.details).toEqual([{ label: 'Dispatched from', value: 'Plot 8, Peenya, Bengaluru 560058, Karnataka' }])
  const { source } = (await readEInvoiceSource(scope, 'INVOICE', invoice.invoice_id))!
  const { SellerDtls, DispDtls } = eInvoicePayload(source, 'B2B')
  expect([SellerDtls.Addr1, SellerDtls.Pin, DispDtls?.Addr1, DispDtls?.Pin]).toEqual(['7 Chord Road', 560010, 'Plot 8, Peenya', 560058])
})
