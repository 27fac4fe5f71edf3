// A writer that reads a resource whole, changes one field and puts it back, on one resource after the other.
import { expect } from '@jest/globals'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { TODAY } from '../fixtures/organization.ts'
import type { LoadedOrganization } from './organization.ts'
import type { CheckedCaller, Writer } from './writers.ts'

interface Kept {
  path: string
  key: string
  field: string
  /** As the last PUT answered it. */
  last: Json
  changes: number
}

/** Each resource is the writer's own, so that every PUT is a change, and its answer the last word. */
export async function changing(org: LoadedOrganization, caller: CheckedCaller): Promise<Writer> {
  const { vendorId, customerId, taxId } = org
  const drawnUp = { date: TODAY, line_items: [line({ quantity: 2, tax_id: taxId }), line({ name: 'Chalk', rate: 12.5 })] }
  const keep = async (list: string, key: string, field: string, body: Json): Promise<Kept> => {
    const made = (await caller.post(list, body))[key]
    return { path: `${list}/${made[`${key}_id`]}`, key, field, last: made, changes: 0 }
  }
  const kept = await Promise.all([
    keep('/bills', 'bill', 'notes', { ...drawnUp, vendor_id: vendorId, place_of_supply: 'IN-KA' }),
    keep('/estimates', 'estimate', 'notes', { ...drawnUp, customer_id: customerId }),
    keep('/sales_orders', 'sales_order', 'notes', { ...drawnUp, customer_id: customerId }),
    keep('/purchase_orders', 'purchase_order', 'notes', { ...drawnUp, vendor_id: vendorId }),
    keep('/credit_notes', 'credit_note', 'notes', { ...drawnUp, customer_id: customerId, is_draft: true }),
    keep('/payments', 'payment', 'description', { flow: 'INCOMING', contact_id: customerId, date: TODAY, amount: 100 }),
    keep('/contacts', 'contact', 'company_name', { contact_name: 'Erode Dyers' }),
    keep('/items', 'item', 'description', { item_name: 'Zari border', rate: 250 }),
  ])
  let turn = 0
  return {
    name: 'changing',
    async round() {
      const one = kept[turn % kept.length]!
      turn += 1
      const { [one.key]: whole } = await caller.get(one.path)
      expect(whole).toEqual(one.last)
      one.changes += 1
      const { [one.key]: after } = await caller.put(one.path, { ...whole, [one.field]: `Change ${one.changes}` })
      expect(after).toEqual({ ...whole, [one.field]: `Change ${one.changes}`, last_modified_time: after.last_modified_time })
      one.last = after
    },
    async check() {
      for (const { path, key, last, changes } of kept) {
        expect((await caller.get(path))[key]).toEqual(last)
        // A PUT that was repeated, for its answer was lost, is one change.
        const updates = await caller.countActivity(key.toUpperCase(), last[`${key}_id`], 'UPDATED')
        expect({ path, updates }).toEqual({ path, updates: changes })
      }
    },
  }
}
