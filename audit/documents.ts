// Checks for documents of any kind: their lines, journals, events, numbers and settlements.
import { DOCUMENTS, factsOf, type DocumentKind, type KindThatHas } from '../domain/documents.ts'
import { MOVES, type SettledKind } from '../domain/lifecycle.ts'

/** A query that returns a row with one text column, `wrong`, for every violation. */
export interface AuditQuery {
  name: string
  text: string
}

/** The lines sum to the amounts of the document. The message for a kind that does not post has the number of lines too. */
export function linesOf(kind: KindThatHas<'linesPointTo'>): AuditQuery {
  const { noun, table, lines, id, number, posts } = { posts: false, ...DOCUMENTS[kind] }
  return {
    name: `audit lines of ${noun}s`,
    text: `SELECT format('${noun} %s of %s: sub_total %s and tax_total %s, its${posts ? '' : ' %s'} lines sum to %s and %s', d.${number}, d.org_id,
             d.sub_total, d.tax_total, ${posts ? '' : 'count(l.id), '}coalesce(sum(l.item_total), 0), coalesce(sum(l.cgst + l.sgst + l.igst + l.cess), 0)) AS wrong
           FROM ${table} AS d LEFT JOIN ${lines} AS l ON l.org_id = d.org_id AND l.${id} = d.id
           GROUP BY d.org_id, d.id
           HAVING (d.sub_total, d.cgst, d.sgst, d.igst, d.cess) IS DISTINCT FROM (sum(l.item_total), sum(l.cgst), sum(l.sgst), sum(l.igst), sum(l.cess))
             OR count(DISTINCT l.line_no) <> count(l.id) OR max(l.line_no) <> count(l.id)`,
  }
}

/** An approved document is posted once, and a void one is reversed. */
export function postingsOf(kind: KindThatHas<'settledBy'>): AuditQuery {
  const { noun, table, number } = DOCUMENTS[kind]
  return {
    name: `audit postings of ${noun}s`,
    text: `WITH entry AS (
             SELECT j.org_id, j.source_id, count(*) FILTER (WHERE j.reversal_of IS NULL) AS postings,
               count(*) FILTER (WHERE j.reversal_of IS NOT NULL) AS reversals
             FROM journals AS j WHERE j.source = '${kind}' GROUP BY j.org_id, j.source_id
           )
           SELECT format('${noun} %s of %s is %s with %s postings and %s reversals', coalesce(d.${number}, e.source_id::text),
             coalesce(d.org_id, e.org_id), coalesce(d.status, 'gone'), coalesce(e.postings, 0), coalesce(e.reversals, 0)) AS wrong
           FROM ${table} AS d JOIN organizations AS o ON o.id = d.org_id
           FULL JOIN entry AS e ON e.org_id = d.org_id AND e.source_id = d.id
           WHERE CASE
             WHEN d.id IS NULL THEN true
             WHEN d.status = 'DRAFT' THEN e.postings IS NOT NULL
             WHEN d.status = 'CANCELLED' THEN coalesce(e.postings, 0) <> coalesce(e.reversals, 0) OR e.postings > 1
             WHEN d.total = 0 AND d.sub_total = 0 THEN coalesce(e.postings, 0) > 1 OR coalesce(e.reversals, 0) > 0
             -- What comes to nothing in the books is not posted; if it comes to something, the control accounts tell.
             WHEN d.currency_code <> o.currency_code AND e.postings IS NULL THEN false
             ELSE coalesce(e.postings, 0) <> 1 OR e.reversals <> 0 END`,
  }
}

/**
 * The settled amount of the documents of a kind equals what was applied to them, from their own contacts. `called` has the
 * words of the message for both; `more` is a further condition that is wrong, by the column of the settled amount.
 */
export function settledOf(
  kind: SettledKind,
  by: KindThatHas<'applications'>,
  called: { settled: string; applied: string },
  more: (counted: string) => string,
): AuditQuery {
  const {
    table,
    id,
    number,
    party,
    settledBy: { [by]: counted },
  } = DOCUMENTS[kind]
  const source = DOCUMENTS[by]
  return {
    name: `audit ${source.noun}s on ${table}`,
    text: `SELECT format('%s of %s is %s with %s ${called.settled} and %s open, its ${called.applied} sum to %s', d.${number}, d.org_id, d.status,
             d.${counted}, d.balance, coalesce(sum(a.amount), 0)) AS wrong
           FROM ${table} AS d
           LEFT JOIN ${source.applications} AS a ON a.org_id = d.org_id AND a.${id} = d.id
           LEFT JOIN ${source.table} AS s ON s.org_id = a.org_id AND s.id = a.${source.id}
           GROUP BY d.org_id, d.id
           HAVING d.${counted} <> coalesce(sum(a.amount), 0)
             OR bool_or(s.${source.party} <> d.${party} OR s.currency_code <> d.currency_code)
             OR d.status IN ('DRAFT', 'CANCELLED', '${MOVES[kind].approve.to}') AND d.${counted} <> 0
             OR ${more(counted)}`,
  }
}

