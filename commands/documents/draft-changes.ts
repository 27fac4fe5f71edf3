// A PUT on a document that is drawn up anew while it is a draft: sales orders, purchase orders, credit notes, debit notes.
import { decimalText } from '../../domain/decimal.ts'
import { goodsDateOf } from '../../domain/document-dates.ts'
import type { DocumentKind } from '../../domain/documents.ts'
import { changeableDraft, compareFields, throwRefusal } from '../../domain/fixed-fields.ts'
import type { DocumentRow, LineRow } from '../../models/document.ts'
import type { ModelOf } from '../../models/model.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { recordDocument, type Numbered } from './document-entries.ts'
import type { ExistingLines } from './document-lines.ts'
import { documentDateOf } from './drafting.ts'
import { redrawLines, draftInputOf, type Lined, type Redrawn, type TermsChanges } from './draft-input.ts'

/** What of a draft the new one is drawn up with, besides what is sent. */
interface Redrawing {
  /** As the draft has them, its lines as the PUT leaves them. */
  terms: ReturnType<typeof draftInputOf>['terms']
  /** Null where another party brings a place of supply of its own. */
  place: { place_of_supply?: null }
  date: string
  existing: ExistingLines
}

/** How one document changes. */
export interface DraftChange<Document, Line extends LineRow, Drawn extends Partial<Line>> {
  /** The document as it is answered. */
  shown: object
  /** What its amounts and taxes come from: fixed once it is no draft, with what to do instead. */
  terms: readonly string[]
  instead: string
  /** What else may change, as it is sent; its date may always. */
  remarks: readonly string[]
  goodsDate?: 'shipment_date' | 'expected_date'
  /** The ids that bring a place of supply of their own when they become others. */
  placedBy: readonly ('customer_id' | 'vendor_id' | 'branch_id')[]
  drawUp(redrawing: Redrawing): Promise<{ head: Partial<DocumentRow> & { currency_code: string }; lines: Drawn[] }>
  change(columns: Partial<DocumentRow>): Document
  lines: ModelOf<Line>
  insertLine(line: Drawn): Line
}

type Sent = TermsChanges & Record<string, unknown>

/**
 * Changes a draft whole, and prices it anew; of a document that is none any more its date and the remarks (decisions §10,
 * Documents; §11). Throws as compareFields, termsToldOf and goodsDateOf do.
 */
export async function changeDraft<
  Kind extends DocumentKind, Document extends Lined & Numbered<Kind> & { status: string; lines: Line[] }, Line extends LineRow, Drawn extends Partial<Line>,
>(books: Books, kind: Kind, before: Document, sent: Sent, draft: DraftChange<Document, Line, Drawn>): Promise<Document> {
  const { terms, remarks, instead, goodsDate } = draft
  const dates = goodsDate ? ['date', goodsDate] : ['date']
  const { changed, refusal } = compareFields(sent, draft.shown, changeableDraft(before.status, { terms, remarks: [...remarks, ...dates], instead }))
  const date = typeof sent.date === 'string' ? documentDateOf(books, sent.date) : before.date
  const redrawn = terms.some((term) => changed.has(term)) ? await drawUpAnew(before, sent, date, draft) : null
  throwRefusal(refusal)
  if (changed.size === 0) return before
  const standing: Record<string, unknown> = { ...before, ...sent }
  const columns: Partial<DocumentRow> = { ...redrawn?.head, date }
  if (goodsDate) Object.assign(columns, { [goodsDate]: goodsDateOf(goodsDate, standing[goodsDate] as string | null, date) })
  for (const remark of remarks) if (sent[remark] !== undefined) Object.assign(columns, { [remark]: sent[remark] })
  const changes = changesBetween({ ...before, exchange_rate: decimalText(before.exchange_rate) }, columns)
  const relined = redrawn && redrawLines(books, draft.lines, before, redrawn, (line) => draft.insertLine(line))
  if (changes === null && !relined?.changes) return before
  const document = { ...draft.change(columns), lines: relined?.lines ?? before.lines }
  recordDocument(books, kind, document, `${kind}_UPDATED`, { ...changes, ...relined?.changes })
  return document
}

async function drawUpAnew<Line extends LineRow, Drawn extends Partial<Line>>(
  before: Lined, sent: Sent, date: string, { shown, placedBy, drawUp }: DraftChange<unknown, Line, Drawn>,
): Promise<Redrawn<Drawn> & { head: Partial<DocumentRow> }> {
  const { terms, existing, refusal } = draftInputOf(before, sent, shown)
  const place = placedBy.some((name) => isOther(sent[name], before[name])) ? { place_of_supply: null } : {}
  const { head, lines } = await drawUp({ terms, place, date, existing })
  throwRefusal(refusal)
  return { head, lines, existing, currency: head.currency_code }
}

/** Whether an id that is sent is another one than the document has. */
export function isOther(sent: unknown, kept: string | null | undefined): boolean {
  return sent !== undefined && (typeof sent === 'string' ? sent.toLowerCase() : null) !== (kept ?? null)
}
