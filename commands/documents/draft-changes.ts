// Changes documents that a PUT prices again while they are drafts: sales orders, purchase orders, credit notes, debit notes.
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
import { writeRepricedLines, draftInputOf, type Lined, type RepricedLines, type TermsChanges } from './draft-input.ts'

/** What a draft is priced again from, besides the body of the PUT. */
interface Repricing {
  /** The draft's terms, with the lines that the PUT leaves. */
  terms: ReturnType<typeof draftInputOf>['terms']
  /** Null where the PUT names another party or branch, whose place of supply applies. */
  place: { place_of_supply?: null }
  date: string
  existing: ExistingLines
}

/** How documents of one kind change. */
export interface DraftChange<Document, Line extends LineRow, PricedLine extends Partial<Line>> {
  /** The document as responses show it. */
  shown: object
  /** The fields that amounts and taxes are computed from: fixed once it is no draft. `instead` advises what to do. */
  terms: readonly string[]
  instead: string
  /** The other fields that may change; the date may always. */
  remarks: readonly string[]
  goodsDate?: 'shipment_date' | 'expected_date'
  /** The fields that change the place of supply when they name another record. */
  placedBy: readonly ('customer_id' | 'vendor_id' | 'branch_id')[]
  reprice(
    repricing: Repricing,
  ): Promise<{ head: Partial<DocumentRow> & { currency_code: string }; lines: PricedLine[] }>
  change(columns: Partial<DocumentRow>): Document
  lines: ModelOf<Line>
  insertLine(line: PricedLine): Line
}

type Sent = TermsChanges & Record<string, unknown>

/**
 * Changes a draft in all fields and prices it again; of any other document only its dates and remarks (decisions §10,
 * Documents; §11). Throws as compareFields, draftInputOf and goodsDateOf do.
 */
export async function changeDraft<
  Kind extends DocumentKind,
  Document extends Lined & Numbered<Kind> & { status: string; lines: Line[] },
  Line extends LineRow,
  PricedLine extends Partial<Line>,
>(
  books: Books,
  kind: Kind,
  before: Document,
  sent: Sent,
  draft: DraftChange<Document, Line, PricedLine>,
): Promise<Document> {
  const { terms, remarks, instead, goodsDate } = draft
  const dates = goodsDate ? ['date', goodsDate] : ['date']
  const { changed, refusal } = compareFields(
    sent,
    draft.shown,
    changeableDraft(before.status, { terms, remarks: [...remarks, ...dates], instead }),
  )
  const date = typeof sent.date === 'string' ? documentDateOf(books, sent.date) : before.date
  const repriced = terms.some((term) => changed.has(term)) ? await repricedDraft(before, sent, date, draft) : null
  throwRefusal(refusal)
  if (changed.size === 0) return before
  const merged: Record<string, unknown> = { ...before, ...sent }
  const columns: Partial<DocumentRow> = { ...repriced?.head, date }
  if (goodsDate)
    Object.assign(columns, { [goodsDate]: goodsDateOf(goodsDate, merged[goodsDate] as string | null, date) })
  for (const remark of remarks) if (sent[remark] !== undefined) Object.assign(columns, { [remark]: sent[remark] })
  const changes = changesBetween({ ...before, exchange_rate: decimalText(before.exchange_rate) }, columns)
  const relined = repriced && writeRepricedLines(books, draft.lines, before, repriced, (line) => draft.insertLine(line))
  if (changes === null && !relined?.changes) return before
  const document = { ...draft.change(columns), lines: relined?.lines ?? before.lines }
  recordDocument(books, kind, document, `${kind}_UPDATED`, { ...changes, ...relined?.changes })
  return document
}

async function repricedDraft<Line extends LineRow, PricedLine extends Partial<Line>>(
  before: Lined,
  sent: Sent,
  date: string,
  { shown, placedBy, reprice }: DraftChange<unknown, Line, PricedLine>,
): Promise<RepricedLines<PricedLine> & { head: Partial<DocumentRow> }> {
  const { terms, existing, refusal } = draftInputOf(before, sent, shown)
  const place = placedBy.some((name) => isOther(sent[name], before[name])) ? { place_of_supply: null } : {}
  const { head, lines } = await reprice({ terms, place, date, existing })
  throwRefusal(refusal)
  return { head, lines, existing, currency: head.currency_code }
}

/** True when an id is sent that differs from the one that the document has. */
export function isOther(sent: unknown, kept: string | null | undefined): boolean {
  return sent !== undefined && (typeof sent === 'string' ? sent.toLowerCase() : null) !== (kept ?? null)
}
