// Journals and their lines: the ledger, only ever added to.
import { kindsThatHave } from '../domain/documents.ts'
import { isId } from '../domain/ids.ts'
import { inSql, nothing, type Condition } from './condition.ts'
import type { Statement } from './connection.ts'
import type { Scope } from './find.ts'
import { DATE, INTEGER, MINOR, TEXT, TIME, UUID, UUIDS, orNull, textOf, model, type RowOf } from './model.ts'
import type { Parts } from './whole-rows.ts'

/** Where an entry comes from: written by hand, or posted by a document. */
export const JOURNAL_SOURCES = ['MANUAL', ...kindsThatHave('posts')] as const
export type JournalSource = (typeof JOURNAL_SOURCES)[number]

export const journals = model('journals', {
  org_id: UUID,
  id: UUID,
  journal_number: TEXT,
  date: DATE,
  source: textOf<JournalSource>(),
  source_id: orNull(UUID),
  memo: orNull(TEXT),
  contact_id: orNull(UUID),
  reversal_of: orNull(UUID),
  line_count: INTEGER,
  /** Cost centers of a manual entry; a document's are on the document. */
  tags: UUIDS,
  created_time: TIME,
})
export type JournalRow = RowOf<typeof journals>

/** Amounts are minor units of the organisation's currency. */
export const journalLines = model(
  'journal_lines',
  {
    org_id: UUID,
    journal_id: UUID,
    line_no: INTEGER,
    line_count: INTEGER,
    /** The journal's. */
    date: DATE,
    /** The document's; null where the document has none, and for manual entries. */
    branch_id: orNull(UUID),
    account_id: UUID,
    contact_id: orNull(UUID),
    debit: MINOR,
    credit: MINOR,
    description: orNull(TEXT),
    created_time: TIME,
  },
  { key: ['org_id', 'journal_id', 'line_no'] },
)
export type JournalLineRow = RowOf<typeof journalLines>

/** An entry with its lines in their order. */
export interface Journal extends JournalRow {
  lines: JournalLineRow[]
}

/** An entry to be reversed, with its lines in their order. */
export type Posting = Pick<Journal, 'id' | 'date' | 'contact_id'> & { branch_id: string | null; lines: PostedLine[] }
type PostedLine = Pick<JournalLineRow, 'account_id' | 'contact_id' | 'debit' | 'credit' | 'description'>

/** The entries of a document that are neither reversals nor reversed, oldest first. */
export async function findPostings(scope: Scope, source: JournalSource, sourceId: string): Promise<Posting[]> {
  const found = await scope.connection.run<
    PostedLine & { id: string; date: string; branch_id: string | null; party: string | null }
  >(POSTINGS, [scope.orgId, source, sourceId])
  return [...Map.groupBy(found, ({ id }) => id)].map(([id, lines]) => {
    const { date, branch_id, party } = lines[0]!
    return { id, date, branch_id, contact_id: party, lines }
  })
}

/** An entry to be shown: its lines with the names of their accounts, and the entry that reverses it. */
export interface ReadJournal extends JournalRow {
  lines: ReadLine[]
  reversed_by: string | null
}

export type ReadLine = Pick<
  JournalLineRow,
  'journal_id' | 'account_id' | 'contact_id' | 'debit' | 'credit' | 'description'
> & {
  account_name: string
}

/** Adds to entries their lines and the entries that reverse them, in one query. */
export async function withReadLines(scope: Scope, rows: JournalRow[]): Promise<ReadJournal[]> {
  if (rows.length === 0) return []
  const found = await scope.connection.run<ReadLine>(READ_LINES, [scope.orgId, rows.map(({ id }) => id)])
  return readJournals(rows, [found])
}

/** For a page with their lines, and the entries that reverse them. */
export const journalParts: Parts<JournalRow, ReadJournal> = {
  all: [{ by: 'journal_id', text: (ids, most) => `${readLines(ids)} LIMIT ${most}` }],
  group: readJournals,
  addTo: withReadLines,
}

function readJournals(rows: JournalRow[], [found]: object[][]): ReadJournal[] {
  const linesOf = Map.groupBy(found as (ReadLine & { reversed_by: string | null })[], ({ journal_id }) => journal_id)
  return rows.map((row) => {
    const lines = linesOf.get(row.id) ?? []
    return { ...row, lines, reversed_by: lines[0]?.reversed_by ?? null }
  })
}

/** Entries with a line on the account. */
export function onAccount({ orgId }: Scope, accountId: string): Condition {
  if (!isId(accountId) || !isId(orgId)) return nothing
  const lines = `SELECT l.journal_id FROM journal_lines AS l WHERE l.org_id = '${orgId}' AND l.account_id = '${accountId}'`
  return inSql(`"journals"."id" IN (${lines})`)
}

