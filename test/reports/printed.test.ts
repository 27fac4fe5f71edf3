// What is printed of real documents: their sums, whom they are for, and when a rendered file is stale.
import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { Compile } from 'typebox/compile'
import type { PrintedKind } from '../../domain/documents.ts'
import { PrintedDocument } from '../../domain/print/printed-document.ts'
import { findPrintKey } from '../../reports/print/print-key.ts'
import { readPrinted } from '../../reports/print/printed.ts'
import { purchaseOrderBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganizationWithItem } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const org = await openOrganizationWithItem(service)
const { orgId, taxes, customerId, vendorId } = org
const contract = Compile(PrintedDocument)
await service.sql("UPDATE organizations SET gstin = '29AABCT1332L1ZU' WHERE id = $1", orgId)
const scope = { connection: service.database, database: service.database, orgId }

async function printed(kind: PrintedKind, id: string) {
  const key = (await findPrintKey(scope, kind, id))!
  const read = (await readPrinted(scope, kind, id))!
  expect([...contract.Errors(read.data)]).toEqual([])
  // What is rendered is stored under the key that was asked for.
  expect({ version: read.version, letterhead: read.letterhead, number: read.number, template: read.template }).toEqual(key)
  return read
}

const amount = (text: string) => Number(text.replace(/^\S+ /, '').replaceAll(',', ''))
const added = (amounts: { amount: string }[]) => amounts.reduce((sum, one) => sum + Math.round(amount(one.amount) * 1000), 0) / 1000
const lines = (...of: Json[]) => of.map((one) => ({ name: 'Silk', quantity: 3, rate: 333.33, hsn_or_sac: '5004', unit: 'NOS', ...one }))

/** That the sums on paper are those of the document as the API answers it. */
function expectSums(document: Json, { data }: { data: PrintedDocument }) {
  expect([added(data.totals), amount(data.total)]).toEqual([document.total, document.total])
  expect(data.lines.map(({ taxable }) => amount(taxable))).toEqual(document.line_items.map(({ item_total }: Json) => item_total))
  expect(data.lines.map(({ name }) => name)).toEqual(document.line_items.map(({ name }: Json) => name))
  expect(amount(data.hsn_totals.tax || '0')).toBe(document.tax_total)
}

