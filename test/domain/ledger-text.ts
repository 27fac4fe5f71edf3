// Journals written as an accountant writes them, so that tests read and compare ledgers.
import { toDecimalText, type Minor } from '../../domain/money.ts'
import type { PostingLine } from '../../domain/posting/posting.ts'

/** 'Dr Accounts Receivable 1,180.00', one line a posting line, credits indented. Account ids are their names here. */
export function ledgerText(lines: readonly PostingLine[], currency = 'INR'): string {
  return lines.map(line => ledgerLine(line, currency)).join('\n')
}

function ledgerLine({ accountId, debit, credit, contactId }: PostingLine, currency: string): string {
  const of = contactId === null ? '' : ` (${contactId})`
  return debit > 0n
    ? `Dr ${accountId}${of} ${grouped(debit, currency)}`
    : `   Cr ${accountId}${of} ${grouped(credit, currency)}`
}

// Thousands are set apart the Indian way: 12,34,567.00.
function grouped(amount: Minor, currency: string): string {
  const [units = '', fraction] = toDecimalText(amount, currency).split('.')
  const head = units.slice(0, -3).replace(/\B(?=(\d{2})+$)/g, ',')
  const tail = units.slice(-3)
  return (head ? `${head},${tail}` : tail) + (fraction === undefined ? '' : `.${fraction}`)
}
