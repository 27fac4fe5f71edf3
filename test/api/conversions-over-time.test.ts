// Conversions over time: what is undone opens its order again, what is requested twice or by many is created once.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { estimateSource, partQuantities, purchaseOrderSource, salesOrderSource } from '../fixtures/conversions.ts'
import { openOrganization, TODAY } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)
const theirs = await openOrganization(service)

const salesOrder = async (id: string) => (await ours.get(`/sales_orders/${id}`)).sales_order
const purchaseOrder = async (id: string) => (await ours.get(`/purchase_orders/${id}`)).purchase_order

describe('what is deleted or void gives its quantities back', () => {
  const invoiceOf = async (order: Json, wanted: Json = {}) => (await ours.conversionRow(await ours.convert({ ...salesOrderSource(order), ...wanted }))).invoice_id
  const billOf = async (order: Json, wanted: Json = {}) => (await ours.conversionRow(await ours.convert({ ...purchaseOrderSource(order), ...wanted }))).bill_id
  const stateOf = async ({ sales_order_id }: Json) => {
    const { status, invoices, line_items } = await salesOrder(sales_order_id)
    return [status, invoices, line_items.map(({ quantity_invoiced }: Json) => quantity_invoiced)]
  }

  test('an order whose invoices go opens again, step by step, and can be invoiced again', async () => {
    const order = await ours.salesOrder({ line_items: [line({ quantity: 3 }), line()] })
    const part = await invoiceOf(order, { line_items: partQuantities(order, 1) })
    const rest = await invoiceOf(order, { auto_approve: true })
    expect(await stateOf(order)).toEqual(['INVOICED', [part, rest], [3, 1]])
    await ours.send('POST', `/invoices/${rest}/void`, {})
    expect(await stateOf(order)).toEqual(['PARTIALLY_INVOICED', [part, rest], [1, 0]])
    await ours.send('DELETE', `/invoices/${part}`)
    expect(await stateOf(order)).toEqual(['OPEN', [rest], [0, 0]])
    expect((await ours.changeLog(`/sales_orders/${order.sales_order_id}`)).slice(-2)).toEqual([
      ['SALES_ORDER_STATUS_CHANGED', { status: { old: 'INVOICED', new: 'PARTIALLY_INVOICED' }, quantity_invoiced: { old: 4, new: 1 } }],
      ['SALES_ORDER_STATUS_CHANGED', { status: { old: 'PARTIALLY_INVOICED', new: 'OPEN' }, quantity_invoiced: { old: 1, new: 0 } }],
    ])
    const anew = await invoiceOf(order)
    expect(await stateOf(order)).toEqual(['INVOICED', [rest, anew], [3, 1]])
    expect((await ours.get(`/invoices/${anew}`)).invoice.total).toBe(400)
  })

  test('a closed order stays closed, a draft that is void gives back too, and a refused void gives nothing', async () => {
    const order = await ours.salesOrder({ line_items: [line({ quantity: 3 })] })
    const [first, second] = [await invoiceOf(order, { line_items: partQuantities(order, 1) }), await invoiceOf(order, { line_items: partQuantities(order, 1) })]
    await ours.send('POST', `/sales_orders/${order.sales_order_id}/close`)
    await ours.send('POST', `/invoices/${first}/void`, {})
    expect(await stateOf(order)).toEqual(['CLOSED', [first, second], [1]])
    expect(await ours.refusal('POST', `/invoices/${first}/void`, {})).toMatchObject({ status: 409, code: 'conflict.already_cancelled' })
    expect(await ours.refusal('DELETE', `/invoices/${first}`)).toMatchObject({ status: 409, code: 'conflict.invalid_state' })
    expect(await stateOf(order)).toEqual(['CLOSED', [first, second], [1]])
    expect((await ours.changeLog(`/sales_orders/${order.sales_order_id}`)).at(-1)).toEqual(['SALES_ORDER_UPDATED', { quantity_invoiced: { old: 2, new: 1 } }])
  })

  test('a purchase order opens again', async () => {
    const order = await ours.purchaseOrder({ line_items: [line({ quantity: 2, rate: 31 })] })
    const [deleted, voided] = [await billOf(order, { line_items: partQuantities(order, 1) }), await billOf(order, { auto_approve: true })]
    const state = async () => {
      const { status, bills, line_items } = await purchaseOrder(order.purchase_order_id)
      return [status, bills, line_items[0].quantity_billed]
    }
    expect(await state()).toEqual(['BILLED', [deleted, voided], 2])
    await ours.send('POST', `/bills/${voided}/void`, {})
    expect(await state()).toEqual(['OPEN', [deleted, voided], 1])
    await ours.send('DELETE', `/bills/${deleted}`)
    expect(await state()).toEqual(['OPEN', [voided], 0])
    await ours.send('POST', `/purchase_orders/${order.purchase_order_id}/cancel`)
  })

  test('also what was paid, whose payment is unapplied', async () => {
    const order = await ours.salesOrder({ line_items: [line({ quantity: 2 })] })
    const invoice_id = await invoiceOf(order, { auto_approve: true })
    await ours.send('POST', '/payments', { flow: 'INCOMING', contact_id: ours.customerId, date: TODAY, amount: 50, allocations: [{ invoice_id, amount: 50 }] })
    await ours.send('POST', `/invoices/${invoice_id}/void`, {})
    expect(await stateOf(order)).toEqual(['OPEN', [invoice_id], [0]])
  })
})

