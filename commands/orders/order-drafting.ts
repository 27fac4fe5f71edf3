// The terms of sales orders and purchase orders, which are fixed once an order is open.

/** The fields that the amounts and taxes of an order are computed from, besides its contact: fixed once it is open. */
export const ORDER_TERMS = [
  'line_items',
  'place_of_supply',
  'branch_id',
  'currency_code',
  'exchange_rate',
  'tags',
] as const

/** The advice of the error for a changed fixed field. */
export const ANOTHER_ORDER = 'cancel the order and create a new one'
