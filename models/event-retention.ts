// Removes events that are older than they are kept, with their deliveries and attempts, from the beginning of each feed.
//
// What is removed is always a prefix by position, so that the change feed stays without gaps, and a cursor shows whether
// something after it is gone. The newest event of an organisation stays: restored books would otherwise be taken for new ones.
import type { Connection, Statement } from './connection.ts'

/** The most organisations of a page, and the most events of a step. */
const ORGANIZATIONS = 100
const EVENTS = 200
/** The most deliveries and attempts of a step, unless those of a single event are more. */
const ROWS = 2_000

/** The next organisations after this id whose oldest event may be removed; and the last that was visited, null at the end. */
export async function organizationsWithOldEvents(
  connection: Connection,
  before: Date,
  after: string | null,
): Promise<{ due: string[]; last: string | null }> {
  const [row] = await connection.run<{ due: string[]; last: string | null }>(WITH_OLD, [after ?? FIRST_ID, before])
  return row!
}

/**
 * Removes a limited number of the oldest events of an organisation: those that occurred before `before`, up to the first that
 * did not, the first with a delivery under way, and the newest event. Returns how many; 0 when there is nothing to remove.
 */
export async function removeOldEvents(connection: Connection, orgId: string, before: Date): Promise<number> {
  const [row] = await connection.run<{ removed: number }>(REMOVE, [orgId, before])
  return row!.removed
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

// The first event of an organisation by webhook_events_feed.
const WITH_OLD: Statement = {
  name: 'organizations with old events',
  text: `WITH visited AS (SELECT org_id, next_position FROM event_counters WHERE org_id > $1 ORDER BY org_id LIMIT ${ORGANIZATIONS})
    SELECT coalesce(array_agg(v.org_id ORDER BY v.org_id) FILTER (WHERE oldest.occurred_at < $2 AND oldest.position < v.next_position - 1), '{}') AS due,
      CASE WHEN count(*) = ${ORGANIZATIONS} THEN (array_agg(v.org_id ORDER BY v.org_id DESC))[1] END AS last
    FROM visited AS v LEFT JOIN LATERAL (
      SELECT e.occurred_at, e.position FROM webhook_events AS e WHERE e.org_id = v.org_id ORDER BY e.position LIMIT 1
    ) AS oldest ON true`,
  takesNoLock: true,
}

// Events by webhook_events_feed, deliveries by their key (org_id, event_id, endpoint_id), attempts by their primary key.
//
// Two workers that remove at the same time take turns at the oldest event. A delivery that another transaction has locked,
// such as one that is being sent again, counts as under way: so nobody waits for deliveries here.
const REMOVE: Statement = {
  name: 'remove old events',
  text: `WITH oldest AS MATERIALIZED (
    SELECT e.id, e.position, e.occurred_at FROM webhook_events AS e
    WHERE e.org_id = $1 AND e.position < (SELECT n.position FROM webhook_events AS n WHERE n.org_id = $1 ORDER BY n.position DESC LIMIT 1)
    ORDER BY e.position LIMIT ${EVENTS} FOR UPDATE
  ), finished AS MATERIALIZED (
    SELECT d.id, d.event_id, d.attempts_made FROM oldest AS e JOIN webhook_deliveries AS d ON d.org_id = $1 AND d.event_id = e.id
    WHERE e.occurred_at < $2 AND d.held_by IS NULL FOR UPDATE OF d SKIP LOCKED
  ), counted AS (
    SELECT e.*, coalesce(f.rows, 0) AS rows, e.occurred_at < $2 AND coalesce(f.deliveries, 0)
        = (SELECT count(*) FROM webhook_deliveries AS d WHERE d.org_id = $1 AND d.event_id = e.id) AS is_removable
    FROM oldest AS e LEFT JOIN (
      SELECT event_id, count(*) AS deliveries, sum(1 + attempts_made) AS rows FROM finished GROUP BY event_id
    ) AS f ON f.event_id = e.id
  ), summed AS (
    SELECT c.*, bool_and(c.is_removable) OVER w AS is_prefix, sum(c.rows) OVER w - c.rows AS rows_before FROM counted AS c WINDOW w AS (ORDER BY c.position)
  ), removable AS MATERIALIZED (
    SELECT id, position, occurred_at FROM summed WHERE is_prefix AND (rows_before = 0 OR rows_before + rows <= ${ROWS})
  ), attempt AS (
    DELETE FROM webhook_attempts AS a USING removable AS e, finished AS f
    WHERE f.event_id = e.id AND a.org_id = $1 AND a.delivery_id = f.id
  ), delivery AS (
    DELETE FROM webhook_deliveries AS d USING removable AS e, finished AS f WHERE f.event_id = e.id AND d.org_id = $1 AND d.id = f.id
  ), event AS (
    DELETE FROM webhook_events AS w USING removable AS e WHERE w.org_id = $1 AND w.position = e.position
  ), noted AS (
    INSERT INTO removed_events AS r (org_id, position, id, occurred_at)
    SELECT $1, position, id, max(occurred_at) OVER () FROM removable ORDER BY position DESC LIMIT 1
    ON CONFLICT (org_id) DO UPDATE SET position = excluded.position, id = excluded.id, occurred_at = greatest(r.occurred_at, excluded.occurred_at)
  )
  SELECT count(*)::integer AS removed FROM removable`,
}