describe('a request', () => {
  test('under an id that is there already is the same request', async () => {
    const [order, other, id] = [await ours.salesOrder(), await ours.salesOrder(), randomUUID()]
    const first = await ours.requestConversion({ ...salesOrderSource(order), line_items: partQuantities(order, 1) }, id)
    expect(await ours.requestConversion(salesOrderSource(other), id)).toMatchObject({ id, source_id: order.sales_order_id, line_items: partQuantities(order, 1), hops: 0 })
    expect(first).toMatchObject({ source_type: 'SALES_ORDER', through: null, auto_approve: false, hops: 0, origin: { source: 'PUBLIC_API' } })
    await ours.convert(salesOrderSource(order), id)
    expect(await ours.requestConversion(salesOrderSource(order), id)).toMatchObject({ id, hops: 1, invoice_id: expect.any(String) })
    expect((await salesOrder(other.sales_order_id)).status).toBe('DRAFT')
  })

  test('that is carried out by many at once is carried out once, step by step', async () => {
    const source = await ours.acceptedEstimate()
    const { id } = await ours.requestConversion({ ...estimateSource(source), through: 'invoice' })
    await Promise.all(Array.from({ length: 12 }, () => ours.convertNext(id)))
    expect(await ours.convertNext(id)).toBe(true)
    const { sales_order_id, invoice_id, hops } = await ours.conversionRow(id)
    expect([hops, (await salesOrder(sales_order_id)).invoices]).toEqual([2, [invoice_id]])
  })

  test('is one of many for the same order: one invoice is made of what is left', async () => {
    const order = await ours.salesOrder({ line_items: [line({ quantity: 5 })] })
    const asked = await Promise.all(Array.from({ length: 12 }, () => ours.requestConversion(salesOrderSource(order))))
    const ends = await Promise.allSettled(asked.map(({ id }) => ours.convertNext(id)))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const after = await salesOrder(order.sales_order_id)
    expect([after.status, after.invoices.length]).toEqual(['INVOICED', 1])
    const shared = await ours.salesOrder({ line_items: [line({ quantity: 5 })] })
    const pieces = await Promise.all(Array.from({ length: 8 }, () => ours.requestConversion({ ...salesOrderSource(shared), line_items: partQuantities(shared, 1) })))
    const made = await Promise.allSettled(pieces.map(({ id }) => ours.convertNext(id)))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(await salesOrder(shared.sales_order_id)).toMatchObject({ status: 'INVOICED', line_items: [{ quantity_invoiced: 5 }] })
  })

  test('and a void at once end in an order that its invoices agree with', async () => {
    for (let round = 0; round < 4; round += 1) {
      const order = await ours.salesOrder({ line_items: [line({ quantity: 2 })] })
      const { invoice_id } = await ours.conversionRow(await ours.convert({ ...salesOrderSource(order), line_items: partQuantities(order, 1), auto_approve: true }))
      const rest = await ours.requestConversion(salesOrderSource(order))
      const close = ours.client.post(`/sales_orders/${order.sales_order_id}/close`)
      await Promise.allSettled([ours.convertNext(rest.id), ours.client.post(`/invoices/${invoice_id}/void`, {}), close])
    }
    expect(await service.audit()).toEqual([])
  })

  test('that does not exist cannot be carried out', async () => {
    const { id } = await theirs.requestConversion(estimateSource(await theirs.acceptedEstimate()))
    for (const unknown of [id, randomUUID()]) expect(await ours.refusalOf(ours.convertNext(unknown))).toEqual({ status: 404, code: 'not_found.resource' })
  })
})
