// The commands on manual journals: post, delete.
import { invalidState, notFound } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import { amountAboveZero, sum, type Minor } from '../../domain/money.ts'
import { manualPosting } from '../../domain/posting/manual.ts'
import { reversalOf } from '../../domain/posting/posting.ts'
import { readJournalContext, type JournalContext, type ReadJournal } from '../../models/journal.ts'
import type { Books } from '../books/books.ts'
import { announceDocument, recordDeletion, recordDocument } from '../documents/document-entries.ts'
import { documentDateOf, knownIds, refuseClosedTags, refuseUnknownTags, today } from '../documents/drafting.ts'
import { journalOf } from './journals.ts'

export interface ManualLine {
  account_id: string
  debit?: number | null
  credit?: number | null
  description?: string | null
  contact_id?: string | null
}

/** The body of POST /journals. Dates as the wire sends them. */
export interface NewJournal {
  date: string
  memo?: string | null
  contact_id?: string | null
  tags?: string[] | null
  lines: ManualLine[]
}

/**
 * Posts a manual journal (specification, "Journals"). A line is of the journal's contact unless it names its own.
 * Amounts are rounded first. Throws not_found.resource for an account, contact or tag that is not the organisation's, and
 * validation.invalid_value for an amount that rounds to 0, or sides that differ by more than 0.01.
 */
export async function postManualJournal(books: Books, input: NewJournal): Promise<ReadJournal> {
  const currency = books.organization.currency_code
  const tags = knownIds(input.tags ?? [], 'tags')
  const context = await journalContextOf(books, input, tags)
  refuseUnknownTags(tags, context)
  refuseClosedTags(context)
  const find = findersOf(context)
  const contactId = find.contact(input.contact_id, 'contact_id')
  // Errors for records that do not exist come before errors for values (decisions §1).
  const named = input.lines.map((line, index) => ({
    accountId: find.account(line.account_id, `lines.${index}.account_id`).id,
    contactId: find.contact(line.contact_id, `lines.${index}.contact_id`) ?? contactId,
  }))
  const lines = input.lines.map((line, index) => ({
    ...named[index]!,
    debit: amountOf(line.debit, currency, `lines.${index}.debit`),
    credit: amountOf(line.credit, currency, `lines.${index}.credit`),
    description: line.description ?? null,
  }))
  const journal = books.postJournal({
    date: documentDateOf(books, input.date),
    source: 'MANUAL',
    sourceId: null,
    memo: input.memo ?? null,
    contactId,
    branchId: null,
    tags,
    lines: manualPosting({ lines, currency, roundOff: context.round_off?.id ?? null }),
  })
  recordDocument(books, 'JOURNAL', journal, 'JOURNAL_CREATED')
  const total = sum(journal.lines.map((line) => line.debit))
  announceDocument(books, 'JOURNAL', 'JOURNAL_POSTED', { ...journal, version: 1, total }, { source: journal.source })
  const read = journal.lines.map((line) => ({
    ...line,
    account_name: find.account(line.account_id, 'account_id').name,
  }))
  return { ...journal, lines: read, reversed_by: null }
}

/**
 * Deletes a manual journal: posts its reversal, dated today. Lists hide both unless include_reversed is sent (decisions
 * §4, §10). Throws conflict.invalid_state, details.source, for a journal that a document posted.
 */
export async function deleteManualJournal(books: Books, id: string): Promise<void> {
  const journal = await journalOf(books, id, { includeReversed: false }, 'FOR UPDATE')
  if (journal.source !== 'MANUAL') {
    const message = 'Only a manual journal can be deleted; void or delete the document that posted this one.'
    throw invalidState(message, null, [], { source: journal.source })
  }
  books.post({
    date: today(books),
    source: 'MANUAL',
    sourceId: null,
    memo: `Deletion of journal ${journal.journal_number}`,
    contactId: journal.contact_id,
    branchId: null,
    reversalOf: journal.id,
    lines: reversalOf(
      journal.lines.map(({ account_id: accountId, contact_id: contactId, debit, credit, description }) => ({
        accountId,
        contactId,
        debit,
        credit,
        description,
      })),
    ),
  })
  const total = sum(journal.lines.map((line) => line.debit))
  await recordDeletion(books, 'JOURNAL', { ...journal, version: 1, total }, { source: journal.source })
}

function journalContextOf(books: Books, { lines, contact_id }: NewJournal, tags: string[]): Promise<JournalContext> {
  const known = (ids: (string | null | undefined)[]) => [
    ...new Set(ids.filter((id): id is string => id != null && isId(id))),
  ]
  return readJournalContext(books, {
    accountIds: known(lines.map((line) => line.account_id)),
    contactIds: known([contact_id, ...lines.map((line) => line.contact_id)]),
    tags,
  })
}

// Finders for the records that a body names; each throws not_found.resource.
function findersOf({ accounts, contact_ids, round_off }: JournalContext) {
  const accountOf = new Map([...accounts, ...(round_off ? [round_off] : [])].map((account) => [account.id, account]))
  const contacts = new Set(contact_ids)
  return {
    account(id: string, field: string) {
      const account = accountOf.get(id.toLowerCase())
      if (account) return account
      throw notFound('account', field)
    },
    contact(id: string | null | undefined, field: string): string | null {
      if (id == null) return null
      if (contacts.has(id.toLowerCase())) return id.toLowerCase()
      throw notFound('contact', field)
    },
  }
}

function amountOf(input: number | null | undefined, currency: string, field: string): Minor {
  return input == null || input === 0 ? 0n : amountAboveZero(input, currency, field)
}
