// What a conversion makes, links and refuses: estimates to orders, orders to invoices and bills, whole and in parts.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { addDays } from '../../domain/dates.ts'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { estimateSource, partQuantities, purchaseOrderSource, salesOrderSource } from '../fixtures/conversions.ts'
import { addBranch, addContact, addItem, midnight, openOrganization, TODAY } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)
const theirs = await openOrganization(service)

const salesOrder = async (id: string) => (await ours.get(`/sales_orders/${id}`)).sales_order
const purchaseOrder = async (id: string) => (await ours.get(`/purchase_orders/${id}`)).purchase_order
const estimate = async (id: string) => (await ours.get(`/estimates/${id}`)).estimate
const invoice = async (id: string) => (await ours.get(`/invoices/${id}`)).invoice
const bill = async (id: string) => (await ours.get(`/bills/${id}`)).bill
const gst = (changes: Record<string, unknown> = {}) => line({ tax_id: ours.taxes['GST 18%'], ...changes })
const amountsOf = (lines: Json[]) => lines.map(({ name, quantity, rate, discount, item_total, tax_amount }: Json) => [name, quantity, rate, discount, item_total, tax_amount])

describe('an accepted estimate', () => {
  test('becomes an order of its own lines, prices and place, whatever has changed since, and each names the other', async () => {
    const item_id = await addItem(ours, { rate: 250, tax_id: ours.taxes['GST 5%'] })
    const source = await ours.acceptedEstimate({
      date: '2026-08-10', place_of_supply: 'Delhi', reference_number: 'RFQ 7', notes: 'Festival', currency_code: 'USD', exchange_rate: 83.25,
      line_items: [{ item_id, quantity: 2, discount: 10 }, gst({ description: 'Small', unit: 'NOS', hsn_or_sac: '9609' })],
    })
    await ours.send('PUT', `/items/${item_id}`, { item_name: 'Gold thread', rate: 9, tax_id: null })
    await ours.convert(estimateSource(source))
    const after = await estimate(source.estimate_id)
    const order = await salesOrder(after.converted_to_sales_order_id)
    expect(after).toEqual({
      ...source, status: 'CONVERTED', converted_to_sales_order_id: order.sales_order_id, last_modified_time: after.last_modified_time,
    })
    const without = (lines: Json[]) => lines.map(({ line_item_id: _id, quantity_invoiced: _invoiced, ...rest }) => rest)
    expect(without(order.line_items)).toEqual(without(source.line_items))
    expect(order).toMatchObject({
      status: 'DRAFT', date: midnight(TODAY), shipment_date: null, estimate_id: source.estimate_id, invoices: [], reference_number: 'RFQ 7',
      notes: 'Festival', place_of_supply: 'IN-DL', currency_code: 'USD', exchange_rate: 83.25, customer_id: ours.customerId,
      sub_total: source.sub_total, tax_total: source.tax_total, total: source.total, branch_id: source.branch_id,
    })
    expect((await ours.get('/estimates?status=CONVERTED')).estimates).toContainEqual(after)
  })

  test('is announced with its order, and both are in the log', async () => {
    const org = await openOrganization(service)
    await org.send('POST', '/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook', events: ['ESTIMATE_CONVERTED', 'SALES_ORDER_CREATED', 'INVOICE_CREATED'] })
    const source = await org.acceptedEstimate()
    const id = await org.convert({ ...estimateSource(source), through: 'invoice' })
    const { sales_order_id, invoice_id, hops } = await org.conversionRow(id)
    expect(hops).toBe(2)
    const { deliveries } = await org.get('/webhooks/deliveries?per_page=200')
    const told = Object.fromEntries(deliveries.map(({ event_type, payload }: Json) => [event_type, payload.data]))
    expect(told).toEqual({
      ESTIMATE_CONVERTED: {
        id: source.estimate_id, number: 'EST-00001', customer_id: org.customerId, total: 100, status: 'CONVERTED', sequence: 3,
        converted_to_sales_order_id: sales_order_id,
      },
      SALES_ORDER_CREATED: { id: sales_order_id, number: 'SO-00001', customer_id: org.customerId, total: 100, status: 'DRAFT', sequence: 1 },
      INVOICE_CREATED: { id: invoice_id, number: expect.any(String), customer_id: org.customerId, total: 100, status: 'DRAFT', sequence: 1 },
    })
    expect((await org.changeLog(`/estimates/${source.estimate_id}`)).at(-1)).toEqual(['ESTIMATE_STATUS_CHANGED', {
      status: { old: 'ACCEPTED', new: 'CONVERTED' }, converted_to_sales_order_id: { old: null, new: sales_order_id },
    }])
    expect(await org.changeLog(`/sales_orders/${sales_order_id}`)).toEqual([['SALES_ORDER_CREATED', null], ['SALES_ORDER_STATUS_CHANGED', {
      status: { old: 'DRAFT', new: 'INVOICED' }, quantity_invoiced: { old: 0, new: 1 },
    }]])
  })

  test.each([[false, 'DRAFT', 'DRAFT'], [true, 'OPEN', 'SENT']])('with auto_approve %s leaves an order %s; through its invoice, one %s', async (auto_approve, open, sent) => {
    const [alone, through] = [await ours.acceptedEstimate({ line_items: [gst()] }), await ours.acceptedEstimate({ line_items: [gst()] })]
    const first = await ours.conversionRow(await ours.convert({ ...estimateSource(alone), auto_approve }))
    expect([(await salesOrder(first.sales_order_id)).status, first.invoice_id, first.hops]).toEqual([open, null, 1])
    const second = await ours.conversionRow(await ours.convert({ ...estimateSource(through), through: 'invoice', auto_approve }))
    const made = await invoice(second.invoice_id)
    expect(made).toMatchObject({ status: sent, total: 118, sales_order_id: second.sales_order_id, estimate_id: through.estimate_id })
    expect(await salesOrder(second.sales_order_id)).toMatchObject({ status: 'INVOICED', invoices: [made.invoice_id], line_items: [{ quantity_invoiced: 1 }] })
    expect(await estimate(through.estimate_id)).toMatchObject({ status: 'CONVERTED', invoices: [made.invoice_id] })
    expect(await ours.ledger(made.invoice_id)).toEqual(auto_approve
      ? ['Dr Accounts Receivable (customer) 118.00\n   Cr Sales 100.00\n   Cr Output CGST 9.00\n   Cr Output SGST 9.00'] : [])
  })

  test('is converted once: a repeat answers the order, under another key or none', async () => {
    const source = await ours.acceptedEstimate()
    const waiting = await ours.requestConversion(estimateSource(source))
    const id = await ours.convert(estimateSource(source))
    const { sales_order_id } = await ours.conversionRow(id)
    const refused = { status: 409, code: 'conflict.already_converted', details: { sales_order_id } }
    expect(await ours.refusalOf(ours.requestConversion(estimateSource(source)))).toEqual(refused)
    expect(await ours.refusalOf(ours.convertNext(waiting.id))).toEqual(refused)
    expect(await ours.refusal('DELETE', `/estimates/${source.estimate_id}`))
      .toMatchObject({ status: 409, code: 'conflict.invalid_state', details: { status: 'CONVERTED' } })
    expect(await ours.refusal('PUT', `/estimates/${source.estimate_id}`, { status: 'CANCELLED' }))
      .toMatchObject({ status: 409, code: 'conflict.invalid_state', details: { status: 'CONVERTED' } })
  })

  test('is nothing of another organisation, and nothing unless accepted', async () => {
    const [other, draft] = [await theirs.acceptedEstimate(), (await ours.send('POST', '/estimates', { customer_id: ours.customerId, line_items: [line()] })).estimate]
    for (const sourceId of [other.estimate_id, randomUUID(), 'EST-00001']) {
      expect(await ours.refusalOf(ours.requestConversion({ source: 'ESTIMATE', sourceId }))).toEqual({ status: 404, code: 'not_found.resource' })
    }
    expect(await ours.refusalOf(ours.requestConversion(estimateSource(draft))))
      .toEqual({ status: 409, code: 'conflict.invalid_state', details: { status: 'DRAFT', allowed: ['ACCEPTED'] } })
  })
})

