// E-invoices at the built-in portal: registered after approval, shown, cancelled by a void, and tried again.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { STUCK_E_INVOICES } from '../../audit/stuck/e-invoices.ts'
import { irnOf } from '../../gateways/einvoice/irn-hash.ts'
import { readPrinted } from '../../reports/print/printed.ts'
import { BUYER_GSTIN, SELLER_GSTIN } from '../domain/e-invoice-sources.ts'
import type { Json } from '../fixtures/client.ts'
import { chooseEInvoicing, eInvoiceBody, eInvoiceOf, eInvoiceStarter, openEInvoicingOrganization, type EInvoicingOrganization } from '../fixtures/e-invoices.ts'
import { addContact } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
let org: EInvoicingOrganization
let starter: ReturnType<typeof eInvoiceStarter>
beforeAll(async () => {
  org = await openEInvoicingOrganization(service)
  starter = eInvoiceStarter(service)
  await service.startWorker()
})
afterAll(() => starter.close())

const create = async (changes = {}): Promise<Json> => (await org.send('POST', '/invoices', eInvoiceBody(org, changes))).invoice
const settled = async ({ invoice_id }: Json, ...statuses: string[]): Promise<Json> => {
  await starter.start()
  return eInvoiceOf(() => org.getInvoice(invoice_id), ...statuses)
}
const note = async (changes = {}): Promise<Json> => {
  const { auto_approve: _approve, ...body } = eInvoiceBody(org)
  return (await org.send('POST', '/credit_notes', { ...body, ...changes })).credit_note
}
const settledNote = async ({ credit_note_id }: Json, ...statuses: string[]): Promise<Json> => {
  await starter.start()
  return eInvoiceOf(async () => (await org.get(`/credit_notes/${credit_note_id}`)).credit_note, ...statuses)
}
const refusal = (path: string) => org.refusal('POST', path, {})

describe('an approved invoice', () => {
  test('is answered before it is registered, and then has its IRN, acknowledgement and signed QR code', async () => {
    const approved = await create()
    expect(approved.e_invoice).toEqual({ status: 'PENDING', irn: null, ack_no: null, ack_date: null, signed_qr: null, errors: [] })
    const { e_invoice, last_modified_time } = await settled(approved, 'GENERATED')
    expect(e_invoice.irn).toBe(irnOf({ gstin: SELLER_GSTIN, type: 'INV', number: approved.invoice_number, date: '2026-11-10' }))
    expect([e_invoice.ack_no, e_invoice.errors]).toEqual([expect.stringMatching(/^\d{15}$/), []])
    expect(Date.parse(e_invoice.ack_date)).not.toBeNaN()
    expect(Date.parse(last_modified_time)).toBeGreaterThan(Date.parse(approved.last_modified_time))
    expect(decodeProtectedHeader(e_invoice.signed_qr).alg).toBe('RS256')
    expect(JSON.parse(String(decodeJwt(e_invoice.signed_qr).data))).toEqual({
      SellerGstin: SELLER_GSTIN, BuyerGstin: BUYER_GSTIN, DocNo: approved.invoice_number, DocTyp: 'INV', DocDt: '10/11/2026', TotInvVal: 1180, ItemCnt: 1,
      MainHsnCode: '5004', Irn: e_invoice.irn, IrnDt: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    })
  })

  test('prints its IRN and QR code', async () => {
    const { invoice_id, e_invoice } = await settled(await create(), 'GENERATED')
    const printed = await readPrinted({ database: service.database, orgId: org.orgId }, 'INVOICE', invoice_id, 'classic')
    expect(printed!.data).toMatchObject({ irn: e_invoice.irn, ack_no: e_invoice.ack_no })
    expect(printed!.pictures['signed-qr']!.subarray(1, 4).toString()).toBe('PNG')
  })

  test('that was a draft is registered too; a draft is not', async () => {
    const draft = await create({ auto_approve: false })
    expect(draft.e_invoice).toBeNull()
    const { invoice } = await org.send('POST', `/invoices/${draft.invoice_id}/approve`, {})
    expect(invoice.e_invoice.status).toBe('PENDING')
    await settled(invoice, 'GENERATED')
    const { activity } = await org.get(`/invoices/${draft.invoice_id}/activity`)
    expect(activity.map(({ action }: Json) => action)).toContain('INVOICE_E_INVOICE_GENERATED')
    const events = await service.sql<{ data: Json }>(
      `SELECT data FROM webhook_events WHERE entity_id = $1 AND event_type = 'INVOICE_UPDATED' ORDER BY position`, draft.invoice_id)
    expect(events.map(({ data }) => [data.changed, data.sequence])).toEqual([[['status'], 2], [['e_invoice'], 3]])
  })

  test('costs no more round trips than one without', async () => {
    const plain = { ...eInvoiceBody(org), customer_id: org.customerId }
    await org.send('POST', '/invoices', plain)
    const trips = async (body: object) => {
      const before = service.pool.roundTrips()
      await org.send('POST', '/invoices', body)
      return service.pool.roundTrips() - before
    }
    const without = await trips(plain)
    expect([without, await trips(eInvoiceBody(org))]).toEqual([2, 2])
  })
})