describe('invoices', () => {
  test.each<[string, Json]>([
    ['in the state', { line_items: lines({ tax_id: taxes['GST 18%'] }, { tax_id: taxes['GST 5%'], discount: 10.5 }) }],
    ['to another state', { place_of_supply: 'IN-TN', line_items: lines({ tax_id: taxes['GST 18%'] }, { tax_id: taxes.Exempt }) }],
    ['rounded', { round_off: 0.03, line_items: lines({ tax_id: taxes['GST 12%'] }) }],
    ['in dollars', { currency_code: 'USD', exchange_rate: 83.2517, place_of_supply: 'IN-TN', line_items: lines({ tax_id: taxes['IGST 18%'] }) }],
    ['in dinars', { currency_code: 'KWD', exchange_rate: 271.5, line_items: lines({ tax_id: taxes['GST 3%'] }) }],
    ['in yen', { currency_code: 'JPY', exchange_rate: 0.56, line_items: lines({ rate: 12_345, tax_id: taxes['GST 28%'] }) }],
    ['of many lines', { line_items: Array.from({ length: 60 }, (_, place) => lines({ name: `Item ${place}`, tax_id: taxes[place % 2 ? 'GST 5%' : 'GST 0.25%'] })[0]) }],
  ])('%s', async (_, changes) => {
    const invoice = await org.sentInvoice(changes)
    expectSums(invoice, await printed('INVOICE', invoice.invoice_id))
  })

  test('a draft, an approved and a cancelled one', async () => {
    const draft = await org.invoice()
    const first = await printed('INVOICE', draft.invoice_id)
    expect([first.data.watermark, first.data.copy, first.pictures]).toEqual(['DRAFT', '', {}])
    await org.send('POST', `/invoices/${draft.invoice_id}/approve`, {})
    const sent = await printed('INVOICE', draft.invoice_id)
    expect(sent.data).toMatchObject({ watermark: '', title: 'TAX INVOICE', number: sent.number, balance_due: '₹ 1,180.00', place_of_supply: 'Karnataka (29)' })
    expect(sent.version).toBeGreaterThan(first.version)
    await org.send('POST', `/invoices/${draft.invoice_id}/void`, {})
    expect((await printed('INVOICE', draft.invoice_id)).data.watermark).toBe('CANCELLED')
  })

  test('a paid one says what was paid, and the receipt what it settles', async () => {
    const invoice = await org.sentInvoice()
    const payment = await org.payment(org.receiptBody({ amount: 1500, tds_amount: 100, allocations: [{ invoice_id: invoice.invoice_id, amount: 1180 }] }))
    expect((await printed('INVOICE', invoice.invoice_id)).data).toMatchObject({ settled: [{ label: 'Paid', amount: '1,180.00' }], balance_due: '₹ 0.00', upi_id: '' })
    const { data } = await printed('PAYMENT', payment.payment_id)
    expect(data).toMatchObject({ title: 'RECEIPT', total: '₹ 1,500.00', party: { name: 'Meena Sarees' }, amount_in_words: 'Indian Rupees One Thousand Five Hundred Only' })
    expect(data.allocations).toEqual([expect.objectContaining({ kind: 'Invoice', number: invoice.invoice_number, total: '1,180.00', amount: '1,180.00' })])
    expect(data.settled).toEqual([{ label: 'Applied', amount: '1,180.00' }, { label: 'Not yet applied', amount: '320.00' }])
    expect([added(data.totals), data.details.at(-1)]).toEqual([1500, { label: 'Received in', value: 'Bank Account' }])
  })

  test('one that a credit note is against, and the note', async () => {
    const invoice = await org.sentInvoice()
    const note = await org.creditNote({ invoice_id: invoice.invoice_id })
    const read = await printed('CREDIT_NOTE', note.credit_note_id)
    expectSums(note, read)
    expect(read.data.details).toEqual([{ label: 'Against invoice', value: invoice.invoice_number }, { label: 'Invoice date', value: '10 Nov 2026' }])
  })

  test('one with a line under reverse charge owes less, and so does its credit note', async () => {
    const invoice = await org.sentInvoice({ line_items: lines({ tax_id: taxes['RCM 5%'] }) })
    const { data } = await printed('INVOICE', invoice.invoice_id)
    expectSums(invoice, { data })
    expect([data.reverse_charge, data.reverse_charge_taxes.map(({ amount }) => amount)]).toEqual(['Yes', ['25.00', '25.00']])
    const note = await org.creditNote({ invoice_id: invoice.invoice_id, line_items: lines({ tax_id: taxes['RCM 5%'] }) })
    expect((await printed('CREDIT_NOTE', note.credit_note_id)).data.reverse_charge_taxes).toEqual(data.reverse_charge_taxes)
  })
})

test('an e-invoice that is awaited, registered, cancelled: what it says, and its code', async () => {
  const invoice = await org.sentInvoice()
  const id = invoice.invoice_id
  const REGISTERED = { irn: 'a'.repeat(64), ack_no: '11', ack_date: '2026-11-10T08:35:00.000Z', signed_qr: 'a.b.c' }
  const become = (status: string, more: Json = {}) => service.sql(
    'UPDATE invoices SET e_invoice = $2::jsonb WHERE id = $1', id, JSON.stringify({ status, irn: null, ack_no: null, ack_date: null, signed_qr: null, errors: [], ...more }))
  await become('PENDING')
  expect(await printed('INVOICE', id)).toMatchObject({ data: { irn: '', copy: '', notice: expect.stringMatching(/^IRN awaited/) }, pictures: {} })
  await become('GENERATED', REGISTERED)
  expect(await printed('INVOICE', id)).toMatchObject({ data: { irn: REGISTERED.irn, ack_date: '10 Nov 2026 14:05', notice: '' }, pictures: { 'signed-qr': expect.any(Buffer) } })
  await service.sql(
    `INSERT INTO e_invoices (org_id, id, kind, branch_id, status, provider, gstin, irn, ack_no, ack_date, signed_qr, errors, attempts, attended_at, cancelled_at, version, created_time, last_modified_time)
     SELECT org_id, id, 'INVOICE', branch_id, 'CANCELLED', 'sandbox', '29AABCT1332L1ZU', $2::text, '11', now(), 'a.b.c', '[]', 0, now(), '2026-11-11T04:00:00Z', 1, now(), now() FROM invoices WHERE id = $1`,
    id, REGISTERED.irn)
  await become('CANCELLED', REGISTERED)
  const { data, pictures } = await printed('INVOICE', id)
  expect([data.irn, data.irn_cancelled, pictures]).toEqual([REGISTERED.irn, 'IRN cancelled on 11 Nov 2026 09:30', {}])
  await service.sql('DELETE FROM e_invoices WHERE id = $1', id)
  await service.sql('UPDATE invoices SET e_invoice = NULL WHERE id = $1', id)
})

