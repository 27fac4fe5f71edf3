// The audit: checks every rule of the books by a query that returns the violations.
import type { Connection } from '../models/connection.ts'
import { ATTACHMENTS } from './files/attachments.ts'
import { BILLS } from './bills.ts'
import { BULKS } from './bulks.ts'
import { controlsOutOfLine } from './ledger/control-accounts.ts'
import { CONVERSIONS } from './conversions.ts'
import { DELIVERIES } from './deliveries.ts'
import type { AuditQuery } from './documents.ts'
import { E_INVOICES } from './e-invoices.ts'
import { ESTIMATES } from './estimates.ts'
import { EVENTS } from './events.ts'
import { EXPENSES } from './expenses.ts'
import { INVOICES } from './invoices.ts'
import { JOURNALS } from './ledger/journals.ts'
import { LEDGER } from './ledger/ledger.ts'
import { MAILS } from './mails.ts'
import { NOTES } from './notes.ts'
import { missingNumbers } from './ledger/numbers.ts'
import { ORDERS } from './orders.ts'
import { PAYMENTS } from './payments.ts'
import { RECURRING } from './recurring.ts'

/** Runs every check over the whole database. Returns a sentence for each violation; none when the books are in order. */
export async function audit(connection: Connection): Promise<string[]> {
  const wrong: string[] = []
  for (const query of QUERIES) {
    for (const row of await connection.run<{ wrong: string }>(query, [])) wrong.push(row.wrong)
  }
  // One push for each line: push(...lines) would fail with very many lines.
  for (const check of CHECKS) for (const line of await check(connection)) wrong.push(line)
  return wrong
}

// The checks that need more than one statement.
const CHECKS = [controlsOutOfLine, missingNumbers]

const QUERIES: AuditQuery[] = [
  ...JOURNALS,
  ...LEDGER,
  ...INVOICES,
  ...BILLS,
  ...PAYMENTS,
  ...NOTES,
  ...EXPENSES,
  ...ORDERS,
  ...ESTIMATES,
  ...E_INVOICES,
  ...CONVERSIONS,
  ...RECURRING,
  ...BULKS,
  ...MAILS,
  ...ATTACHMENTS,
  ...EVENTS,
  ...DELIVERIES,
]
