// The open books of a command: they collect what it writes, and write it in one statement at the end.
import { DOCUMENTS } from '../../domain/documents.ts'
import { versionAfter, type AccessChange, type ChangedRecord, type LastRestore } from '../../domain/restoration.ts'
import { assertBalanced } from '../../domain/posting/posting.ts'
import type { NumberParts } from '../../domain/numbering.ts'
import type { Warning } from '../../domain/warnings.ts'
import { activity } from '../../models/activity.ts'
import { UnitOfWork } from '../../models/unit-of-work.ts'
import type { Scope } from '../../models/find.ts'
import { idempotentAnswers, type IdempotentAnswerRow } from '../../models/idempotency.ts'
import { journalLines, journals, type Journal } from '../../models/journal.ts'
import { keyOf, type ModelOf, type RowOf, type VERSIONED } from '../../models/model.ts'
import { sharingReads } from '../../models/sharing-reads.ts'
import type { Transaction } from '../../models/transaction.ts'
import { accessChangesOf } from './access-changes.ts'
import type { Caller, OrganizationFacts } from './caller.ts'
import { activityOf, announcementOf, type ActivityEntry, type EventEntry, type JournalEntry } from './entries.ts'
import { newId } from './ids.ts'

/** The columns of every record that counts its versions. */
type Versioned = RowOf<typeof VERSIONED> & { id: string }

// The tables that decide who a caller is and what a token may do; the API caches what it read from them.
const CALLER_TABLES = new Set(['tokens', 'organizations'])
// The tables that background jobs of the worker empty, besides the queue of deliveries.
const OUTBOXES = new Set(['recurring_signals', 'e_invoices', 'emails', 'password_reset_requests'])
export class Books implements Scope {
  readonly connection: Transaction
  readonly caller: Caller
  /** The one time that everything in this unit of work is dated with. */
  readonly now: Date
  /** Called after the commit, and not waited for; must not throw. A command adds to it when nothing more can be refused. */
  readonly afterCommit: (() => void)[] = []
  #orgId: string | null
  #unitOfWork = new UnitOfWork()
  #numbers = new Map<string, string>()
  #changesCallers = false
  #fillsOutbox = false
  #warnings: Warning[] = []
  readonly #lastRestore: LastRestore | null
  readonly accessChanges: AccessChange[] = []

