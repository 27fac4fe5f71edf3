// The items' routes.
import { Type } from 'typebox'
import { archiveItem, changeItem, createItem, deleteItem, itemOf } from '../../commands/masters/items.ts'
import { ITEM_SEARCH, items } from '../../models/item.ts'
import { equals, listing, within } from '../http/listing.ts'
import { route } from '../http/route.ts'
import { one } from '../shapes/fields.ts'
import {
  Item,
  ITEM_STATUSES,
  ITEM_TYPES,
  ItemChanges,
  itemProblems,
  NewItem,
  readItem,
  readNewItem,
  showItem,
} from '../shapes/item.ts'

const tag = 'Items'
const answer = one('item', Item)

export const itemRoutes = [
  listing({
    path: '/items',
    tag,
    does: 'List items',
    scope: 'items.READ',
    key: 'items',
    table: items,
    shape: Item,
    filters: {
      status: equals(Type.Enum(ITEM_STATUSES)),
      item_type: equals(Type.Enum(ITEM_TYPES)),
      sku: equals(),
      search: within(ITEM_SEARCH, 'Part of the name, the SKU or the description.'),
    },
    show: (rows) => rows.map(showItem),
  }),
  route({
    method: 'POST',
    path: '/items',
    tag,
    does: 'Create an item',
    scope: 'items.CREATE',
    status: 201,
    answer,
    body: NewItem,
    alsoCheck: itemProblems,
    write: async (books, { body }) => ({
      message: 'Item created.',
      item: showItem(await createItem(books, readNewItem(body))),
    }),
  }),
  route({
    method: 'GET',
    path: '/items/{item_id}',
    tag,
    does: 'Read an item',
    scope: 'items.READ',
    answer,
    read: async (context, { params }) => ({ item: showItem(await itemOf(context, params.item_id!)) }),
  }),
  route({
    method: 'PUT',
    path: '/items/{item_id}',
    tag,
    does: 'Change an item',
    scope: 'items.UPDATE',
    answer,
    body: ItemChanges,
    write: async (books, { params, body }) => ({
      message: 'Item updated.',
      item: showItem(await changeItem(books, params.item_id!, readItem(body), showItem)),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/items/{item_id}',
    tag,
    does: 'Delete an item that no document uses',
    scope: 'items.DELETE',
    answer: Type.Object({}),
    async write(books, { params }) {
      await deleteItem(books, params.item_id!)
      return { message: 'Item deleted.' }
    },
  }),
  route({
    method: 'POST',
    path: '/items/{item_id}/archive',
    tag,
    does: 'Archive an item',
    scope: 'items.UPDATE',
    answer,
    write: async (books, { params }) => ({
      message: 'Item archived.',
      item: showItem(await archiveItem(books, params.item_id!)),
    }),
  }),
]
