// Are the sales orders and purchase orders in order: their lines, their states, their events, their numbers?
import type { Connection } from '../models/database.ts'

/** Everything about the orders that is wrong, in words. */
export async function ordersOutOfOrder(connection: Connection): Promise<string[]> {
  const wrong: string[] = []
  for (const kind of [SALES, PURCHASES]) {
    for (const ask of [linesOf, statesOf, eventsOf, numbersOf]) {
      const text = ask(kind)
      for (const row of await connection.run<{ wrong: string }>({ name: `audit ${ask.name} ${kind.noun}`, text }, [])) wrong.push(row.wrong)
    }
  }
  return wrong
}

/** The tables and columns of one kind of orders. */
interface Kind {
  /** Also the name of the sequence that gives its numbers. */
  noun: string
  table: string
  lines: string
  /** The line's column that names its order. */
  order: string
  number: string
  /** The line's column of what has gone into invoices or bills. */
  converted: string
  event: string
}

const SALES: Kind = {
  noun: 'sales order', table: 'sales_orders', lines: 'sales_order_lines', order: 'sales_order_id', number: 'sales_order_number',
  converted: 'quantity_invoiced', event: 'SALES_ORDER_CREATED',
}
const PURCHASES: Kind = {
  noun: 'purchase order', table: 'purchase_orders', lines: 'purchase_order_lines', order: 'purchase_order_id', number: 'purchase_order_number',
  converted: 'quantity_billed', event: 'PURCHASE_ORDER_CREATED',
}

const linesOf = ({ noun, table, lines, order, number }: Kind) =>
  `SELECT format('${noun} %s of %s: sub_total %s and tax_total %s, its %s lines come to %s and %s', o.${number}, o.org_id,
     o.sub_total, o.tax_total, count(l.id), coalesce(sum(l.item_total), 0), coalesce(sum(l.cgst + l.sgst + l.igst + l.cess), 0)) AS wrong
   FROM ${table} AS o LEFT JOIN ${lines} AS l ON l.org_id = o.org_id AND l.${order} = o.id
   GROUP BY o.org_id, o.id
   HAVING (o.sub_total, o.cgst, o.sgst, o.igst, o.cess) IS DISTINCT FROM
       (sum(l.item_total), sum(l.cgst), sum(l.sgst), sum(l.igst), sum(l.cess))
     OR count(DISTINCT l.line_no) <> count(l.id) OR max(l.line_no) <> count(l.id)`

const statesOf = ({ noun, table, lines, order, number, converted }: Kind) =>
  `SELECT format('${noun} %s of %s is %s, and %s of it has been converted', o.${number}, o.org_id, o.status, sum(l.${converted})) AS wrong
   FROM ${table} AS o JOIN ${lines} AS l ON l.org_id = o.org_id AND l.${order} = o.id
   WHERE o.status IN ('DRAFT', 'CANCELLED')
   GROUP BY o.org_id, o.id HAVING sum(l.${converted}) > 0`

const eventsOf = ({ noun, table, number, event }: Kind) =>
  `SELECT format('${noun} %s of %s has no event of its creation', o.${number}, o.org_id) AS wrong FROM ${table} AS o
   WHERE NOT EXISTS (SELECT FROM webhook_events AS e
     WHERE e.org_id = o.org_id AND e.entity_id = o.id AND e.event_type = '${event}')`

// A sequence gives every number once: what is not on an order any more is in the register of gaps.
const numbersOf = ({ noun, table }: Kind) =>
  `SELECT format('organisation %s has given %s ${noun} numbers, %s are found', c.org_id, c.next_number - 1, n.found) AS wrong
   FROM number_counters AS c
   CROSS JOIN LATERAL (
     SELECT (SELECT count(*) FROM ${table} AS o WHERE o.org_id = c.org_id)
       + (SELECT count(*) FROM number_gaps AS g WHERE g.org_id = c.org_id AND g.document = '${noun}') AS found) AS n
   WHERE c.sequence = '${noun}' AND c.next_number - 1 <> n.found`
