// Has every fact left its traces: its events, its entries in the log, its deliveries to its own organisation alone?

/** Answers one text column, `wrong`, for every breach. */
export const TRACES = [
  {
    name: 'audit events of invoices',
    text: `SELECT format('invoice %s of %s is %s and has no event %s', i.invoice_number, i.org_id, i.status, needed.type) AS wrong
           FROM invoices AS i
           JOIN LATERAL (VALUES ('INVOICE_CREATED', true), ('INVOICE_VOIDED', i.status = 'CANCELLED')) AS needed(type, is_needed) ON is_needed
           WHERE NOT EXISTS (SELECT FROM webhook_events AS e
             WHERE e.org_id = i.org_id AND e.entity_id = i.id AND e.event_type = needed.type)`,
  },
  {
    name: 'audit log of invoices',
    text: `SELECT format('invoice %s of %s is %s and has no entry %s in the log', i.invoice_number, i.org_id, i.status, needed.action) AS wrong
           FROM invoices AS i
           JOIN LATERAL (VALUES ('INVOICE_CREATED', true), ('INVOICE_VOIDED', i.status = 'CANCELLED'),
             ('INVOICE_SENT', i.status NOT IN ('DRAFT', 'CANCELLED'))) AS needed(action, is_needed) ON is_needed
           WHERE NOT EXISTS (SELECT FROM activity AS a
             WHERE a.org_id = i.org_id AND a.entity_id = i.id AND a.action = needed.action)`,
  },
  {
    name: 'audit invoice numbers',
    text: `SELECT format('number %s of branch %s of %s is on %s invoices', invoice_number, branch_id, org_id, count(*)) AS wrong
           FROM invoices GROUP BY org_id, branch_id, invoice_number HAVING count(*) > 1`,
  },
  {
    name: 'audit reach of deliveries',
    text: `SELECT format('delivery %s of %s carries an event of %s, to an endpoint of %s, in the name of %s', d.id, d.org_id,
             coalesce(e.org_id::text, 'nobody'), coalesce(w.org_id::text, 'nobody'), d.payload::jsonb ->> 'org_id') AS wrong
           FROM webhook_deliveries AS d
           LEFT JOIN webhook_events AS e ON e.id = d.event_id
           LEFT JOIN webhook_endpoints AS w ON w.id = d.endpoint_id
           WHERE e.org_id IS DISTINCT FROM d.org_id OR w.org_id IS DISTINCT FROM d.org_id
             OR d.payload::jsonb ->> 'org_id' IS DISTINCT FROM d.org_id::text OR d.payload::jsonb ->> 'delivery_id' IS DISTINCT FROM d.id::text`,
  },
]
