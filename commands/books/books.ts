// The unit of work of every write: open books collect what a command decides, and write it in one statement.
import { v7 as uuidv7 } from 'uuid'
import { DOCUMENTS } from '../../domain/documents.ts'
import { assertBalanced } from '../../domain/posting/posting.ts'
import type { NumberParts } from '../../domain/numbering.ts'
import type { Warning } from '../../domain/warnings.ts'
import { activity } from '../../models/activity.ts'
import { UnitOfWork } from '../../models/unit-of-work.ts'
import type { Scope } from '../../models/find.ts'
import { idempotentAnswers, type IdempotentAnswerRow } from '../../models/idempotency.ts'
import { journalLines, journals, type Journal } from '../../models/journal.ts'
import type { ModelOf, RowOf, VERSIONED } from '../../models/model.ts'
import type { Transaction } from '../../models/transaction.ts'
import type { Caller, OrganizationFacts } from './caller.ts'
import type { ActivityEntry, EventEntry, JournalEntry } from './entries.ts'

/** What every record says that may change. */
interface Versioned extends RowOf<typeof VERSIONED> {
  id: string
}

// Whose rows say who a token's holder is, and whether the organisation is open.
const CALLER_TABLES = new Set(['tokens', 'organizations'])

export class Books implements Scope {
  readonly connection: Transaction
  readonly caller: Caller
  /** One instant for everything that this deed dates. */
  readonly now: Date
  #orgId: string | null
  #unitOfWork = new UnitOfWork()
  #numbers = new Map<string, string>()
  #changesCallers = false
  #warnings: Warning[] = []

  constructor(connection: Transaction, caller: Caller, now: Date) {
    this.connection = connection
    this.caller = caller
    this.now = now
    this.#orgId = caller.organization?.id ?? null
  }

