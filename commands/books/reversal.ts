// What undoes a posting: a second entry, the sides swapped; the first one stays.
import { reversalOf } from '../../domain/posting/posting.ts'
import { findPostings, type JournalSource } from '../../models/journal.ts'
import type { Books } from './books.ts'

export interface Reversal {
  source: JournalSource
  sourceId: string
  /** Null for the date of each entry itself: it is corrected, not undone by a later event. */
  date: string | null
  memo: string
}

/** Reverses the standing entries of a document, if it has any; answers whether it had. */
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
      lines: reversalOf(posting.lines.map((line) => ({
        accountId: line.account_id,
        debit: line.debit,
        credit: line.credit,
        description: line.description,
        contactId: line.contact_id,
      }))),
    })
  }
  return postings.length > 0
}
