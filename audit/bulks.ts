// Checks bulks: every row has one outcome, a row that succeeded has its document, and a bulk is announced once, when it is done.
import type { AuditQuery } from './documents.ts'

export const BULKS: AuditQuery[] = [
  {
    name: 'audit rows of bulks',
    text: `SELECT format('bulk %s of %s is %s with %s rows of %s: %s succeeded, %s failed, %s pending; it says %s and %s', b.id, b.org_id, b.status,
             i.rows, b.total, i.succeeded, i.failed, i.pending, b.succeeded, b.failed) AS wrong
           FROM bulks AS b CROSS JOIN LATERAL (
             SELECT count(*) AS rows, count(*) FILTER (WHERE status = 'SUCCEEDED') AS succeeded, count(*) FILTER (WHERE status = 'FAILED') AS failed,
               count(*) FILTER (WHERE status = 'PENDING') AS pending, max(index) AS last
             FROM bulk_items AS i WHERE i.org_id = b.org_id AND i.bulk_id = b.id) AS i
           WHERE i.rows <> b.total OR i.last IS DISTINCT FROM b.total - 1
             OR (b.status = 'COMPLETED' AND (i.pending > 0 OR i.succeeded <> b.succeeded OR i.failed <> b.failed))`,
  },
  {
    // A draft may be deleted later, which the activity log keeps.
    name: 'audit documents of bulks',
    text: `SELECT format('row %s of bulk %s of %s has %s documents, %s activity entries of their creation and %s events', i.index, i.bulk_id, i.org_id,
             d.found, a.created, e.announced) AS wrong
           FROM bulk_items AS i JOIN bulks AS b ON b.org_id = i.org_id AND b.id = i.bulk_id
           CROSS JOIN LATERAL (SELECT
             (SELECT count(*) FROM invoices AS v WHERE b.entity_type = 'INVOICE' AND v.org_id = i.org_id AND v.id = i.document_id) +
             (SELECT count(*) FROM bills AS v WHERE b.entity_type = 'BILL' AND v.org_id = i.org_id AND v.id = i.document_id) AS found) AS d
           CROSS JOIN LATERAL (SELECT
             count(*) FILTER (WHERE action = b.entity_type || '_CREATED') AS created, count(*) FILTER (WHERE action = b.entity_type || '_DELETED') AS deleted
             FROM activity AS a WHERE a.org_id = i.org_id AND a.entity_id = i.document_id) AS a
           CROSS JOIN LATERAL (SELECT count(*) AS announced FROM webhook_events AS e
             WHERE e.org_id = i.org_id AND e.entity_id = i.document_id AND e.event_type = b.entity_type || '_CREATED') AS e
           WHERE i.status = 'SUCCEEDED' AND (d.found + a.deleted <> 1 OR a.created <> 1 OR e.announced > 1)`,
  },
  {
    name: 'audit events of bulks',
    text: `SELECT format('bulk %s of %s is %s, with %s entries of its completion and %s events', b.id, b.org_id, b.status, a.recorded, e.announced) AS wrong
           FROM bulks AS b
           CROSS JOIN LATERAL (SELECT count(*) AS recorded FROM activity AS a
             WHERE a.org_id = b.org_id AND a.entity_id = b.id AND a.action = b.entity_type || '_BULK_CREATED') AS a
           CROSS JOIN LATERAL (SELECT count(*) AS announced FROM webhook_events AS e
             WHERE e.org_id = b.org_id AND e.entity_id = b.id AND e.event_type = b.entity_type || '_BULK_CREATED') AS e
           WHERE a.recorded <> CASE b.status WHEN 'COMPLETED' THEN 1 ELSE 0 END
             OR e.announced > CASE b.status WHEN 'COMPLETED' THEN 1 ELSE 0 END`,
  },
]