describe('a sales order', () => {
  test('becomes an invoice of its own lines, dated today, due by the customer\'s terms, rounded as invoices are', async () => {
    const org = await openOrganization(service)
    await org.setPreferences({ roundInvoiceTotals: true })
    const [customer_id, branch_id] = [await addContact(org, { payment_terms: 15, place_of_contact: 'IN-MH' }), await addBranch(service, org, 'IN-MH')]
    const order = await org.salesOrder({
      customer_id, branch_id, date: '2026-08-10', reference_number: 'PO 9', notes: 'By rail',
      line_items: [line({ rate: 100.49, tax_id: org.taxes['GST 18%'] }), line({ name: 'Chalk', quantity: 3, rate: 10, discount: 1 })],
    })
    const { invoice_id } = await org.conversionRow(await org.convert({ ...salesOrderSource(order), auto_approve: true }))
    const { invoice: made } = await org.get(`/invoices/${invoice_id}`)
    expect(made).toMatchObject({
      status: 'SENT', customer_id, branch_id, date: midnight(TODAY), due_date: midnight(addDays(TODAY, 15)), reference_number: 'PO 9', notes: 'By rail',
      place_of_supply: 'IN-MH', sub_total: 129.49, tax_total: 18.08, round_off: 0.43, total: 148, sales_order_id: order.sales_order_id, estimate_id: null,
      series_name: null,
    })
    expect(amountsOf(made.line_items)).toEqual([['Slates', 1, 100.49, 0, 100.49, 18.08], ['Chalk', 3, 10, 1, 29, 0]])
    expect(made.line_items[0]).toMatchObject({ cgst: 9.04, sgst: 9.04, igst: 0 })
  })

  test('is invoiced in parts, which take their shares of a discount, until nothing is left', async () => {
    const order = await ours.salesOrder({ line_items: [gst({ quantity: 3, discount: 10 }), line({ name: 'Chalk', quantity: 2, rate: 5 })] })
    const made: string[] = []
    const convert = async (line_items: Json) => made.push((await ours.conversionRow(await ours.convert({ ...salesOrderSource(order), line_items }))).invoice_id)
    await convert(partQuantities(order, 1))
    expect(await salesOrder(order.sales_order_id)).toMatchObject({ status: 'PARTIALLY_INVOICED', invoices: made, line_items: [{ quantity_invoiced: 1 }, { quantity_invoiced: 0 }] })
    await convert(partQuantities(order, 1, 0.5))
    await convert(null)
    const after = await salesOrder(order.sales_order_id)
    expect(after).toMatchObject({ status: 'INVOICED', invoices: made, line_items: [{ quantity_invoiced: 3 }, { quantity_invoiced: 2 }] })
    const invoices = await Promise.all(made.map(invoice))
    expect(invoices.map(({ line_items }) => amountsOf(line_items))).toEqual([
      [['Slates', 1, 100, 3.333333, 96.67, 17.4]],
      [['Slates', 1, 100, 3.333334, 96.67, 17.4], ['Chalk', 0.5, 5, 0, 2.5, 0]],
      [['Slates', 1, 100, 3.333333, 96.67, 17.4], ['Chalk', 1.5, 5, 0, 7.5, 0]],
    ])
    expect(await ours.refusalOf(ours.requestConversion(salesOrderSource(order))))
      .toEqual({ status: 409, code: 'conflict.already_converted', details: { invoice_id: made[2], invoice_ids: made } })
    expect((await ours.changeLog(`/sales_orders/${order.sales_order_id}`)).slice(1).map(([action, changes]) => [action, changes.status?.new, changes.quantity_invoiced.new]))
      .toEqual([['SALES_ORDER_STATUS_CHANGED', 'PARTIALLY_INVOICED', 1], ['SALES_ORDER_STATUS_CHANGED', undefined, 2.5], ['SALES_ORDER_STATUS_CHANGED', 'INVOICED', 5]])
    expect((await ours.get('/sales_orders?status=INVOICED')).sales_orders).toContainEqual(after)
  })

  test('is refused in more than is left, in lines that are not its own, and in a state that takes no more', async () => {
    const [order, other] = [await ours.salesOrder({ line_items: [line({ quantity: 3 })] }), await ours.salesOrder()]
    await ours.convert({ ...salesOrderSource(order), line_items: partQuantities(order, 1) })
    const refused = (line_items: Json) => ours.refusalOf(ours.requestConversion({ ...salesOrderSource(order), line_items }))
    expect(await refused(partQuantities(order, 2.000001))).toEqual({ status: 400, code: 'validation.invalid_value', field: 'line_items.0.quantity', details: { limit: 2 } })
    expect(await refused([...partQuantities(order, 1), ...partQuantities(order, 1.5)]))
      .toEqual({ status: 400, code: 'validation.invalid_value', field: 'line_items.1.quantity', details: { limit: 1 } })
    expect(await refused(partQuantities(other, 1))).toEqual({ status: 404, code: 'not_found.resource', field: 'line_items.0.line_item_id' })
    const late = await ours.requestConversion({ ...salesOrderSource(order), line_items: partQuantities(order, 2) })
    await ours.convert({ ...salesOrderSource(order), line_items: partQuantities(order, 0.5) })
    expect(await ours.refusalOf(ours.convertNext(late.id))).toEqual({ status: 400, code: 'validation.invalid_value', field: 'line_items.0.quantity', details: { limit: 1.5 } })
    await ours.send('POST', `/sales_orders/${order.sales_order_id}/close`)
    expect(await refused(null)).toEqual({ status: 409, code: 'conflict.invalid_state', details: { status: 'CLOSED', allowed: ['DRAFT', 'OPEN', 'PARTIALLY_INVOICED'] } })
    expect((await ours.conversionRow(late.id)).hops).toBe(0)
  })

  test('of a foreign currency is posted at its own rate', async () => {
    const order = await ours.salesOrder({ currency_code: 'USD', exchange_rate: 83.25, line_items: [gst()] })
    const { invoice_id } = await ours.conversionRow(await ours.convert({ ...salesOrderSource(order), auto_approve: true }))
    expect(await invoice(invoice_id)).toMatchObject({ currency_code: 'USD', exchange_rate: 83.25, total: 118 })
    expect(await ours.ledger(invoice_id))
      .toEqual(['Dr Accounts Receivable (customer) 9,823.50\n   Cr Sales 8,325.00\n   Cr Output CGST 749.25\n   Cr Output SGST 749.25'])
  })
})

