// An item of the item master in the model: what it costs, and which lines are of it.
import type { Json } from '../fixtures/client.ts'
import { choose, type Books, type Pick, type Thing } from './books.ts'

export class Item implements Thing {
  readonly key = 'item'
  gone = false
  status: 'ACTIVE' | 'INACTIVE' = 'ACTIVE'
  readonly actions = ['CREATED']
  readonly id: string
  name: string
  /** Whole units of the currency a piece, sold or bought. */
  rate: number

  constructor({ id, name, rate }: { id: string; name: string; rate: number }) {
    this.id = id
    this.name = name
    this.rate = rate
  }

  get path() { return `/items/${this.id}` }

  shown(): Json {
    return { item_name: this.name, rate: this.rate, purchase_rate: this.rate, status: this.status }
  }
}

/** The item that a line names; null for a line without one, or where there is no item yet. */
export function itemOf(books: Books, { item }: { item: Pick | null }): Item | null {
  return item && choose(books.all(Item), ({ gone }) => !gone, item)
}
