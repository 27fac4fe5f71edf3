// Reports as JSON.
import { Type, type Static } from 'typebox'
import { showDate } from '../../domain/dates.ts'
import { toAmount } from '../../domain/money.ts'
import { JOURNAL_SOURCES, type JournalSource, type LedgerEntry } from '../../models/journal.ts'
import { Amount, Id, nullable, Timestamp } from './fields.ts'

// A customer calls a payment a receipt, and knows no manual entries but journal vouchers.
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
  balance: Type.Number({ description: 'What the customer owes after this; negative for an advance.' }),
})

export const CustomerLedger = Type.Object({
  contact_id: Id,
  contact_name: Type.String(),
  currency_code: Type.String({ description: "The organisation's own: the ledger is kept in it." }),
  from_date: nullable(Timestamp),
  to_date: nullable(Timestamp),
  opening_balance: Amount,
  total_debit: Amount,
  total_credit: Amount,
  closing_balance: Amount,
  transactions: Type.Array(Transaction, { description: 'In the order of their dates; reversals are entries of their own.' }),
})

/** One transaction; `balance` is what is owed after it, in minor units of the organisation's currency. */
export function showTransaction(entry: LedgerEntry, balance: bigint, currency: string): Static<typeof Transaction> {
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