describe('a purchase order', () => {
  test('is billed in parts and stays OPEN until it is BILLED', async () => {
    const order = await ours.purchaseOrder({ reference_number: 'Q-1', notes: 'Two parcels', line_items: [gst({ quantity: 4, rate: 50, discount: 20 })] })
    const first = (await ours.conversionRow(await ours.convert({ ...purchaseOrderSource(order), line_items: partQuantities(order, 1) }))).bill_id
    expect(await purchaseOrder(order.purchase_order_id)).toMatchObject({ status: 'OPEN', bills: [first], line_items: [{ quantity_billed: 1 }] })
    const second = (await ours.conversionRow(await ours.convert({ ...purchaseOrderSource(order), auto_approve: true }))).bill_id
    expect(await purchaseOrder(order.purchase_order_id)).toMatchObject({ status: 'BILLED', bills: [first, second], line_items: [{ quantity_billed: 4 }] })
    const [draft, posted] = [await bill(first), await bill(second)]
    expect([draft, posted].map(({ status, total, line_items }) => [status, total, amountsOf(line_items)])).toEqual([
      ['DRAFT', 53.1, [['Slates', 1, 50, 5, 45, 8.1]]], ['OPEN', 159.3, [['Slates', 3, 50, 15, 135, 24.3]]],
    ])
    expect(posted).toMatchObject({ purchase_order_id: order.purchase_order_id, reference_number: 'Q-1', notes: 'Two parcels', date: midnight(TODAY), vendor_id: ours.vendorId })
    expect(posted.bill_number).toMatch(/^BILL-/)
    expect(await ours.billLedger(second)).toEqual(['Dr Purchases 135.00\nDr Input CGST 12.15\nDr Input SGST 12.15\n   Cr Accounts Payable (vendor) 159.30'])
    expect(await ours.refusalOf(ours.requestConversion(purchaseOrderSource(order))))
      .toEqual({ status: 409, code: 'conflict.already_converted', details: { bill_id: second, bill_ids: [first, second] } })
    expect(await ours.refusal('POST', `/purchase_orders/${order.purchase_order_id}/cancel`)).toMatchObject({ status: 409, code: 'conflict.invalid_state' })
  })

  test('under reverse charge owes the vendor the value alone', async () => {
    const order = await ours.purchaseOrder({ line_items: [line({ rate: 700, tax_id: ours.taxes['RCM 18%'] })] })
    const { bill_id } = await ours.conversionRow(await ours.convert({ ...purchaseOrderSource(order), auto_approve: true }))
    expect(await bill(bill_id)).toMatchObject({ total: 700, tax_total: 0, place_of_supply: 'IN-KA' })
    expect((await ours.billLedger(bill_id))[0]).toContain('Cr Output CGST (RCM) 63.00')
  })

  test('is not billed where the same bill is on the books already, and stays as it was', async () => {
    const [earlier, order] = [
      await ours.purchaseOrder({ reference_number: 'Twice', line_items: [line({ quantity: 2, rate: 77 })] }),
      await ours.purchaseOrder({ reference_number: 'Twice', line_items: [line({ rate: 77 })] }),
    ]
    const { bill_id } = await ours.conversionRow(await ours.convert({ ...purchaseOrderSource(earlier), line_items: partQuantities(earlier, 1), auto_approve: true }))
    const { bill_number } = await bill(bill_id)
    const before = await purchaseOrder(order.purchase_order_id)
    expect(await ours.refusalOf(ours.convert(purchaseOrderSource(order))))
      .toEqual({ status: 400, code: 'validation.invalid_value', field: 'reference_number', details: { bill_id, bill_number } })
    expect(await purchaseOrder(order.purchase_order_id)).toEqual(before)
  })
})
