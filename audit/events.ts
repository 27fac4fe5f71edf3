// Checks events: their positions count on without gaps, from those that were removed to the next one of the organisation.
import type { AuditQuery } from './documents.ts'

export const EVENTS: AuditQuery[] = [
  {
    name: 'audit positions of events',
    text: `SELECT format('organisation %s has %s events at positions %s to %s; those up to %s were removed, and the next is %s', coalesce(c.org_id, e.org_id),
             coalesce(e.found, 0), coalesce(e.first::text, 'none'), coalesce(e.last::text, 'none'), coalesce(r.position, 0),
             coalesce(c.next_position::text, 'unknown')) AS wrong
           FROM event_counters AS c
           FULL JOIN (SELECT org_id, count(*) AS found, min(position) AS first, max(position) AS last FROM webhook_events GROUP BY org_id) AS e
             ON e.org_id = c.org_id
           LEFT JOIN removed_events AS r ON r.org_id = coalesce(c.org_id, e.org_id)
           WHERE (e.first, e.last, e.found) IS DISTINCT FROM
             (coalesce(r.position, 0) + 1, c.next_position - 1, c.next_position - 1 - coalesce(r.position, 0))`,
  },
]
