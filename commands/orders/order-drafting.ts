// What sales orders and purchase orders are drawn up with alike: which of their terms are fixed.

/** What an order's amounts and taxes come from, besides its contact: fixed once it is open. */
export const ORDER_TERMS = ['line_items', 'place_of_supply', 'branch_id', 'currency_code', 'exchange_rate', 'tags'] as const

/** What callers are told to do instead. */
export const ANOTHER_ORDER = 'cancel the order and create a new one'
