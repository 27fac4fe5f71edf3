// What undoes a posting: a second entry, the sides swapped; the first one stays.
import { reversalOf } from '../domain/posting/posting.ts'
import { findPosting, type JournalSource } from '../models/journal.ts'
import type { Books } from './books.ts'

/** Reverses the standing entry of a document, if it has one; answers whether it had. */
export async function reverse(
  books: Books, { source, sourceId, date, memo }: { source: JournalSource; sourceId: string; date: string; memo: string },
): Promise<boolean> {
  const posting = await findPosting(books, source, sourceId)
  if (!posting) return false
  books.post({
    date,
    source,
    sourceId,
    memo,
    contactId: posting.contact_id,
    reversalOf: posting.id,
    lines: reversalOf(posting.lines.map((line) => ({
      accountId: line.account_id,
      debit: line.debit,
      credit: line.credit,
      description: line.description,
      contactId: line.contact_id,
    }))),
  })
  return true
}
