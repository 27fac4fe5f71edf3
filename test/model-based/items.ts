// What is done with items in the model: adding, changing, archiving, and deleting those that no line is of.
import { choose, BAD_SHAPE, IN_USE, MISSING, refusalsOf, type Books, type Pick, type Plan } from './books.ts'
import { Estimate } from './estimates.ts'
import { Item } from './item.ts'
import { Note } from './note.ts'
import { Order } from './order.ts'

export interface ItemInput {
  name: string
  rate: number
  wrong: 'no name' | null
}

export function addItem(books: Books, { name, rate, wrong }: ItemInput): Plan {
  return {
    method: 'POST',
    path: '/items',
    body: { ...(wrong ? {} : { item_name: name }), rate, purchase_rate: rate },
    refusals: refusalsOf([[wrong !== null, BAD_SHAPE]]),
    move({ item }) {
      books.add(new Item({ id: item.item_id, name, rate }))
    },
  }
}

const stands = ({ gone }: Item) => !gone

export interface ItemChange extends Pick {
  name: string | null
  rate: number | null
  status: 'ACTIVE' | 'INACTIVE' | null
}

/** Documents that exist keep the rate that they were created with. */
export function changeItem(books: Books, { name, rate, status, ...pick }: ItemChange): Plan | null {
  const item = choose(books.all(Item), stands, pick)
  if (!item) return null
  const after = { name: name ?? item.name, rate: rate ?? item.rate, status: status ?? item.status }
  return {
    method: 'PUT',
    path: item.path,
    body: {
      ...(name === null ? {} : { item_name: name }), ...(rate === null ? {} : { rate, purchase_rate: rate }), ...(status === null ? {} : { status }),
    },
    refusals: refusalsOf([[item.gone, MISSING]]),
    move() {
      if (item.name !== after.name || item.rate !== after.rate || item.status !== after.status) item.actions.push('UPDATED')
      Object.assign(item, after)
    },
    about: [item],
  }
}

export function archiveItem(books: Books, pick: Pick): Plan | null {
  const item = choose(books.all(Item), stands, pick)
  if (!item) return null
  return {
    method: 'POST',
    path: `${item.path}/archive`,
    refusals: refusalsOf([[item.gone, MISSING]]),
    move() {
      if (item.status === 'ACTIVE') item.actions.push('STATUS_CHANGED')
      item.status = 'INACTIVE'
    },
    about: [item],
  }
}

export function deleteItem(books: Books, pick: Pick): Plan | null {
  const item = choose(books.all(Item), stands, pick)
  if (!item) return null
  const uses = usesOf(books, item)
  return {
    method: 'DELETE',
    path: item.path,
    refusals: refusalsOf([[item.gone, MISSING], [Object.values(uses).some((count) => count > 0), IN_USE]]),
    uses,
    move() {
      item.gone = true
      item.actions.push('DELETED')
    },
    about: [item],
  }
}

/** How many lines of each kind of document are of the item; a deleted document has none. */
function usesOf(books: Books, item: Item): Record<string, number> {
  const count = (documents: { gone: boolean; lines: { item: Item | null }[] }[]) => (
    documents.filter(({ gone }) => !gone).flatMap(({ lines }) => lines).filter((line) => line.item === item).length
  )
  const documents = (kind: string) => count(books.documents.filter((one) => one.kind === kind).map(({ gone, terms: { lines } }) => ({ gone, lines })))
  const notes = (kind: string) => count(books.all(Note).filter((one) => one.kind === kind))
  const orders = (kind: string) => count(books.all(Order).filter((one) => one.kind === kind))
  return {
    invoice_lines: documents('invoice'), bill_lines: documents('bill'), credit_note_lines: notes('credit_note'), debit_note_lines: notes('debit_note'),
    sales_order_lines: orders('sales_order'), purchase_order_lines: orders('purchase_order'), estimate_lines: count(books.all(Estimate)),
  }
}
