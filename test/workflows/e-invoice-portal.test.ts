// E-invoices at a portal of somebody else: what it loses, refuses, forges, and a worker that is killed before it has written the answer.
import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { openBooks } from '../../commands/books/open-books.ts'
import { chooseEInvoicing } from '../../commands/e-invoices/choose-e-invoicing.ts'
import { eInvoicePayload } from '../../domain/e-invoice/payload.ts'
import { createIrp } from '../../gateways/einvoice/irp.ts'
import { seal } from '../../models/sealed.ts'
import { operator, operatorContext } from '../../bin/operator.ts'
import { OTHER_STATE_GSTIN, SELLER_GSTIN, buyer, source } from '../domain/e-invoice-sources.ts'
import type { Json } from '../fixtures/client.ts'
import { eInvoiceBody, eInvoiceOf, openEInvoicingOrganization, type EInvoicingOrganization } from '../fixtures/e-invoices.ts'
import { startIrp, type IrpServer } from '../fixtures/irp-server.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { kill, spawnWorker } from '../fixtures/worker.ts'
import { until } from '../start/local-run.ts'
import { removeSchedules } from './schedules.ts'

jest.setTimeout(180_000)

let service: Service
let org: EInvoicingOrganization
let irp: IrpServer
let worker: ChildProcess
beforeAll(async () => {
  irp = await startIrp()
  service = await startService({ E_INVOICE_RETRY_SECONDS: '0.2', E_INVOICE_TIMEOUT_SECONDS: '60' })
  org = await openEInvoicingOrganization(service, 'irp')
  worker = await spawnWorker(service.env)
})
beforeEach(() => {
  irp.mood = 'well'
})
afterAll(async () => {
  await kill(worker)
  await irp.close()
  await removeSchedules(service.database, service.env.TEMPORAL_ADDRESS!, service.env.TEMPORAL_QUEUE_SUFFIX!)
  await service.close()
})

const create = async (changes = {}): Promise<Json> => (await org.send('POST', '/invoices', eInvoiceBody(org, changes))).invoice
const settled = ({ invoice_id }: Json, ...statuses: string[]): Promise<Json> => eInvoiceOf(() => org.getInvoice(invoice_id), ...statuses)
const retried = async ({ invoice_id }: Json): Promise<Json> => (await org.send('POST', `/invoices/${invoice_id}/e_invoice/retry`, {})).invoice
const codesOf = ({ e_invoice }: Json): string[] => e_invoice.errors.map(({ code }: Json) => code)
const registered = (number: string) => [...irp.registered.values()].filter(({ SignedQRCode }) => Buffer.from(String(SignedQRCode).split('.')[1]!, 'base64url').toString().includes(`\\"${number}\\"`))
const keep = (changes = {}) => openBooks(operatorContext(service.database), operator(), async (books) => {
  books.enter(org.orgId)
  return chooseEInvoicing(books, org.branchId, { sealed: seal(service.env.ENCRYPTION_KEY!, JSON.stringify({ ...irp.credentials, ...changes })) })
})

test('without credentials, and with wrong ones, it fails until there are right ones', async () => {
  const failed = await settled(await create(), 'FAILED')
  expect(codesOf(failed)).toEqual(['CREDENTIALS'])
  await keep({ password: 'other' })
  expect(codesOf(await settled(await retried(failed), 'FAILED'))).toEqual(['1008'])
  expect(await keep()).toEqual({ enabled: true, provider: 'irp' })
  const { e_invoice } = await settled(await retried(failed), 'GENERATED')
  expect(irp.registered.get(e_invoice.irn)).toMatchObject({ Irn: e_invoice.irn, SignedQRCode: e_invoice.signed_qr, Status: 'ACT' })
  const shown = await service.sql<{ text: string }>(`SELECT row_to_json(a)::text AS text FROM activity AS a WHERE action = 'E_INVOICE_CREDENTIALS_UPDATED'`)
  expect(shown).toHaveLength(2)
  expect(JSON.stringify(shown)).not.toContain(irp.credentials.client_secret)
})