test('what is not to be registered has no e-invoice', async () => {
  expect((await create({ customer_id: org.customerId })).e_invoice).toBeNull()
  const untaxed = [{ name: 'Rice', hsn_or_sac: '1006', quantity: 1, rate: 40, tax_id: org.taxes.Exempt }]
  expect((await create({ line_items: untaxed })).e_invoice).toBeNull()
  expect((await note({ customer_id: org.customerId })).e_invoice).toBeNull()
})

test('an export is registered, and reverse charge', async () => {
  const billing_address = { address: '1 Raffles Place', city: 'Singapore', zip: '048616', country: 'Singapore' }
  const customer_id = await addContact(org, { contact_name: 'Orchard Textiles', billing_address })
  const line_items = [{ name: 'Silk thread', hsn_or_sac: '5004', quantity: 2, rate: 500, tax_id: org.taxes['GST 18%'] }]
  const exported = await create({ customer_id, place_of_supply: 'IN-OT', currency_code: 'USD', exchange_rate: 83.5, line_items })
  await settled(exported, 'GENERATED')
  const charged = await create({ line_items: [{ ...line_items[0], tax_id: org.taxes['RCM 18%'] }] })
  expect(charged.tax_total).toBe(0)
  await settled(charged, 'GENERATED')
})

describe('a document that is refused', () => {
  test('says why, and is tried again when asked', async () => {
    const failed = await settled(await create({ line_items: [{ name: 'Silk', quantity: 1, rate: 100, tax_id: org.taxes['GST 18%'] }] }), 'FAILED')
    expect(failed.e_invoice.errors).toEqual([{ code: 'PAYLOAD', message: 'Line 1 needs an HSN or SAC code of four, six or eight digits.', field: 'ItemList.1.HsnCd' }])
    const { invoice } = await org.send('POST', `/invoices/${failed.invoice_id}/e_invoice/retry`, {})
    expect(invoice.e_invoice).toMatchObject({ status: 'PENDING', errors: [] })
    await settled(invoice, 'FAILED')
  })

  test('is mailed with a warning, and the doctor names it until it is void', async () => {
    const created = await create({ line_items: [{ name: 'Silk', quantity: 1, rate: 100, tax_id: org.taxes['GST 18%'] }] })
    const path = `/invoices/${created.invoice_id}`
    const warnings = async () => (await org.send('POST', `${path}/email`, { to: ['x@example.com'], attach_pdf: false })).warnings
    expect(await warnings()).toMatchObject([{ code: 'email.e_invoice_not_registered', details: { status: 'PENDING', errors: [] } }])
    const { e_invoice: { errors } } = await settled(created, 'FAILED')
    expect(await warnings()).toMatchObject([{ code: 'email.e_invoice_not_registered', details: { status: 'FAILED', errors } }])
    const { text } = STUCK_E_INVOICES.find(({ check }) => check === 'e-invoices that could not be registered')!
    const named = async () => (await service.sql<Json>(text, new Date())).filter(({ problem }) => problem.includes(`${created.invoice_number} of`))
    expect(await named()).toEqual([{
      problem: expect.stringContaining('PAYLOAD Line 1 needs an HSN or SAC code'),
      mend: 'the organisation corrects the contact or its own data if the error names these, or voids the document and issues another',
      note: `once corrected, POST ${path}/e_invoice/retry`,
    }])
    await org.send('POST', `${path}/void`, {})
    expect(await named()).toEqual([])
  })

  test('is registered once what was missing is there', async () => {
    const customer_id = await addContact(org, { contact_name: 'Kaveri Stores', gst_no: '29AADCK5678D1Z0' })
    const failed = await settled(await create({ customer_id }), 'FAILED')
    expect(failed.e_invoice.errors.map(({ field }: Json) => field)).toEqual(['BuyerDtls.Addr1', 'BuyerDtls.Loc', 'BuyerDtls.Pin'])
    await org.send('PUT', `/contacts/${customer_id}`, { billing_address: { address: '1 Fort', city: 'Mysuru', zip: '570001' } })
    const { invoice } = await org.send('POST', `/invoices/${failed.invoice_id}/e_invoice/retry`, {})
    await settled(invoice, 'GENERATED')
  })

  test('only then: others are refused', async () => {
    const { invoice_id } = await settled(await create(), 'GENERATED')
    expect(await refusal(`/invoices/${invoice_id}/e_invoice/retry`)).toMatchObject({ status: 409, code: 'conflict.invalid_state', details: { status: 'GENERATED', allowed: ['FAILED'] } })
    const plain = await create({ customer_id: org.customerId })
    expect(await refusal(`/invoices/${plain.invoice_id}/e_invoice/retry`)).toMatchObject({ status: 409, details: { status: null, allowed: ['FAILED'] } })
    expect(await refusal(`/credit_notes/${invoice_id}/e_invoice/retry`)).toMatchObject({ status: 404 })
  })
})

