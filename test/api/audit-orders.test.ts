// The audit sees what is wrong with orders: each damage, done by SQL, is found.
import { describe, expect, test } from '@jest/globals'
import { openOrganization } from '../fixtures/organization.ts'
import { useServiceWithoutAudit } from '../fixtures/use-service.ts'

const service = await useServiceWithoutAudit()
const ours = await openOrganization(service)

// It counts the events of an organisation, so it is another one with every event.
const notOfPositions = (finding: string) => !/events at positions/.test(finding)

const DAMAGES: [string, string, RegExp][] = [
  ['a line that was made dearer', 'UPDATE TABLE_lines SET item_total = item_total + 1 WHERE TABLE_id = $1', /sub_total 10000 and tax_total 0, its 1 lines sum to 10001 and 0$/],
  ['a tax on a line alone', 'UPDATE TABLE_lines SET cgst = 5 WHERE TABLE_id = $1', /its 1 lines sum to 10000 and 5$/],
  ['lines that vanished', 'DELETE FROM TABLE_lines WHERE TABLE_id = $1', /its 0 lines sum to 0 and 0$/],
  ['a line that stands at another place', 'UPDATE TABLE_lines SET line_no = 2 WHERE TABLE_id = $1', /its 1 lines sum to 10000 and 0$/],
  ['a draft that has gone into a document', 'UPDATE TABLE_lines SET CONVERTED = 1 WHERE TABLE_id = $1', /is DRAFT, and 1\.000000 of it has been converted$/],
  ['an event that vanished', 'DELETE FROM webhook_events WHERE entity_id = $1', /has no creation event$/],
  ['an order that vanished', 'DELETE FROM TABLEs WHERE id = $1', /has assigned \d+ (sales|purchase) order numbers, but \d+ exist$/],
]

describe.each([
  ['sales order', 'sales_order', 'quantity_invoiced'], ['purchase order', 'purchase_order', 'quantity_billed'],
] as const)('of a %s', (noun, table, converted) => {
  test.each(DAMAGES)('%s', async (_name, damage, told) => {
    const before = await service.audit()
    const order = await (table === 'sales_order' ? ours.salesOrder() : ours.purchaseOrder())
    // The audit's findings come in no order.
    expect((await service.audit()).filter(notOfPositions).sort()).toEqual(before.filter(notOfPositions).sort())
    await service.sql(damage.replaceAll('TABLE', table).replaceAll('CONVERTED', converted), order[`${table}_id`])
    const wrong = (await service.audit()).filter((one) => !before.includes(one))
    expect(wrong.filter((one) => told.test(one))).toHaveLength(1)
    for (const one of wrong.filter(notOfPositions)) expect(one).toContain(noun)
  })
})
