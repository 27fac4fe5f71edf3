// Checks conversions: every order records what was made from it, and every link has its link back.
import type { Order } from '../domain/conversion.ts'
import { DOCUMENTS, kindsThatHave } from '../domain/documents.ts'
import { MOVES } from '../domain/lifecycle.ts'
import { mayBeRemoved, type AuditQuery } from './documents.ts'

/** A kind of order, the kind of document made from it, and the column of a target's line with the id of the order's line. */
const linkOf = (kind: Order) => {
  const order = DOCUMENTS[kind]
  return {
    order,
    target: DOCUMENTS[order.becomes],
    lineLink: order.id.replace(/_id$/, '_line_id'),
    // The statuses of an order that is converted wholly, and in part.
    whole: MOVES[kind].convert.to,
    part: MOVES[kind].convertPart.to,
  }
}
type Link = ReturnType<typeof linkOf>

/** The conversion that made a document at this time may be among those that were removed since they ended. */
const mayLackConversion = (document: string, time: string) =>
  `EXISTS (SELECT FROM removed_conversions AS r WHERE r.org_id = ${document}.org_id AND ${time} <= r.ended_at)`

// Cancelling an invoice or bill gives its quantities back to the order.
const quantitiesOf = ({ order, target, lineLink }: Link) =>
  `SELECT format('line %s of ${order.noun} %s of %s: ${order.converted} is %s, but its uncancelled ${target.table} have %s', l.line_no, o.${order.number}, l.org_id,
     l.${order.converted}, coalesce(t.taken, 0)) AS wrong
   FROM ${order.lines} AS l
   JOIN ${order.table} AS o ON o.org_id = l.org_id AND o.id = l.${order.id}
   LEFT JOIN (
     SELECT t.org_id, tl.${lineLink}, sum(tl.quantity) AS taken
     FROM ${target.lines} AS tl JOIN ${target.table} AS t ON t.org_id = tl.org_id AND t.id = tl.${target.id}
     WHERE t.status <> 'CANCELLED' AND tl.${lineLink} IS NOT NULL GROUP BY t.org_id, tl.${lineLink}) AS t
     ON t.org_id = l.org_id AND t.${lineLink} = l.id
   WHERE l.${order.converted} <> coalesce(t.taken, 0)`

const statesOf = ({ order, whole, part }: Link) =>
  `SELECT format('${order.noun} %s of %s is %s with %s of %s converted', o.${order.number}, o.org_id, o.status, sum(l.${order.converted}), sum(l.quantity)) AS wrong
   FROM ${order.table} AS o JOIN ${order.lines} AS l ON l.org_id = o.org_id AND l.${order.id} = o.id
   WHERE o.status <> 'CLOSED'
   GROUP BY o.org_id, o.id
   HAVING (o.status = '${whole}') <> bool_and(l.${order.converted} = l.quantity)
     OR (o.status = '${part}' AND '${part}' <> 'OPEN' AND sum(l.${order.converted}) = 0)
     OR (o.status = 'OPEN' AND '${part}' <> 'OPEN' AND sum(l.${order.converted}) > 0)`

const linksOf = ({ order, target, lineLink }: Link) =>
  `SELECT format('line %s of ${target.noun} %s of %s belongs to another ${order.noun} than the ${target.noun}', tl.line_no, t.${target.number}, t.org_id) AS wrong
   FROM ${target.lines} AS tl
   JOIN ${target.table} AS t ON t.org_id = tl.org_id AND t.id = tl.${target.id}
   LEFT JOIN ${order.lines} AS ol ON ol.org_id = tl.org_id AND ol.id = tl.${lineLink}
   WHERE ol.${order.id} IS DISTINCT FROM t.${order.id}`

const makersOf = ({ order, target }: Link) =>
  `SELECT format('${target.noun} %s of %s belongs to a ${order.noun}, but has %s conversions', t.${target.number}, t.org_id, count(c.id)) AS wrong
   FROM ${target.table} AS t
   LEFT JOIN conversions AS c ON c.org_id = t.org_id AND c.${target.id} = t.id
     AND t.${order.id} = CASE c.source_type WHEN 'ESTIMATE' THEN c.sales_order_id ELSE c.source_id END
   WHERE t.${order.id} IS NOT NULL GROUP BY t.org_id, t.id, t.${target.number}
   HAVING count(c.id) > 1 OR count(c.id) = 0 AND NOT ${mayLackConversion('t', 't.created_time')}`

const queriesOf = (kind: Order): AuditQuery[] =>
  [quantitiesOf, statesOf, linksOf, makersOf].map((check) => ({
    name: `audit ${check.name} ${DOCUMENTS[kind].noun}s`,
    text: check(linkOf(kind)),
  }))

const ESTIMATES = {
  name: 'audit converted estimates',
  text: `SELECT format('estimate %s of %s is %s, its order refers to %s, and it has %s conversions and %s conversion events', e.estimate_number,
           e.org_id, e.status, coalesce(o.estimate_id::text, 'nothing'), c.made, v.announced) AS wrong
         FROM estimates AS e
         LEFT JOIN sales_orders AS o ON o.org_id = e.org_id AND o.id = e.converted_to_sales_order_id
         CROSS JOIN LATERAL (SELECT count(*) AS made FROM conversions AS c
           WHERE c.org_id = e.org_id AND c.source_id = e.id AND c.sales_order_id = e.converted_to_sales_order_id) AS c
         CROSS JOIN LATERAL (SELECT count(*) AS announced FROM webhook_events AS v
           WHERE v.org_id = e.org_id AND v.entity_id = e.id AND v.event_type = 'ESTIMATE_CONVERTED') AS v
         WHERE CASE e.status
           WHEN 'CONVERTED' THEN o.estimate_id IS DISTINCT FROM e.id OR c.made > 1 OR v.announced > 1
             OR c.made = 0 AND NOT ${mayLackConversion('e', 'o.created_time')}
             OR v.announced = 0 AND NOT ${mayBeRemoved('e', 'o.created_time')}
           ELSE e.converted_to_sales_order_id IS NOT NULL OR v.announced <> 0 END`,
}

const ORDERS_OF_ESTIMATES = {
  name: 'audit orders of estimates',
  text: `SELECT format('sales order %s of %s refers to an estimate whose order is %s', o.sales_order_number, o.org_id,
           coalesce(e.converted_to_sales_order_id::text, 'nothing')) AS wrong
         FROM sales_orders AS o JOIN estimates AS e ON e.org_id = o.org_id AND e.id = o.estimate_id
         WHERE e.converted_to_sales_order_id IS DISTINCT FROM o.id`,
}

const INVOICES_OF_ESTIMATES = {
  name: 'audit invoices of estimates',
  text: `SELECT format('invoice %s of %s refers to another estimate than its order', i.invoice_number, i.org_id) AS wrong
         FROM invoices AS i LEFT JOIN sales_orders AS o ON o.org_id = i.org_id AND o.id = i.sales_order_id
         WHERE i.estimate_id IS DISTINCT FROM o.estimate_id`,
}

export const CONVERSIONS: AuditQuery[] = [
  ...kindsThatHave('converted').flatMap(queriesOf),
  ESTIMATES,
  ORDERS_OF_ESTIMATES,
  INVOICES_OF_ESTIMATES,
]