/** All but manual entries that were deleted, and the reversals that deleted them (decisions §10, Documents). */
export const NOT_DELETED = inSql(`"journals"."source" <> 'MANUAL' OR "journals"."reversal_of" IS NULL AND NOT EXISTS (
  SELECT FROM journals AS r WHERE r.org_id = "journals"."org_id" AND r.reversal_of = "journals"."id")`)

/** Whether an entry that was read does not meet NOT_DELETED. */
export function wasDeleted({ source, reversal_of, reversed_by }: ReadJournal): boolean {
  return source === 'MANUAL' && (reversal_of !== null || reversed_by !== null)
}

/** What one entry, or a reversal, posted to the account of a contact. Amounts are minor units of the organisation's currency. */
export interface LedgerEntry {
  journal_id: string
  date: string
  source: JournalSource
  /** The document's id; null for a manual journal. */
  source_id: string | null
  /** The document's number; the journal's own where the document was deleted or there is none. */
  number: string
  reference_number: string | null
  memo: string | null
  debit: bigint
  credit: bigint
}

/** A contact's account in a period: its opening balance, its totals, and its entries, oldest first, in portions. */
export interface Ledger {
  /** The balance before the period. */
  opening: bigint
  debit: bigint
  credit: bigint
  entries: AsyncIterable<LedgerEntry[]>
}

/** What a manual journal is written from. Records that the organisation does not have are missing from it. */
export interface JournalContext {
  accounts: { id: string; name: string }[]
  contact_ids: string[]
  tags_found: number
  /** How many of them are closed. */
  tags_closed: number
  /** The account named Round Off or Rounding (specification, "Round-off"). */
  round_off: { id: string; name: string } | null
}

/** Reads all of it in one round trip. */
export async function readJournalContext(
  scope: Scope,
  { accountIds, contactIds, tags }: { accountIds: string[]; contactIds: string[]; tags: string[] },
): Promise<JournalContext> {
  const [context] = await scope.connection.run<JournalContext>(CONTEXT, [scope.orgId, accountIds, contactIds, tags])
  return context!
}

const CONTEXT: Statement = {
  name: 'journal context',
  takesNoLock: true,
  text: `SELECT
  (SELECT coalesce(json_agg(a), '[]') FROM (
     SELECT id, name FROM accounts WHERE org_id = $1 AND id = ANY ($2::uuid[])) AS a) AS accounts,
  (SELECT coalesce(json_agg(id), '[]') FROM contacts WHERE org_id = $1 AND id = ANY ($3::uuid[])) AS contact_ids,
  (SELECT count(*)::integer FROM cost_centers WHERE org_id = $1 AND id = ANY ($4::uuid[])) AS tags_found,
  (SELECT count(*)::integer FROM cost_centers WHERE org_id = $1 AND id = ANY ($4::uuid[]) AND NOT is_active) AS tags_closed,
  (SELECT row_to_json(r) FROM (
     SELECT id, name FROM accounts WHERE org_id = $1 AND is_active AND name IN ('Round Off', 'Rounding') ORDER BY name LIMIT 1) AS r) AS round_off`,
}
const POSTINGS = {
  name: 'unreversed postings',
  text: `SELECT j.id, j.date, j.contact_id AS party, l.branch_id, l.account_id, l.contact_id, l.debit, l.credit, l.description
         FROM journals AS j JOIN journal_lines AS l ON l.org_id = j.org_id AND l.journal_id = j.id
         WHERE j.org_id = $1 AND j.source = $2 AND j.source_id = $3 AND j.reversal_of IS NULL
           AND NOT EXISTS (SELECT FROM journals AS r WHERE r.org_id = j.org_id AND r.reversal_of = j.id)
         ORDER BY j.created_time, j.id, l.line_no`,
}
const readLines = (ids: string) =>
  `SELECT l.journal_id, l.account_id, a.name AS account_name, l.contact_id, l.debit, l.credit, l.description, r.id AS reversed_by
   FROM unnest(${ids}) WITH ORDINALITY AS owner(id, place)
   JOIN journal_lines AS l ON l.org_id = $1 AND l.journal_id = owner.id
   JOIN accounts AS a ON a.org_id = l.org_id AND a.id = l.account_id
   LEFT JOIN journals AS r ON r.org_id = l.org_id AND r.reversal_of = l.journal_id
   ORDER BY owner.place, l.line_no`
const READ_LINES = { name: 'lines of journals, to be read', text: readLines('$2::uuid[]') }
