// Are the estimates in order: their lines, their events, their numbers?
import type { Connection } from '../models/database.ts'

/** Everything about the estimates that is wrong, in words. */
export async function estimatesOutOfOrder(connection: Connection): Promise<string[]> {
  const wrong: string[] = []
  for (const question of [LINES, EVENTS, NUMBERS]) {
    for (const row of await connection.run<{ wrong: string }>(question, [])) wrong.push(row.wrong)
  }
  return wrong
}

const LINES = {
  name: 'audit estimate lines',
  text: `SELECT format('estimate %s of %s: sub_total %s and tax_total %s, its %s lines come to %s and %s', e.estimate_number, e.org_id,
           e.sub_total, e.tax_total, count(l.id), coalesce(sum(l.item_total), 0), coalesce(sum(l.cgst + l.sgst + l.igst + l.cess), 0)) AS wrong
         FROM estimates AS e LEFT JOIN estimate_lines AS l ON l.org_id = e.org_id AND l.estimate_id = e.id
         GROUP BY e.org_id, e.id
         HAVING (e.sub_total, e.cgst, e.sgst, e.igst, e.cess) IS DISTINCT FROM
           (sum(l.item_total), sum(l.cgst), sum(l.sgst), sum(l.igst), sum(l.cess))`,
}

const EVENTS = {
  name: 'audit events of estimates',
  text: `SELECT format('estimate %s of %s is %s and has no event %s', e.estimate_number, e.org_id, e.status, needed.type) AS wrong
         FROM estimates AS e
         JOIN LATERAL (VALUES ('ESTIMATE_CREATED', true), ('ESTIMATE_ACCEPTED', e.status IN ('ACCEPTED', 'CONVERTED')))
           AS needed(type, is_needed) ON is_needed
         WHERE NOT EXISTS (SELECT FROM webhook_events AS v
           WHERE v.org_id = e.org_id AND v.entity_id = e.id AND v.event_type = needed.type)`,
}

// A sequence gives every number once: what is not on an estimate any more is in the register of gaps.
const NUMBERS = {
  name: 'audit estimate numbers',
  text: `SELECT format('organisation %s has given %s estimate numbers, %s are found', c.org_id, c.next_number - 1, n.found) AS wrong
         FROM number_counters AS c
         CROSS JOIN LATERAL (
           SELECT (SELECT count(*) FROM estimates AS e WHERE e.org_id = c.org_id)
             + (SELECT count(*) FROM number_gaps AS g WHERE g.org_id = c.org_id AND g.document = 'estimate') AS found) AS n
         WHERE c.sequence = 'estimate' AND c.next_number - 1 <> n.found`,
}
