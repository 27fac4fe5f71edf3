// What the audit finds when somebody has been at estimates and conversions behind the books' back.
import { beforeEach, expect, test } from '@jest/globals'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { estimateSource, partQuantities, purchaseOrderSource } from '../fixtures/conversions.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { useServiceWithoutAudit } from '../fixtures/use-service.ts'

let before: string[]
// An estimate that went through to its invoice, and a purchase order that is billed in part.
let sold: Json
let bought: Json
let accepted: Json

const service = await useServiceWithoutAudit()
const ours = await openOrganization(service)
beforeEach(async () => {
  before = await service.audit()
  accepted = await ours.acceptedEstimate()
  sold = await ours.conversionRow(await ours.convert({ ...estimateSource(await ours.acceptedEstimate()), through: 'invoice', auto_approve: true }))
  const order = await ours.purchaseOrder({ line_items: [line({ quantity: 4 })] })
  bought = await ours.conversionRow(await ours.convert({ ...purchaseOrderSource(order), line_items: partQuantities(order, 1) }))
})

const numberOf = async (table: string, id: string) =>
  (await service.sql<{ number: string }>(`SELECT ${table}_number AS number FROM ${table}s WHERE id = $1`, id))[0]!.number

test('nothing, while nobody has', async () => {
  // The audit's findings come in no order.
  expect((await service.audit()).sort()).toEqual(before.sort())
})

test.each<[string, string, () => string, string, RegExp]>([
  ['more than was invoiced', 'UPDATE sales_order_lines SET quantity = 2, quantity_invoiced = 2 WHERE sales_order_id = $1', () => sold.sales_order_id,
    'sales_order', /^line 1 of sales order NUMBER of ORG: quantity_invoiced is 2\.000000, but its uncancelled invoices have 1\.000000$/],
  ['less than was billed', 'UPDATE purchase_order_lines SET quantity_billed = 0 WHERE purchase_order_id = $1', () => bought.source_id,
    'purchase_order', /^line 1 of purchase order NUMBER of ORG: quantity_billed is 0\.000000, but its uncancelled bills have 1\.000000$/],
  ['an invoice that is gone', 'DELETE FROM invoices WHERE id = $1', () => sold.invoice_id, '', /^line 1 of sales order .* of ORG: quantity_invoiced is 1\.000000, but its uncancelled invoices have 0$/],
  ['an order that is still open', "UPDATE sales_orders SET status = 'OPEN' WHERE id = $1", () => sold.sales_order_id,
    'sales_order', /^sales order NUMBER of ORG is OPEN with 1\.000000 of 1\.000000 converted$/],
  ['an order that is done too early', "UPDATE purchase_orders SET status = 'BILLED' WHERE id = $1", () => bought.source_id,
    'purchase_order', /^purchase order NUMBER of ORG is BILLED with 1\.000000 of 4\.000000 converted$/],
  ['an invoice line of no order', 'UPDATE invoice_lines SET sales_order_line_id = NULL WHERE invoice_id = $1', () => sold.invoice_id,
    'invoice', /^line 1 of invoice NUMBER of ORG belongs to another sales order than the invoice$/],
  ['a bill that leads to no order', 'UPDATE bills SET purchase_order_id = NULL WHERE id = $1', () => bought.bill_id,
    'bill', /^line 1 of bill NUMBER of ORG belongs to another purchase order than the bill$/],
  ['a bill that no conversion made', 'UPDATE conversions SET bill_id = NULL, hops = 0 WHERE bill_id = $1', () => bought.bill_id,
    'bill', /^bill NUMBER of ORG belongs to a purchase order, but has 0 conversions$/],
  ['an order that forgot its estimate', 'UPDATE sales_orders SET estimate_id = NULL WHERE id = $1', () => sold.sales_order_id,
    '', /^estimate .* of ORG is CONVERTED, its order refers to nothing, and it has 1 conversions and 1 conversion events$/],
  ['an estimate that forgot its order', "UPDATE estimates SET status = 'ACCEPTED', converted_to_sales_order_id = NULL WHERE id = $1", () => sold.source_id,
    '', /^sales order .* of ORG refers to an estimate whose order is nothing$/],
  ['an invoice of another estimate', 'UPDATE invoices SET estimate_id = NULL WHERE id = $1', () => sold.invoice_id,
    'invoice', /^invoice NUMBER of ORG refers to another estimate than its order$/],
  ['a conversion that nobody was told of', "DELETE FROM webhook_events WHERE event_type = 'ESTIMATE_CONVERTED' AND entity_id = $1", () => sold.source_id,
    'estimate', /^estimate NUMBER of ORG is CONVERTED, its order refers to .*, and it has 1 conversions and 0 conversion events$/],
  ['an estimate at another price', 'UPDATE estimate_lines SET item_total = 99_00 WHERE estimate_id = $1', () => accepted.estimate_id,
    'estimate', /^estimate NUMBER of ORG: sub_total 10000 and tax_total 0, its 1 lines sum to 9900 and 0$/],
  ['an acceptance that nobody was told of', "DELETE FROM webhook_events WHERE event_type = 'ESTIMATE_ACCEPTED' AND entity_id = $1", () => accepted.estimate_id,
    'estimate', /^estimate NUMBER of ORG is ACCEPTED and has no event ESTIMATE_ACCEPTED$/],
  ['an estimate that is gone', 'DELETE FROM estimates WHERE id = $1', () => accepted.estimate_id, '', /^organisation ORG has assigned \d+ estimate numbers, but \d+ exist$/],
])('%s', async (_what, damage, id, table, told) => {
  const number = table === '' ? '' : await numberOf(table, id())
  await service.sql(damage, id())
  const wanted = new RegExp(told.source.replace('NUMBER', number).replace('ORG', ours.orgId))
  expect((await service.audit()).filter((one) => !before.includes(one))).toContainEqual(expect.stringMatching(wanted))
})
