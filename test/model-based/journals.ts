// Manual journals in the model: posting, a paisa off or exactly balanced, and deleting.
import type { Json } from '../fixtures/client.ts'
import { amountOf, BAD_VALUE, choose, dateTime, MISSING, NOBODY, refusalsOf, type Books, type Pick, type Plan, type Thing } from './books.ts'
import { contactOf, type ContactPick } from './contact.ts'
import { cr, dr, type Entry } from './ledger.ts'

const PAIRS = [['Bank Account', 'Capital Account'], ['Rent', 'Bank Account'], ['Accounts Receivable', 'Sales'], ['Purchases', 'Accounts Payable']] as const

export interface JournalInput {
  pair: number
  /** Paise. */
  amount: number
  /** What the credit exceeds the debit by, in paise. */
  off: -2 | -1 | 0 | 1 | 2
  contact: ContactPick | null
  /** Of the debit and of the credit; null for a line that is of the whole journal's contact. */
  parties: (ContactPick | null)[]
  daysAgo: number
  wrong: 'no account' | null
}

/** A manual journal. */
export class Journal implements Thing {
  readonly key = 'journal'
  gone = false
  readonly id: string
  readonly entry: Entry

  constructor(id: string, entry: Entry) {
    this.id = id
    this.entry = entry
  }

  get path() { return `/journals/${this.id}` }
  get name() { return 'manual journal' }

  shown({ accounts }: Books): Json {
    return {
      date: dateTime(this.entry.date), contact_id: this.entry.contact, source: 'MANUAL', source_id: null, reversal_of: null, reversed_by: null,
      lines: this.entry.lines.map(({ account, contact, debit }) => ({
        account_name: account, account_id: accounts[account], contact_id: contact,
        debit: debit > 0n ? amountOf(debit) : 0, credit: debit < 0n ? amountOf(-debit) : 0,
      })),
    }
  }
}

export function writeJournal(books: Books, { pair, amount, off, contact, parties, daysAgo, wrong }: JournalInput): Plan {
  const [debited, credited] = PAIRS[pair % PAIRS.length]!
  const named = [contact, ...parties].map((one) => one && contactOf(books, one))
  const [whole, own, others] = named.map((one) => one?.id ?? null)
  const date = books.daysFromNow(-daysAgo)
  const [debit, credit] = [BigInt(amount), BigInt(amount + off)]
  return {
    method: 'POST',
    path: '/journals',
    body: {
      date, contact_id: whole,
      lines: [
        { account_id: books.accounts[debited], debit: amountOf(debit), contact_id: own },
        { account_id: wrong === 'no account' ? NOBODY : books.accounts[credited], credit: amountOf(credit), contact_id: others },
      ],
    },
    refusals: refusalsOf([[wrong === 'no account' || named.some((one) => one?.gone), MISSING], [Math.abs(off) > 1, BAD_VALUE]]),
    move({ journal }) {
      const lines = [dr(debited, debit, own ?? whole), cr(credited, credit, others ?? whole), dr('Round Off', credit - debit)]
      books.add(new Journal(journal.journal_id, books.ledger.post('MANUAL', null, date, lines, whole!)!))
    },
  }
}

export function unwriteJournal(books: Books, pick: Pick): Plan | null {
  const journal = choose(books.all(Journal), ({ gone }) => !gone, pick)
  if (!journal) return null
  return {
    method: 'DELETE',
    path: journal.path,
    refusals: refusalsOf([[journal.gone, MISSING]]),
    move() {
      journal.gone = true
      books.ledger.undo(journal.entry, books.today)
      books.touched.add(journal)
    },
    about: [journal],
  }
}
