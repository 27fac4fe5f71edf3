// Makes bench.book, the SQL function that writes a copy of an invoice, and the statements that copy rows.
import type { Client } from 'pg'
import type { AnyModel } from '../models/model.ts'
import { INVOICE } from './writes.ts'

/** How a copy differs from its specimen: by table and column, an SQL expression over `r`, the specimen's row. */
type Differences = Record<string, Record<string, string>>

/**
 * Creates `bench.book(no)`, which writes a copy of specimen `no` of the invoices: the same rows in the same tables,
 * numbered from the same counters.
 */
export const writeBooking = (client: Client) => client.query(BOOK)

/** `INSERT INTO table SELECT ...` of the columns that may be written; `from` has the rows of the specimen as `r`. */
export function copyOf(table: AnyModel, from: string, differences: Differences): string {
  const values = table.columns.map((column) => differences[table.name]?.[column] ?? `r.${column}`)
  return `INSERT INTO ${table.name} (${table.columns.join(', ')}) SELECT ${values.join(', ')} FROM ${from}`
}

const COPY: Differences = {
  invoices: { id: 'invoice', invoice_number: 'invoice_number', created_time: 'now()', last_modified_time: 'now()' },
  invoice_lines: { id: 'uuidv7()', invoice_id: 'invoice' },
  journals: { id: 'journal', journal_number: 'journal_number', source_id: 'invoice', created_time: 'now()' },
  journal_lines: { journal_id: 'journal', created_time: 'now()' },
  activity: { id: 'uuidv7()', entity_id: 'invoice', entity_ref: 'invoice_number', occurred_at: 'now()' },
  webhook_events: { id: 'uuidv7()', entity_id: 'invoice', occurred_at: 'now()', position: 'NULL' },
  idempotent_answers: { key: 'invoice::text', created_time: 'now()' },
}

const numberFrom = (sequence: string, prefix: string) =>
  `UPDATE number_counters SET next_number = next_number + 1 WHERE org_id = s.org_id AND sequence = ${sequence}
     RETURNING '${prefix}' || lpad((next_number - 1)::text, 5, '0')`

const BOOK = `
CREATE FUNCTION bench.book(specimen integer) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  s bench.invoice;
  invoice uuid := uuidv7();
  journal uuid := uuidv7();
  invoice_number text;
  journal_number text;
BEGIN
  SELECT * INTO s FROM bench.invoice WHERE no = specimen;
  ${numberFrom('s.sequence', 'BENCH-')} INTO invoice_number;
  ${numberFrom("'journal'", 'BENCH-')} INTO journal_number;
  ${INVOICE.writes.map((table) => `${copyOf(table, `unnest(s.${table.name}) AS r`, COPY)};`).join('\n  ')}
END $$;`
