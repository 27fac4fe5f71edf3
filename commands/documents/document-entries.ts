// What a document of any kind adds to the books besides its rows: journals, activity entries, events, gaps in the numbers.
import {
  DOCUMENTS,
  type DocumentKind,
  type FactsOf,
  type KindThatHas,
  type KindWith,
  type Move,
} from '../../domain/documents.ts'
import type { DeletionEvent, DocumentEvent } from '../../domain/events.ts'
import { toAmount, type Minor } from '../../domain/money.ts'
import type { PostingLine } from '../../domain/posting/posting.ts'
import { comments, commentsOn } from '../../models/comment.ts'
import { numberGaps } from '../../models/series.ts'
import type { Books } from '../books/books.ts'
import type { Changes } from '../books/changes.ts'
import { reverse } from '../books/reversal.ts'

/** The id and the number of a document of a kind. */
export type Numbered<K extends DocumentKind> = { id: string } & Record<FactsOf<K>['number'], string>
type WithParty<K extends DocumentKind> = Record<FactsOf<K>['party'], string | null>

/** Writes an activity entry on the document. */
export function recordDocument<K extends DocumentKind>(
  books: Books,
  kind: K,
  document: Numbered<K>,
  action: `${NoInfer<K>}_${string}`,
  changes: Changes | null = null,
  metadata: Record<string, unknown> = {},
): void {
  books.record({
    action,
    entityType: kind,
    entityId: document.id,
    entityRef: numberOf(kind, document),
    changes,
    metadata,
  })
}

/** The columns that an event is made from. Without a currency the total is in the organisation's. */
type Announced<K extends DocumentKind> = Numbered<K> &
  WithParty<K> & { version: number; total: Minor; status?: string; currency_code?: string }

/** Announces a document as it is now (decisions §5); `more` are the further fields of events of the kind or type. */
export function announceDocument<K extends DocumentKind>(
  books: Books,
  kind: K,
  type: DocumentEvent<K> | DeletionEvent | 'invoice.sent' | 'invoice.reminded',
  document: Announced<K>,
  more: Record<string, unknown> = {},
): void {
  const {
    id,
    total,
    currency_code: currency = books.organization.currency_code,
    status = null,
    version: sequence,
  } = document
  const party = DOCUMENTS[kind].party
  const data = {
    id,
    number: numberOf(kind, document),
    [party]: partyOf(kind, document),
    total: toAmount(total, currency),
    status,
    sequence,
    ...more,
  }
  books.announce({ type, entityType: kind, entityId: id, data })
}

/**
 * Writes the activity entry of a document that is deleted, and its event in the change feed: the last one of the document. Its
 * comments go with it (specification, "Comments").
 */
export async function recordDeletion<K extends KindThatHas<'isDeletable'>>(
  books: Books,
  kind: K,
  document: Announced<K>,
  more: Record<string, unknown> = {},
): Promise<void> {
  recordDocument(books, kind, document, `${kind}_DELETED`)
  announceDocument(books, kind, `${kind}_DELETED`, { ...document, version: books.nextVersion(document) }, more)
  for (const comment of await commentsOn(books, document.id)) books.delete(comments, comment)
}

/** The kinds that post journals. */
type PostingKind = KindWith<{ posts: true }>
type WithBranch<K extends DocumentKind> = FactsOf<K> extends { hasBranch: true } ? { branch_id: string } : unknown
type Posted<K extends PostingKind> = Numbered<K> & WithParty<K> & WithBranch<K> & { date: string }

/** Posts a journal of the document; by default with the document's date, and with its noun and number as the memo. */
export function postDocument<K extends PostingKind>(
  books: Books,
  kind: K,
  document: Posted<K>,
  lines: PostingLine[],
  { date = document.date, memo }: { date?: string; memo?: string | null } = {},
): void {
  const { noun } = DOCUMENTS[kind]
  const title = `${noun[0]!.toUpperCase()}${noun.slice(1)} ${numberOf(kind, document)}`
  books.post({
    date,
    source: kind,
    sourceId: document.id,
    memo: memo ?? title,
    contactId: partyOf(kind, document),
    branchId: branchOf(kind, document),
    lines,
  })
}

/** Reverses the journals of the document; `date` null for each on its own date. `why` begins the memo: Void, Change, Deletion, Correction. */
export async function reverseDocument<K extends PostingKind>(
  books: Books,
  kind: K,
  document: Numbered<K>,
  { date, why }: { date: string | null; why: string },
): Promise<void> {
  await reverse(books, {
    source: kind,
    sourceId: document.id,
    date,
    memo: `${why} of ${DOCUMENTS[kind].noun} ${numberOf(kind, document)}`,
  })
}

/** Enters the number of a document that is deleted, or gets another number, into the register of gaps. */
export function registerGap<K extends KindWith<{ moves: { delete: Move } }>>(
  books: Books,
  kind: K,
  document: Numbered<K> & { branch_id: string; series_name?: string | null },
  reason: string,
): void {
  books.insert(numberGaps, {
    id: books.newId(),
    branch_id: document.branch_id,
    document: DOCUMENTS[kind].noun,
    number: numberOf(kind, document),
    series_name: document.series_name ?? null,
    reason,
    time: books.now,
  })
}

function branchOf<K extends PostingKind>(kind: K, document: Posted<K>): string | null {
  return 'hasBranch' in DOCUMENTS[kind] ? (document as { branch_id?: string }).branch_id! : null
}

const numberOf = <K extends DocumentKind>(kind: K, document: Numbered<K>): string =>
  document[DOCUMENTS[kind].number as FactsOf<K>['number']]
const partyOf = <K extends DocumentKind>(kind: K, document: WithParty<K>): string | null =>
  document[DOCUMENTS[kind].party as FactsOf<K>['party']]