  constructor(connection: Transaction, caller: Caller, now: Date, lastRestore: LastRestore | null = null) {
    this.connection = connection
    this.#lastRestore = lastRestore
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

  /** Opens the books of one of the partner's organisations. The command must have checked that it is the partner's. */
  enter(orgId: string): void {
    if (orgId === this.#orgId) return
    if (this.caller.kind !== 'PARTNER' && this.caller.kind !== 'SYSTEM') throw new Error('a token has one organisation')
    this.#orgId = orgId
  }

  newId(): string {
    return newId()
  }

  insert<Row extends { org_id: string }>(table: ModelOf<Row>, row: Omit<Row, 'org_id'>): Row {
    return this.insertAbove(table, { ...row, org_id: this.orgId } as unknown as Row)
  }

  /** Inserts into one of the few tables that do not belong to an organisation. */
  insertAbove<Row extends object>(table: ModelOf<Row>, row: Row): Row {
    this.#unitOfWork.insert(table, row)
    this.#fillsOutbox ||= OUTBOXES.has(table.name)
    return row
  }

  /** Changes some columns of a row, which must have been read with a lock. Returns the row as it will be. */
  update<Row extends object>(table: ModelOf<Row>, row: Row, changes: Partial<Row>): Row {
    this.#unitOfWork.update(table, { ...keyOf(table, row), ...changes })
    this.#changesCallers ||= CALLER_TABLES.has(table.name)
    this.accessChanges.push(...accessChangesOf(table.name, row, changes, this.now))
    return { ...row, ...changes }
  }

  /** As insert, for a record that counts its versions: adds version 1, its times, and an id unless it has one. */
  create<Row extends Versioned & { org_id: string }>(
    table: ModelOf<Row>,
    row: Omit<Row, 'org_id' | keyof Versioned> & { id?: string },
  ): Row {
    const versioned = { id: row.id ?? this.newId(), version: 1, created_time: this.now, last_modified_time: this.now }
    return this.insert(table, { ...row, ...versioned } as unknown as Omit<Row, 'org_id'>)
  }

  /** As update, for a record that counts its versions. Keeps properties that are not columns, such as the lines. */
  change<Row extends Versioned, Whole extends Row>(
    table: ModelOf<Row>,
    record: Whole,
    changes: Partial<NoInfer<Row>>,
  ): Whole {
    return this.update<Row>(table, record, {
      ...changes,
      version: this.nextVersion(record),
      last_modified_time: this.now,
    }) as Whole
  }

  /** The version after this one, above all that receivers may have seen of it. */
  nextVersion = (record: ChangedRecord): number => versionAfter(record, this.#lastRestore)

  delete<Row extends object>(table: ModelOf<Row>, row: object): void {
    this.#unitOfWork.delete(table, keyOf(table, row))
  }

  /** Inserts the one row that an organisation has in a table, or replaces it; the organisation must be locked. */
  replace<Row extends { org_id: string }>(table: ModelOf<Row>, row: Omit<Row, 'org_id'>): void {
    this.#unitOfWork.upsert(table, { ...row, org_id: this.orgId })
  }

  /** Reserves the next number of a sequence: returns a placeholder. The SQL function fill_numbers takes the number when the books are written. */
  number(sequence: string, parts: NumberParts, document: string, branchId: string | null = null): string {
    const placeholder = `<number:${newId()}>`
    this.#unitOfWork.placeholders.push({ placeholder: placeholder, sequence, ...parts, document, branch_id: branchId })
    return placeholder
  }

  /** Posts a balanced journal to the ledger. Returns its id, or null for an entry without lines, which is not posted. */
  post(entry: JournalEntry): string | null {
    return entry.lines.length === 0 ? null : this.postJournal(entry).id
  }

  /** As post, for a journal that is itself the document. Returns it with its lines. */
  postJournal(entry: JournalEntry): Journal {
    assertBalanced(entry.lines)
    const journal = this.insert(journals, {
      id: newId(),
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
    const lines = entry.lines.map((line, index) =>
      this.insert(journalLines, {
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
      }),
    )
    return { ...journal, lines }
  }

  /** Adds an entry to the activity log. */
  record(entry: ActivityEntry): void {
    this.insert(activity, activityOf(entry, newId(), this.caller, this.now))
  }

  /**
   * Queues the event for every endpoint that subscribes to it, or for the one that it names. It is sent after the commit, or
   * never if the transaction fails. Returns the body, with a placeholder for the delivery's id where the event names none.
   */
  announce(event: EventEntry): string {
    const announcement = announcementOf(event, newId(), this.orgId, this.now)
    this.#unitOfWork.announcements.push(announcement)
    return announcement.payload
  }

  /** Adds a warning to the response; the route must declare that it warns. */
  warn(warning: Warning): void {
    this.#warnings.push(warning)
  }

  get warnings(): readonly Warning[] {
    return this.#warnings
  }

  /** Stores the response of a call with an Idempotency-Key, in the transaction of its work. */
  remember(answer: IdempotentAnswerRow): void {
    this.#unitOfWork.upsert(idempotentAnswers, answer)
  }

  /** Books for one of several commands of this transaction, which read together. They are added to these, or left out. */
  part(): Books {
    return new Books(sharingReads(this.connection), this.caller, this.now, this.#lastRestore)
  }

  /** Adds what a part has collected, after what these books have. */
  add(part: Books): void {
    this.#unitOfWork.add(part.#unitOfWork)
    this.accessChanges.push(...part.accessChanges)
    this.#fillsOutbox ||= part.#fillsOutbox
    this.#changesCallers ||= part.#changesCallers
  }

  /** Drops everything that was collected, so that nothing of a refused command is written. */
  discard(): void {
    this.#unitOfWork = new UnitOfWork()
    this.accessChanges.length = 0
    this.#changesCallers = false
    this.#fillsOutbox = false
    this.#warnings = []
  }

  /** Writes everything that was collected. Returns how many webhook deliveries were queued. */
  async write(): Promise<number> {
    const { placeholders } = this.#unitOfWork
    const written = await this.#unitOfWork.write(this.connection, this.#orgId)
    // In the order in which they were written.
    placeholders.forEach(({ placeholder }, place) => this.#numbers.set(placeholder, written.numbers[place]!))
    return written.deliveries
  }

  /** Whether the unit of work deletes rows, which other rows may refer to. */
  get deletes(): boolean {
    return this.#unitOfWork.deletes
  }

  /** Whether the unit of work leaves something to background jobs of the worker, besides deliveries. */
  get fillsOutbox(): boolean {
    return this.#fillsOutbox
  }

  /** Whether the unit of work changed tokens or organisations, so that cached callers are stale. */
  get changesCallers(): boolean {
    return this.#changesCallers
  }

  /** Replaces the placeholders in a text by the numbers that were taken for them. */
  fillNumbers(text: string): string {
    let filled = text
    // A replacement function, because a prefix may contain "$&", which replaceAll would interpret in a string.
    for (const [placeholder, number] of this.#numbers) filled = filled.replaceAll(placeholder, () => number)
    return filled
  }
}