/** A part of a WITH named `entry`: the entries of documents of a kind that are neither reversals nor reversed. */
export const unreversedEntries = (kind: DocumentKind) => `entry AS (
  SELECT j.org_id, j.source_id, j.id, j.date FROM journals AS j
  WHERE j.source = '${kind}' AND j.reversal_of IS NULL
    AND NOT EXISTS (SELECT FROM journals AS r WHERE r.org_id = j.org_id AND r.reversal_of = j.id)
)`

/**
 * A condition: an event of this time may be among those that were removed from the beginning of the organisation's events. The
 * audit of positions (audit/events.ts) finds events that are missing after them.
 */
export const mayBeRemoved = (document: string, time: string) =>
  `EXISTS (SELECT FROM removed_events AS r WHERE r.org_id = ${document}.org_id AND ${time} <= r.occurred_at)`

/** The creation of each document was announced. */
export function creationOf(kind: DocumentKind): AuditQuery {
  const { noun, table, number, events } = factsOf(kind)
  const created = events.filter((type) => type === `${kind}_CREATED`)
  return {
    name: `audit creations of ${noun}s`,
    text: `SELECT format('${noun} %s of %s has no creation event', d.${number}, d.org_id) AS wrong FROM ${table} AS d
           WHERE NOT EXISTS (SELECT FROM webhook_events AS e
             WHERE e.org_id = d.org_id AND e.entity_id = d.id AND e.event_type IN (${quoted(created.length > 0 ? created : events)}))
             AND NOT ${mayBeRemoved('d', 'd.created_time')}`,
  }
}

/** Each document has the events that it needs. `more` are further events, with the condition under which each is needed. */
export function eventsOf(kind: KindThatHas<'statuses'>, more: Record<string, string> = {}): AuditQuery {
  const { noun, table, number } = DOCUMENTS[kind]
  const known: readonly string[] = DOCUMENTS[kind].events
  const needed = { [`${kind}_CREATED`]: 'true', [`${kind}_VOIDED`]: "d.status = 'CANCELLED'", ...more }
  const values = Object.entries(needed)
    .filter(([type]) => known.includes(type))
    .map(([type, condition]) => `('${type}', ${condition})`)
  return {
    name: `audit events of ${noun}s`,
    text: `SELECT format('${noun} %s of %s is %s and has no event %s', d.${number}, d.org_id, d.status, needed.type) AS wrong
           FROM ${table} AS d JOIN LATERAL (VALUES ${values.join(', ')}) AS needed(type, is_needed) ON is_needed
           WHERE NOT EXISTS (SELECT FROM webhook_events AS e
             WHERE e.org_id = d.org_id AND e.entity_id = d.id AND e.event_type = needed.type)
             AND NOT ${mayBeRemoved('d', TIME_OF_NEEDED)}`,
  }
}

// The activity log keeps for ever what an event has announced, under the same name and with the same time.
const TIME_OF_NEEDED = `(SELECT max(a.occurred_at) FROM activity AS a WHERE a.org_id = d.org_id AND a.entity_id = d.id AND a.action = needed.type)`

/** A sequence gives every number once: a number that is no longer on a document is in the register of gaps. */
export function numbersOf(kind: DocumentKind, called = `${DOCUMENTS[kind].noun} numbers`): AuditQuery {
  const { noun, table } = DOCUMENTS[kind]
  return {
    name: `audit numbers of ${noun}s`,
    text: `SELECT format('organisation %s has assigned %s ${called}, but %s exist', c.org_id, c.next_number - 1, n.found) AS wrong
           FROM number_counters AS c
           CROSS JOIN LATERAL (
             SELECT (SELECT count(*) FROM ${table} AS d WHERE d.org_id = c.org_id)
               + (SELECT count(*) FROM number_gaps AS g WHERE g.org_id = c.org_id AND g.document = '${noun}') AS found) AS n
           WHERE c.sequence = '${noun}' AND c.next_number - 1 <> n.found`,
  }
}

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ')
