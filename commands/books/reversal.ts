// Reverses a posting: a second journal with debits and credits swapped; the first one stays.
import { reversalOf } from '../../domain/posting/posting.ts'
import { findPostings, type JournalSource } from '../../models/journal.ts'
import type { Books } from './books.ts'

export interface Reversal {
  source: JournalSource
  sourceId: string
  /** Null to reverse each journal on its own date: for a correction, not for a later event. */
  date: string | null
  memo: string
}

/** Posts reversals of the journals of a document that are not reversed yet. Returns whether there were any. */
export async function reverse(books: Books, { source, sourceId, date, memo }: Reversal): Promise<boolean> {
  const postings = await findPostings(books, source, sourceId)
  for (const posting of postings) {
    books.post({
      date: date ?? posting.date,
      source,
      sourceId,
      memo,
      contactId: posting.contact_id,
      branchId: posting.branch_id,
      reversalOf: posting.id,
      lines: reversalOf(
        posting.lines.map((line) => ({
          accountId: line.account_id,
          debit: line.debit,
          credit: line.credit,
          description: line.description,
          contactId: line.contact_id,
        })),
      ),
    })
  }
  return postings.length > 0
}