describe('a void', () => {
  test('cancels the IRN', async () => {
    const { invoice_id } = await settled(await create(), 'GENERATED')
    const { invoice } = await org.send('POST', `/invoices/${invoice_id}/void`, {})
    expect([invoice.status, invoice.e_invoice.status]).toEqual(['CANCELLED', 'CANCELLING'])
    const { e_invoice } = await settled(invoice, 'CANCELLED')
    expect(e_invoice.irn).toBe(invoice.e_invoice.irn)
    const [kept] = await service.sql('SELECT is_cancelled FROM sandbox_e_invoices WHERE org_id = $1 AND irn = $2', org.orgId, e_invoice.irn)
    expect(kept).toEqual({ is_cancelled: true })
  })

  test('of one that was not registered yet leaves nothing to cancel', async () => {
    const { invoice_id } = await create()
    const { invoice } = await org.send('POST', `/invoices/${invoice_id}/void`, {})
    expect((await settled(invoice, 'NOT_APPLICABLE')).e_invoice.irn).toBeNull()
  })

  test('after 24 hours is refused, of an invoice and of a credit note', async () => {
    const { invoice_id } = await settled(await create(), 'GENERATED')
    const { credit_note_id } = await settledNote(await note(), 'GENERATED')
    await service.sql(`UPDATE e_invoices SET ack_date = '2026-01-01T00:00:00Z' WHERE id = ANY ($1)`, [invoice_id, credit_note_id])
    for (const table of ['invoices', 'credit_notes']) {
      await service.sql(`UPDATE ${table} SET e_invoice = e_invoice || '{"ack_date": "2026-01-01T00:00:00.000Z"}' WHERE id = ANY ($1)`, [invoice_id, credit_note_id])
    }
    expect(await refusal(`/invoices/${invoice_id}/void`)).toMatchObject({ status: 409, code: 'conflict.e_invoice_registered' })
    expect(await refusal(`/credit_notes/${credit_note_id}/void`)).toMatchObject({ status: 409, code: 'conflict.e_invoice_registered' })
  })
})