describe('purchases and orders', () => {
  test('a bill says its order, and owes the reverse charge that the books have', async () => {
    const bill = await org.openBill({ line_items: lines({ tax_id: taxes['RCM 18%'] }) })
    const read = await printed('BILL', bill.bill_id)
    expectSums(bill, read)
    const [stored] = await service.sql<{ tax: string }>('SELECT sum(rcm_cgst + rcm_sgst + rcm_igst + rcm_cess) AS tax FROM bill_lines WHERE bill_id = $1', bill.bill_id)
    expect(added(read.data.reverse_charge_taxes)).toBe(Number(stored!.tax) / 100)
    // What the branch is by now does not count.
    const owed = read.data.reverse_charge_taxes.map(({ label }) => label)
    await service.sql("UPDATE branches SET state = 'IN-TN' WHERE org_id = $1", orgId)
    expect((await printed('BILL', bill.bill_id)).data.reverse_charge_taxes.map(({ label }) => label)).toEqual(owed)
    await service.sql("UPDATE branches SET state = 'IN-KA' WHERE org_id = $1", orgId)
    expect(read.data).toMatchObject({ title: 'BILL', party: { heading: 'Vendor', name: 'Tiruppur Mills' }, copies: [], bank: [], terms: [] })
  })

  test('a debit note, a vendor credit, an estimate, a purchase order, a payment voucher', async () => {
    const bill = await org.openBill()
    const debit = await org.debitNote({ bill_id: bill.bill_id, reason: 'Short' })
    expectSums(debit, await printed('DEBIT_NOTE', debit.debit_note_id))
    const credit = await org.vendorCreditNote()
    const vendor = await printed('CREDIT_NOTE', credit.credit_note_id)
    expectSums(credit, vendor)
    expect(vendor.data).toMatchObject({ title: 'VENDOR CREDIT NOTE', party: { heading: 'Vendor', name: 'Tiruppur Mills' } })
    const { estimate } = await org.send('POST', '/estimates', { customer_id: customerId, date: '2026-11-10', expiry_date: '2026-12-01', line_items: lines({ tax_id: taxes['GST 18%'] }) })
    const estimated = await printed('ESTIMATE', estimate.estimate_id)
    expectSums(estimate, estimated)
    expect(estimated.data).toMatchObject({ due_label: 'Valid until', due_date: '01 Dec 2026' })
    const { purchase_order: order } = await org.send('POST', '/purchase_orders', purchaseOrderBody(org))
    expectSums(order, await printed('PURCHASE_ORDER', order.purchase_order_id))
    const voucher = await org.payment(org.vendorPaymentBody({ allocations: [{ bill_id: bill.bill_id, amount: 100 }] }))
    expect((await printed('PAYMENT', voucher.payment_id)).data).toMatchObject({
      title: 'PAYMENT VOUCHER', party: { name: 'Tiruppur Mills' }, allocations: [{ kind: 'Bill', number: bill.bill_number }],
    })
  })
})