  get orgId(): string {
    if (!this.#orgId) throw new Error('these books are of no organisation yet')
    return this.#orgId
  }

  get organization(): OrganizationFacts {
    if (!this.caller.organization) throw new Error('this caller has no organisation')
    return this.caller.organization
  }

  /** Opens the books of one of the partner's organisations; the caller must have found it to be theirs. */
  enter(orgId: string): void {
    if (this.caller.kind !== 'PARTNER' && this.caller.kind !== 'SYSTEM') throw new Error('a token has one organisation')
    this.#orgId = orgId
  }

  newId(): string {
    return uuidv7()
  }

  insert<Row extends { org_id: string }>(table: ModelOf<Row>, row: Omit<Row, 'org_id'>): Row {
    const whole = { ...row, org_id: this.orgId } as unknown as Row
    this.#unitOfWork.insert(table, whole)
    return whole
  }

  /** For the few tables above organisations. */
  insertAbove<Row extends object>(table: ModelOf<Row>, row: Row): Row {
    this.#unitOfWork.insert(table, row)
    return row
  }

  /** Changes some columns of a row that was found with a lock; answers the row as it will be. */
  update<Row extends { id: string }>(table: ModelOf<Row>, row: Row, changes: Partial<Row>): Row {
    this.#unitOfWork.update(table, { id: row.id, ...changes })
    this.#changesCallers ||= CALLER_TABLES.has(table.name)
    return { ...row, ...changes }
  }

  /** As insert, for a record that counts its versions: with an id, and as it is now for the first time. */
  create<Row extends Versioned & { org_id: string }>(table: ModelOf<Row>, row: Omit<Row, 'org_id' | keyof Versioned>): Row {
    const begun = { id: this.newId(), version: 1, created_time: this.now, last_modified_time: this.now }
    return this.insert(table, { ...row, ...begun } as unknown as Omit<Row, 'org_id'>)
  }

  /** As update, for a record that counts its versions. What it carries besides its columns, such as its lines, it keeps. */
  change<Row extends Versioned, Whole extends Row>(table: ModelOf<Row>, record: Whole, changes: Partial<NoInfer<Row>>): Whole {
    return this.update<Row>(table, record, { ...changes, version: record.version + 1, last_modified_time: this.now }) as Whole
  }

  delete<Row extends { id: string }>(table: ModelOf<Row>, row: Pick<Row, 'id'>): void {
    this.#unitOfWork.delete(table, row.id)
  }

  /** The next number of a sequence. Until the books are written a blank stands for it. */
  number(sequence: string, parts: NumberParts, document: string, branchId: string | null = null): string {
    const placeholder = `<number:${uuidv7()}>`
    this.#unitOfWork.placeholders.push({ placeholder: placeholder, sequence, ...parts, document, branch_id: branchId })
    return placeholder
  }

  /** Writes a balanced entry into the ledger and answers its id; an entry of no lines is not written. */
  post(entry: JournalEntry): string | null {
    return entry.lines.length === 0 ? null : this.postJournal(entry).id
  }

  /** As post, for an entry that is a record of its own; answers it with its lines. */
  postJournal(entry: JournalEntry): Journal {
    assertBalanced(entry.lines)
    const journal = this.insert(journals, {
      id: uuidv7(),
      journal_number: this.number('journal', { before: DOCUMENTS.JOURNAL.prefix, padding: 5, after: '' }, 'journal'),
      date: entry.date,
      source: entry.source,
      source_id: entry.sourceId,
      memo: entry.memo,
      contact_id: entry.contactId,
      reversal_of: entry.reversalOf ?? null,
      line_count: entry.lines.length,
      tags: entry.tags ?? [],
      created_time: this.now,
    })
    const lines = entry.lines.map((line, index) => this.insert(journalLines, {
      journal_id: journal.id,
      line_no: index + 1,
      line_count: entry.lines.length,
      date: entry.date,
      branch_id: entry.branchId,
      account_id: line.accountId,
      contact_id: line.contactId,
      debit: line.debit,
      credit: line.credit,
      description: line.description,
      created_time: this.now,
    }))
    return { ...journal, lines }
  }

  /** Adds an entry to the activity log. */
  record(entry: ActivityEntry): void {
    this.insert(activity, {
      id: uuidv7(),
      action: entry.action,
      entity_type: entry.entityType,
      entity_id: entry.entityId,
      entity_ref: entry.entityRef,
      actor_user_id: this.caller.userId,
      changes: entry.changes ?? null,
      metadata: { ...this.caller.origin, ...entry.metadata },
      occurred_at: this.now,
    })
  }

  /** Queues the event for every endpoint that asked for it; it leaves with the commit or not at all. */
  announce(event: EventEntry): void {
    const id = uuidv7()
    const placeholder = `<delivery:${id}>`
    const body = {
      event_type: event.type,
      delivery_id: placeholder,
      occurred_at: this.now.toISOString(),
      org_id: this.orgId,
      data: event.data,
    }
    this.#unitOfWork.announcements.push({
      id,
      event_type: event.type,
      entity_type: event.entityType,
      entity_id: event.entityId,
      data: event.data,
      occurred_at: this.now,
      payload: JSON.stringify(body),
      placeholder: placeholder,
    })
  }

  /** Tells the caller something beside the answer; the route declares that it warns. */
  warn(warning: Warning): void {
    this.#warnings.push(warning)
  }

  get warnings(): readonly Warning[] {
    return this.#warnings
  }

  /** Remembers the answer of a keyed call, in the transaction of its work. */
  remember(answer: IdempotentAnswerRow): void {
    this.#unitOfWork.upsert(idempotentAnswers, answer)
  }

  /** Forgets all that was collected: nothing of a refused deed is written. */
  discard(): void {
    this.#unitOfWork = new UnitOfWork()
    this.#warnings = []
  }

  /** Writes the deed. Answers how many deliveries were queued. */
  async write(): Promise<number> {
    const placeholders = this.#unitOfWork.placeholders.map(({ placeholder }) => placeholder)
    const written = await this.#unitOfWork.write(this.connection, this.#orgId)
    placeholders.forEach((placeholder, place) => this.#numbers.set(placeholder, written.numbers[place]!))
    return written.deliveries
  }

  /** Whether the deed deletes rows, which others may refer to. */
  get deletes(): boolean {
    return this.#unitOfWork.deletes
  }

  /** Whether the deed changed whose token opens what. */
  get changesCallers(): boolean {
    return this.#changesCallers
  }

  /** Puts the numbers that were taken into a text that has blanks for them. */
  fillNumbers(text: string): string {
    let filled = text
    // By a function: in a text that replaces, "$&" and the like are no letters, and a prefix may have them.
    for (const [placeholder, number] of this.#numbers) filled = filled.replaceAll(placeholder, () => number)
    return filled
  }
}
