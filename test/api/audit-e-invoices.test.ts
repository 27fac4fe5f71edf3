// The audit finds e-invoices that do not agree with their documents.
import { beforeAll, expect, test } from '@jest/globals'
import type { Json } from '../fixtures/client.ts'
import { eInvoiceBody, openEInvoicingOrganization, type EInvoicingOrganization } from '../fixtures/e-invoices.ts'
import { useServiceWithoutAudit } from '../fixtures/use-service.ts'

const service = await useServiceWithoutAudit()
let org: EInvoicingOrganization
let invoice: Json
const REGISTERED = `provider = 'sandbox', gstin = '29AABCA1234C1Z5', ack_no = '1', ack_date = '2026-11-22T00:00:00Z', signed_qr = 'x', status = 'GENERATED'`
beforeAll(async () => {
  org = await openEInvoicingOrganization(service)
  invoice = (await org.send('POST', '/invoices', eInvoiceBody(org))).invoice
})

test('nothing is wrong with one that waits', async () => {
  expect(await service.audit()).toEqual([])
})

test('an IRN that is not that of the number', async () => {
  await service.sql(`UPDATE e_invoices SET irn = repeat('a', 64), ${REGISTERED} WHERE id = $1`, invoice.invoice_id)
  await service.sql(
    `UPDATE invoices SET e_invoice = e_invoice || jsonb_build_object('status', 'GENERATED', 'irn', repeat('a', 64), 'ack_no', '1',
       'ack_date', '2026-11-22T00:00:00Z', 'signed_qr', 'x') WHERE id = $1`, invoice.invoice_id)
  expect(await service.audit()).toEqual([`INVOICE ${invoice.invoice_number} of ${org.orgId} has the IRN ${'a'.repeat(64)}, which is not that of its number`])
})

test('a document that shows another', async () => {
  await service.sql(`UPDATE invoices SET e_invoice = e_invoice || '{"ack_no": "2"}' WHERE id = $1`, invoice.invoice_id)
  expect(await service.audit()).toContain(`INVOICE ${invoice.invoice_number} of ${org.orgId} shows another e-invoice than it has`)
})

test('a document that has none any more', async () => {
  await service.sql('DELETE FROM e_invoices WHERE id = $1', invoice.invoice_id)
  expect(await service.audit()).toEqual([`INVOICE ${invoice.invoice_number} of ${org.orgId} shows another e-invoice than it has`])
})
