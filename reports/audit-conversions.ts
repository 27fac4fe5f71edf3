// Are the conversions in order: does every order say what was made of it, and does every link lead back?
import type { Connection } from '../models/database.ts'

/** Everything about conversions, and about the links between sources and targets, that is wrong, in words. */
export async function conversionsOutOfOrder(connection: Connection): Promise<string[]> {
  const wrong: string[] = []
  for (const question of [...[SALES, PURCHASES].flatMap(questionsOf), ESTIMATES, ORDERS_OF_ESTIMATES, INVOICES_OF_ESTIMATES]) {
    for (const row of await connection.run<{ wrong: string }>(question, [])) wrong.push(row.wrong)
  }
  return wrong
}

/** The tables and columns of one kind of orders, and of what is made of them. */
interface Kind {
  noun: string
  order: string
  /** The statuses of an order of which everything has been converted, and a part. */
  whole: string
  part: string
  converted: string
  target: string
  /** The columns that link a target to its order, and its line to the line of the order. */
  link: string
  lineLink: string
}

const SALES: Kind = {
  noun: 'sales order', order: 'sales_order', whole: 'INVOICED', part: 'PARTIALLY_INVOICED', converted: 'quantity_invoiced', target: 'invoice',
  link: 'sales_order_id', lineLink: 'sales_order_line_id',
}
const PURCHASES: Kind = {
  noun: 'purchase order', order: 'purchase_order', whole: 'BILLED', part: 'OPEN', converted: 'quantity_billed', target: 'bill',
  link: 'purchase_order_id', lineLink: 'purchase_order_line_id',
}

function questionsOf(kind: Kind) {
  return [quantitiesOf, statesOf, linksOf, makersOf].map((ask) => ({ name: `audit ${ask.name} ${kind.order}`, text: ask(kind) }))
}

// What a cancelled invoice or bill took has been given back.
const quantitiesOf = ({ noun, order, target, converted, lineLink }: Kind) =>
  `SELECT format('line %s of ${noun} %s of %s: ${converted} is %s, standing ${target}s took %s', l.line_no, o.${order}_number, l.org_id,
     l.${converted}, coalesce(t.taken, 0)) AS wrong
   FROM ${order}_lines AS l
   JOIN ${order}s AS o ON o.org_id = l.org_id AND o.id = l.${order}_id
   LEFT JOIN (
     SELECT t.org_id, tl.${lineLink}, sum(tl.quantity) AS taken
     FROM ${target}_lines AS tl JOIN ${target}s AS t ON t.org_id = tl.org_id AND t.id = tl.${target}_id
     WHERE t.status <> 'CANCELLED' AND tl.${lineLink} IS NOT NULL GROUP BY t.org_id, tl.${lineLink}) AS t
     ON t.org_id = l.org_id AND t.${lineLink} = l.id
   WHERE l.${converted} <> coalesce(t.taken, 0)`

const statesOf = ({ noun, order, whole, part, converted }: Kind) =>
  `SELECT format('${noun} %s of %s is %s with %s of %s converted', o.${order}_number, o.org_id, o.status, sum(l.${converted}), sum(l.quantity)) AS wrong
   FROM ${order}s AS o JOIN ${order}_lines AS l ON l.org_id = o.org_id AND l.${order}_id = o.id
   WHERE o.status <> 'CLOSED'
   GROUP BY o.org_id, o.id
   HAVING (o.status = '${whole}') <> bool_and(l.${converted} = l.quantity)
     OR (o.status = '${part}' AND '${part}' <> 'OPEN' AND sum(l.${converted}) = 0)
     OR (o.status = 'OPEN' AND '${part}' <> 'OPEN' AND sum(l.${converted}) > 0)`

const linksOf = ({ noun, order, target, link, lineLink }: Kind) =>
  `SELECT format('line %s of ${target} %s of %s is of another ${noun} than the ${target}', tl.line_no, t.${target}_number, t.org_id) AS wrong
   FROM ${target}_lines AS tl
   JOIN ${target}s AS t ON t.org_id = tl.org_id AND t.id = tl.${target}_id
   LEFT JOIN ${order}_lines AS ol ON ol.org_id = tl.org_id AND ol.id = tl.${lineLink}
   WHERE ol.${order}_id IS DISTINCT FROM t.${link}`

const makersOf = ({ noun, target, link }: Kind) =>
  `SELECT format('${target} %s of %s is of a ${noun}, and %s conversions made it', t.${target}_number, t.org_id, count(c.id)) AS wrong
   FROM ${target}s AS t
   LEFT JOIN conversions AS c ON c.org_id = t.org_id AND c.${target}_id = t.id
     AND t.${link} = CASE c.source_type WHEN 'ESTIMATE' THEN c.sales_order_id ELSE c.source_id END
   WHERE t.${link} IS NOT NULL GROUP BY t.org_id, t.id, t.${target}_number HAVING count(c.id) <> 1`

const ESTIMATES = {
  name: 'audit converted estimates',
  text: `SELECT format('estimate %s of %s is %s, its order leads back to %s, %s conversions made it, and it has %s events of it', e.estimate_number,
           e.org_id, e.status, coalesce(o.estimate_id::text, 'nothing'), c.made, v.told) AS wrong
         FROM estimates AS e
         LEFT JOIN sales_orders AS o ON o.org_id = e.org_id AND o.id = e.converted_to_sales_order_id
         CROSS JOIN LATERAL (SELECT count(*) AS made FROM conversions AS c
           WHERE c.org_id = e.org_id AND c.source_id = e.id AND c.sales_order_id = e.converted_to_sales_order_id) AS c
         CROSS JOIN LATERAL (SELECT count(*) AS told FROM webhook_events AS v
           WHERE v.org_id = e.org_id AND v.entity_id = e.id AND v.event_type = 'ESTIMATE_CONVERTED') AS v
         WHERE CASE e.status
           WHEN 'CONVERTED' THEN o.estimate_id IS DISTINCT FROM e.id OR c.made <> 1 OR v.told <> 1
           ELSE e.converted_to_sales_order_id IS NOT NULL OR v.told <> 0 END`,
}

const ORDERS_OF_ESTIMATES = {
  name: 'audit orders of estimates',
  text: `SELECT format('sales order %s of %s is of an estimate that leads to %s', o.sales_order_number, o.org_id,
           coalesce(e.converted_to_sales_order_id::text, 'nothing')) AS wrong
         FROM sales_orders AS o JOIN estimates AS e ON e.org_id = o.org_id AND e.id = o.estimate_id
         WHERE e.converted_to_sales_order_id IS DISTINCT FROM o.id`,
}

const INVOICES_OF_ESTIMATES = {
  name: 'audit invoices of estimates',
  text: `SELECT format('invoice %s of %s is of another estimate than its order', i.invoice_number, i.org_id) AS wrong
         FROM invoices AS i LEFT JOIN sales_orders AS o ON o.org_id = i.org_id AND o.id = i.sales_order_id
         WHERE i.estimate_id IS DISTINCT FROM o.estimate_id`,
}
