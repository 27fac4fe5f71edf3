// A writer that adds a contact and an item, names them in a draft or does not, and deletes them: gone, or in use.
import { expect } from '@jest/globals'
import { line } from '../fixtures/bodies.ts'
import { TODAY } from '../fixtures/organization.ts'
import type { CheckedCaller, Writer } from './writers.ts'

interface Master {
  path: string
  type: 'CONTACT' | 'ITEM'
  id: string
  isDeleted: boolean
}

export function deleting(caller: CheckedCaller): Writer {
  const masters: Master[] = []
  let turn = 0

  async function remove(type: Master['type'], id: string, isNamed: boolean): Promise<void> {
    const path = `/${type.toLowerCase()}s/${id}`
    const { status, body, text } = await caller.answer('DELETE', path)
    // A deletion whose answer was lost is answered 404 when it is repeated.
    const outcomes = isNamed ? ['409 conflict.in_use'] : ['200 0', '404 not_found.resource']
    if (!outcomes.includes(`${status} ${body?.code}`)) throw new Error(`DELETE ${path} answered ${status}: ${text}`)
    masters.push({ path, type, id, isDeleted: !isNamed })
  }

  return {
    name: 'deleting',
    async round() {
      turn += 1
      const isNamed = turn % 2 === 0
      const { contact: { contact_id } } = await caller.post('/contacts', { contact_name: `Contact ${turn}`, contact_type: 'VENDOR' })
      const { item: { item_id } } = await caller.post('/items', { item_name: `Item ${turn}`, rate: turn })
      if (isNamed) {
        const lines = { line_items: [{ ...line(), item_id }] }
        await caller.post('/bills', { vendor_id: contact_id, date: TODAY, place_of_supply: 'IN-KA', reference_number: `Named ${turn}`, ...lines })
      }
      await remove('CONTACT', contact_id, isNamed)
      await remove('ITEM', item_id, isNamed)
    },
    async check() {
      expect(masters.filter(({ isDeleted }) => isDeleted).length).toBeGreaterThan(1)
      for (const { path, type, id, isDeleted } of masters) {
        const { status } = await caller.answer('GET', path)
        const [added, deleted] = [await caller.countActivity(type, id, 'CREATED'), await caller.countActivity(type, id, 'DELETED')]
        expect({ path, status, added, deleted }).toEqual({ path, status: isDeleted ? 404 : 200, added: 1, deleted: isDeleted ? 1 : 0 })
      }
    },
  }
}
