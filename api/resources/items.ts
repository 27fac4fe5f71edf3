// The items' routes.
import { Op, type WhereOptions } from 'sequelize'
import { Type } from 'typebox'
import { archiveItem, changeItem, createItem, deleteItem, itemOf } from '../../commands/items.ts'
import { ITEM_SEARCH, items } from '../../models/item.ts'
import { contains, pageOf } from '../../models/page.ts'
import { modifiedSince, PageContext, pageContext, pageQuery, pageRequest } from '../http/page.ts'
import { route } from '../http/route.ts'
import { one } from '../shapes/fields.ts'
import { Item, ITEM_STATUSES, ITEM_TYPES, ItemChanges, itemProblems, NewItem, readItem, readNewItem, showItem } from '../shapes/item.ts'

const tag = 'Items'
const answer = one('item', Item)

export const itemRoutes = [
  route({
    method: 'GET', path: '/items', tag, does: 'List items', scope: 'items.READ',
    query: pageQuery({
      status: Type.Optional(Type.Enum(ITEM_STATUSES)),
      item_type: Type.Optional(Type.Enum(ITEM_TYPES)),
      sku: Type.Optional(Type.String({ description: 'Exact.' })),
      search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name, the SKU or the description.' })),
    }),
    answer: Type.Object({ items: Type.Array(Item), page_context: PageContext }),
    async read(desk, { query }) {
      const { status, item_type, sku, search } = query
      const filters: WhereOptions[] = [modifiedSince(query)]
      if (status) filters.push({ status })
      if (item_type) filters.push({ item_type })
      if (sku !== undefined) filters.push({ sku })
      if (search) filters.push(contains(ITEM_SEARCH, search))
      const page = await pageOf(desk, items, { ...pageRequest(query), where: { [Op.and]: filters } })
      return { items: page.rows.map(showItem), page_context: pageContext(query, page) }
    },
  }),
  route({
    method: 'POST', path: '/items', tag, does: 'Create an item', scope: 'items.CREATE', status: 201, answer,
    body: NewItem, alsoCheck: itemProblems,
    write: async (books, { body }) => ({ message: 'Item created.', item: showItem(await createItem(books, readNewItem(body))) }),
  }),
  route({
    method: 'GET', path: '/items/{item_id}', tag, does: 'Read an item', scope: 'items.READ', answer,
    read: async (desk, { params }) => ({ item: showItem(await itemOf(desk, params.item_id!)) }),
  }),
  route({
    method: 'PUT', path: '/items/{item_id}', tag, does: 'Change an item', scope: 'items.UPDATE', answer, body: ItemChanges,
    write: async (books, { params, body }) => ({
      message: 'Item updated.', item: showItem(await changeItem(books, params.item_id!, readItem(body))),
    }),
  }),
  route({
    method: 'DELETE', path: '/items/{item_id}', tag, does: 'Delete an item that no document has a line of',
    scope: 'items.DELETE', answer: Type.Object({}),
    async write(books, { params }) {
      await deleteItem(books, params.item_id!)
      return { message: 'Item deleted.' }
    },
  }),
  route({
    method: 'POST', path: '/items/{item_id}/archive', tag, does: 'Archive an item', scope: 'items.UPDATE', answer,
    write: async (books, { params }) => ({ message: 'Item archived.', item: showItem(await archiveItem(books, params.item_id!)) }),
  }),
]
