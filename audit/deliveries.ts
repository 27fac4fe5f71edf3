// Checks webhook deliveries: none waits after it has arrived, and each goes only to its own organisation.
import type { AuditQuery } from './documents.ts'

export const DELIVERIES: AuditQuery[] = [
  {
    name: 'audit deliveries',
    text: `SELECT format('delivery %s of %s is %s after a successful attempt', d.id, d.org_id, d.status) AS wrong
           FROM webhook_deliveries AS d
           WHERE d.status <> 'DELIVERED' AND EXISTS (SELECT FROM webhook_attempts AS a
             WHERE a.org_id = d.org_id AND a.delivery_id = d.id AND a.duration_ms IS NOT NULL AND a.error IS NULL AND a.status_code BETWEEN 200 AND 299)`,
  },
  {
    name: 'audit reach of deliveries',
    text: `SELECT format('delivery %s of %s has an event of %s, an endpoint of %s and a payload of %s', d.id, d.org_id,
             coalesce(e.org_id::text, 'nobody'), coalesce(w.org_id::text, 'nobody'), d.payload::jsonb ->> 'org_id') AS wrong
           FROM webhook_deliveries AS d
           LEFT JOIN webhook_events AS e ON e.id = d.event_id
           LEFT JOIN webhook_endpoints AS w ON w.id = d.endpoint_id
           WHERE e.org_id IS DISTINCT FROM d.org_id OR w.org_id IS DISTINCT FROM d.org_id
             OR d.payload::jsonb ->> 'org_id' IS DISTINCT FROM d.org_id::text OR d.payload::jsonb ->> 'delivery_id' IS DISTINCT FROM d.id::text`,
  },
]