describe('the key', () => {
  const PDF = { bank_details: null, upi_id: 'asha@example', terms: 'One', footer: null, signatory: null }
  const prefer = (pdf: Json, template = 'classic') => service.sql(
    `INSERT INTO organization_preferences VALUES ($1, $2::text, $3::jsonb, '{}', '{}', '{}', now()) ON CONFLICT (org_id) DO UPDATE SET pdf = $3::jsonb, invoice_template = $2::text`,
    orgId, template, JSON.stringify(pdf))
  const logo = (content: Buffer) => service.sql(
    `INSERT INTO logos (org_id, media_type, width, height, sha256, content, last_modified_time) VALUES ($1, 'image/png', 1, 1, $2::bytea, $3::bytea, now())
     ON CONFLICT (org_id) DO UPDATE SET sha256 = $2::bytea, content = $3::bytea`, orgId, createHash('sha256').update(content).digest(), content)

  test('changes with everything that is printed, and with nothing else', async () => {
    const invoice = await org.sentInvoice()
    const keyOf = async () => (await findPrintKey(scope, 'INVOICE', invoice.invoice_id))!
    let before = await keyOf()
    const change = async (work: () => Promise<unknown>) => {
      await work()
      const after = await keyOf()
      const changed = before.letterhead !== after.letterhead
      before = after
      return changed
    }
    expect(before).toMatchObject({ template: 'invoice-classic', number: invoice.invoice_number, version: invoice.version ?? before.version })
    expect(before.letterhead).toMatch(/^[0-9a-f]{16}$/)
    expect(await change(() => prefer(PDF))).toBe(true)
    expect(await change(() => prefer(PDF))).toBe(false)
    expect(await change(() => prefer({ ...PDF, terms: 'Two' }))).toBe(true)
    expect(await change(() => logo(Buffer.from('a picture')))).toBe(true)
    expect(await change(() => logo(Buffer.from('another')))).toBe(true)
    expect(await change(() => org.send('PUT', `/contacts/${customerId}`, { billing_address: { city: 'Chennai' } }))).toBe(true)
    expect(await change(() => org.send('PUT', `/contacts/${customerId}`, { credit_limit: 5 }))).toBe(false)
    expect(await change(() => org.send('PUT', `/contacts/${vendorId}`, { phone: '5' }))).toBe(false)
    expect(await change(() => service.sql("UPDATE organizations SET phone = '22' WHERE id = $1", orgId))).toBe(true)
    expect(await change(() => org.sentInvoice())).toBe(false)
    const read = await printed('INVOICE', invoice.invoice_id)
    expect(read.pictures.logo).toEqual(Buffer.from('another'))
    expect(read.pictures['upi-qr']!.subarray(1, 4).toString()).toBe('PNG')
    expect(read.data).toMatchObject({ upi_id: 'asha@example', terms: [{ text: 'Two' }] })
  })

  test('is another for another template, of invoices alone', async () => {
    const invoice = await org.sentInvoice()
    const bill = await org.bill()
    await prefer(PDF, 'tally')
    expect(await findPrintKey(scope, 'INVOICE', invoice.invoice_id)).toMatchObject({ template: 'invoice-tally' })
    expect(await findPrintKey(scope, 'INVOICE', invoice.invoice_id, 'boxed')).toMatchObject({ template: 'invoice-boxed' })
    expect(await findPrintKey(scope, 'BILL', bill.bill_id)).toMatchObject({ template: 'bill' })
  })

  test('is not found for another organisation, another kind, or an id that is none', async () => {
    const invoice = await org.sentInvoice()
    const other = { ...scope, orgId: (await service.organization()).orgId }
    for (const [of, kind, id] of [[other, 'INVOICE', invoice.invoice_id], [scope, 'BILL', invoice.invoice_id], [scope, 'INVOICE', 'x']] as const) {
      expect(await findPrintKey(of, kind, id)).toBeNull()
      expect(await readPrinted(of, kind, id)).toBeNull()
    }
  })

  test('takes one round trip, and so does what is printed', async () => {
    const invoice = await org.sentInvoice()
    const before = service.database.roundTrips()
    await findPrintKey(scope, 'INVOICE', invoice.invoice_id)
    expect(service.database.roundTrips() - before).toBe(1)
    await readPrinted(scope, 'INVOICE', invoice.invoice_id, 'classic')
    expect(service.database.roundTrips() - before).toBe(2)
  })
})

test('text of users prints as they wrote it', async () => {
  const hostile = '{d.number} {#m} {$x} & <b>"bold"</b> \u001b[31m {d.lines[i].name} {c.now} {t(x)}'
  const invoice = await org.sentInvoice({ notes: hostile, reference_number: hostile.slice(0, 100), line_items: lines({ name: hostile, description: hostile }) })
  const { data } = await printed('INVOICE', invoice.invoice_id)
  const clean = hostile.replace('\u001b', '')
  expect([data.lines[0]!.name, data.lines[0]!.description, data.notes]).toEqual([clean, clean, [{ text: clean }]])
})

test('a migration that adds a column does not stop a process that has printed before', async () => {
  const invoice = await org.sentInvoice()
  for (let reads = 0; reads < 10; reads += 1) await printed('INVOICE', invoice.invoice_id)
  await service.sql('ALTER TABLE invoices ADD COLUMN of_tomorrow integer')
  try {
    for (let reads = 0; reads < 10; reads += 1) await printed('INVOICE', invoice.invoice_id)
  } finally {
    await service.sql('ALTER TABLE invoices DROP COLUMN of_tomorrow')
  }
})

test('a snapshot that fails leaves its connection usable', async () => {
  const failing = () => service.database.snapshot([[{ name: '', text: 'SELECT 1 / 0' }, []]]).then(() => 'done', () => 'failed')
  expect(await Promise.all(Array.from({ length: 10 }, failing))).toEqual(Array.from({ length: 10 }, () => 'failed'))
  const alive = () => service.database.run<{ one: number }>({ name: '', text: 'SELECT 1 AS one' }, [])
  expect(await Promise.all(Array.from({ length: 10 }, alive))).toEqual(Array.from({ length: 10 }, () => [{ one: 1 }]))
})