describe('a credit note', () => {
  test('is registered with its invoice, and cancelled', async () => {
    const { invoice_id, invoice_number } = await settled(await create(), 'GENERATED')
    const issued = await note({ invoice_id })
    expect(issued.e_invoice.status).toBe('PENDING')
    const { e_invoice } = await settledNote(issued, 'GENERATED')
    expect(e_invoice.irn).toBe(irnOf({ gstin: SELLER_GSTIN, type: 'CRN', number: issued.credit_note_number, date: '2026-11-10' }))
    expect(invoice_number).not.toBe(issued.credit_note_number)
    const { credit_note } = await org.send('POST', `/credit_notes/${issued.credit_note_id}/void`, {})
    await settledNote(credit_note, 'CANCELLED')
  })

  test('of a draft is registered when it is issued, and its date is fixed then', async () => {
    const draft = await note({ is_draft: true })
    expect(draft.e_invoice).toBeNull()
    const { credit_note } = await org.send('POST', `/credit_notes/${draft.credit_note_id}/issue`, {})
    await settledNote(credit_note, 'GENERATED')
    expect(await org.refusal('PUT', `/credit_notes/${draft.credit_note_id}`, { date: '2026-11-11' })).toMatchObject({ status: 400, field: 'date' })
    await org.send('PUT', `/credit_notes/${draft.credit_note_id}`, { notes: 'Returned' })
  })

  test('of a vendor is not', async () => {
    const { auto_approve: _approve, ...body } = eInvoiceBody(org, { customer_id: org.vendorId })
    expect((await org.send('POST', '/credit_notes', body)).credit_note.e_invoice).toBeNull()
  })
})

test('two documents of one number get one IRN between them', async () => {
  const [branch] = await service.sql<{ id: string }>(
    `INSERT INTO branches (org_id, id, code, name, gstin, state, city, is_default, is_active, invoice_prefix, bill_prefix, created_time, last_modified_time)
     VALUES ($1, gen_random_uuid(), 'B2', 'Second', $2, 'IN-KA', 'Bengaluru', false, true, 'B-', 'P-', now(), now()) RETURNING id`, org.orgId, SELLER_GSTIN)
  await chooseEInvoicing(service, org.orgId, Object.fromEntries([org.branchId, branch!.id].map((id) => [id, { enabled: true, provider: 'sandbox' }])))
  await settled(await create({ invoice_number: 'SAME/1' }), 'GENERATED')
  const alike = await settled(await create({ invoice_number: 'same/1', branch_id: branch!.id }), 'FAILED')
  expect(alike.e_invoice.errors[0]).toMatchObject({ code: '2150', message: expect.stringContaining('another document of this organisation') })
  const other = await settled(await create({ invoice_number: 'SAME/1', branch_id: branch!.id, date: '2026-11-11' }), 'FAILED')
  expect(other.e_invoice.errors[0]).toMatchObject({ code: '2150', message: expect.stringContaining('DocDt') })
})

test('a branch that no longer registers leaves what is queued', async () => {
  const queued = await create()
  await chooseEInvoicing(service, org.orgId, { [org.branchId]: { enabled: false, provider: 'sandbox' } })
  expect((await create()).e_invoice).toBeNull()
  await settled(queued, 'NOT_APPLICABLE')
  await chooseEInvoicing(service, org.orgId, { [org.branchId]: { enabled: true, provider: 'sandbox' } })
})
