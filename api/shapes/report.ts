// Reports as JSON.
import { Type, type Static } from 'typebox'
import { showDate } from '../../domain/dates.ts'
import { toAmount } from '../../domain/money.ts'
import { JOURNAL_SOURCES, type JournalSource, type Ledger, type LedgerEntry } from '../../models/journal.ts'
import type { ContactRow } from '../../models/contact.ts'
import { Amount, Id, nullable, Timestamp } from './fields.ts'

// In a customer's ledger a payment is called a receipt, and a manual journal a journal.
const TRANSACTION_TYPES: Record<JournalSource, string> = {
  ...(Object.fromEntries(JOURNAL_SOURCES.map((source) => [source, source])) as Record<JournalSource, string>),
  PAYMENT: 'RECEIPT',
  MANUAL: 'JOURNAL',
}

const Transaction = Type.Object({
  date: Timestamp,
  transaction_type: Type.Enum(Object.values(TRANSACTION_TYPES)),
  transaction_id: Id,
  transaction_number: Type.String(),
  reference_number: nullable(Type.String()),
  description: nullable(Type.String()),
  debit: Amount,
  credit: Amount,
  balance: Type.Number({ description: 'What the customer owes after this transaction; negative for an advance.' }),
})

export const CustomerLedger = Type.Object({
  contact_id: Id,
  contact_name: Type.String(),
  currency_code: Type.String({ description: "The organisation's currency, in which the ledger is kept." }),
  from_date: nullable(Timestamp),
  to_date: nullable(Timestamp),
  opening_balance: Amount,
  total_debit: Amount,
  total_credit: Amount,
  closing_balance: Amount,
  transactions: Type.Array(Transaction, { description: 'Ordered by date; reversals are separate entries.' }),
})

/** The ledger without its transactions. `currency` is the organisation's. */
export function showLedger(
  { opening, debit, credit }: Pick<Ledger, 'opening' | 'debit' | 'credit'>,
  contact: Pick<ContactRow, 'id' | 'contact_name'>,
  { from, to }: { from: string | null; to: string | null },
  currency: string,
): Omit<Static<typeof CustomerLedger>, 'transactions'> {
  return {
    contact_id: contact.id,
    contact_name: contact.contact_name,
    currency_code: currency,
    from_date: from === null ? null : showDate(from),
    to_date: to === null ? null : showDate(to),
    opening_balance: toAmount(opening, currency),
    total_debit: toAmount(debit, currency),
    total_credit: toAmount(credit, currency),
    closing_balance: toAmount(opening + debit - credit, currency),
  }
}

/** The transactions in portions as they are read, each with the balance after it. */
export async function* showTransactions(
  { opening, entries }: Ledger,
  currency: string,
): AsyncGenerator<Static<typeof Transaction>[], void> {
  let balance = opening
  for await (const portion of entries) {
    yield portion.map((entry) => {
      balance += entry.debit - entry.credit
      return showTransaction(entry, balance, currency)
    })
  }
}

function showTransaction(entry: LedgerEntry, balance: bigint, currency: string): Static<typeof Transaction> {
  return {
    date: showDate(entry.date),
    transaction_type: TRANSACTION_TYPES[entry.source],
    transaction_id: entry.source_id ?? entry.journal_id,
    transaction_number: entry.number,
    reference_number: entry.reference_number,
    description: entry.memo,
    debit: toAmount(entry.debit, currency),
    credit: toAmount(entry.credit, currency),
    balance: toAmount(balance, currency),
  }
}