test('an answer that was lost is found again: one IRN', async () => {
  irp.mood = 'lost'
  const invoice = await create()
  await until(() => registered(invoice.invoice_number).length === 1, 90_000, () => 'nothing was registered')
  irp.mood = 'well'
  const { e_invoice } = await settled(invoice, 'GENERATED')
  expect(registered(invoice.invoice_number).map(({ Irn }) => Irn)).toEqual([e_invoice.irn])
})

test('an unavailable portal is tried again, and the document shows nothing of it', async () => {
  irp.mood = 'busy'
  const invoice = await create()
  await until(async () => {
    const [row] = await service.sql<{ attempts: number }>('SELECT attempts FROM e_invoices WHERE id = $1', invoice.invoice_id)
    return row!.attempts > 1
  }, 90_000, () => 'the portal was not tried again')
  expect((await org.getInvoice(invoice.invoice_id)).last_modified_time).toBe(invoice.last_modified_time)
  irp.mood = 'well'
  await settled(invoice, 'GENERATED')
})

test('a worker that is killed between the answer and the commit leaves one IRN', async () => {
  irp.mood = 'held'
  const invoice = await create()
  await until(() => registered(invoice.invoice_number).length === 1, 90_000, () => 'nothing was registered')
  await kill(worker)
  irp.mood = 'well'
  worker = await spawnWorker(service.env)
  const { e_invoice } = await settled(invoice, 'GENERATED')
  expect(registered(invoice.invoice_number).map(({ Irn }) => Irn)).toEqual([e_invoice.irn])
})

test.each(['other irn', 'other signature'] as const)('what has an%s is not believed', async (mood) => {
  irp.mood = mood
  const failed = await settled(await create(), 'FAILED')
  expect([codesOf(failed), failed.e_invoice.irn, failed.e_invoice.signed_qr]).toEqual([['RESPONSE'], null, null])
})

test('what the portal refuses is told', async () => {
  irp.mood = 'refusing'
  irp.refusal = '3029'
  const failed = await settled(await create(), 'FAILED')
  expect(failed.e_invoice.errors).toEqual([{ code: '3029', message: "The buyer's GSTIN is not active. (refused with 3029)", field: null }])
})

test("another document by the same number is not ours", async () => {
  const provider = createIrp({ credentials: irp.credentials, gstin: SELLER_GSTIN, timeoutMs: 5_000, clock: () => new Date() })
  const other = source({ number: 'OURS/1', place_of_supply: 'IN-TN', buyer: buyer({ gst_no: OTHER_STATE_GSTIN }) })
  await provider.generate(eInvoicePayload({ ...other, lines: other.lines.map((line) => ({ ...line, cgst: 0n, sgst: 0n, igst: 18_000n })) }, 'B2B'))
  const failed = await settled(await create({ invoice_number: 'OURS/1' }), 'FAILED')
  expect(failed.e_invoice.errors).toEqual([{ code: '2150', message: expect.stringContaining('BuyerGstin differ'), field: null }])
})

test('a void before the answer cancels what the portal has registered', async () => {
  irp.mood = 'lost'
  const invoice = await create()
  await until(() => registered(invoice.invoice_number).length === 1, 90_000, () => 'nothing was registered')
  irp.mood = 'down'
  const { invoice: voided } = await org.send('POST', `/invoices/${invoice.invoice_id}/void`, {})
  expect(voided.e_invoice.status).toBe('CANCELLING')
  irp.mood = 'well'
  const { e_invoice } = await settled(invoice, 'CANCELLED')
  expect(irp.registered.get(e_invoice.irn)).toMatchObject({ Status: 'CNL' })
})

test('a cancellation that is refused stays on the invoice, and is tried again when asked', async () => {
  const invoice = await settled(await create(), 'GENERATED')
  irp.mood = 'refusing'
  irp.refusal = '2270'
  await org.send('POST', `/invoices/${invoice.invoice_id}/void`, {})
  const kept = await settled(invoice, 'GENERATED')
  expect([kept.status, codesOf(kept)]).toEqual(['CANCELLED', ['2270']])
  irp.mood = 'well'
  expect((await retried(kept)).e_invoice.status).toBe('CANCELLING')
  await settled(invoice, 'CANCELLED')
})
