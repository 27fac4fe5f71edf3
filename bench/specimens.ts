// The rows of one approved invoice in every organisation, kept in PostgreSQL as what the floors make copies of.
import type { Client } from 'pg'
import { activity } from '../models/activity.ts'
import { idempotentAnswers } from '../models/idempotency.ts'
import { invoiceLines, invoices } from '../models/invoice.ts'
import { journalLines, journals } from '../models/journal.ts'
import type { AnyTable } from '../models/table.ts'
import { webhookEvents } from '../models/webhook.ts'
import type { Party } from './parties.ts'

/** The tables that an approved invoice writes, in the order in which their rows can be inserted. */
export const TABLES: AnyTable[] = [invoices, invoiceLines, journals, journalLines, activity, webhookEvents, idempotentAnswers]

/** How a copy differs from its specimen: by table and column, an SQL expression over `r`, the specimen's row. */
type Differences = Record<string, Record<string, string>>

/**
 * Makes `bench.specimens`, a row an organisation with its invoice's rows in arrays, and `bench.book(no)`, which books a
 * copy of specimen `no`: the same rows into the same tables, numbered from the same counters, in one call.
 */
export async function keepSpecimens(client: Client, parties: Party[]): Promise<void> {
  const columns = TABLES.map(({ name }) => `${name} ${name}[] NOT NULL`).join(', ')
  await client.query(`
    CREATE SCHEMA bench;
    CREATE TABLE bench.specimens (no integer PRIMARY KEY, org_id uuid NOT NULL, sequence text NOT NULL, ${columns});
    ${BOOK}`)
  const names = TABLES.map(({ name }) => name).join(', ')
  const rows = TABLES.map(({ name }) => `ARRAY(SELECT t FROM ${name} AS t WHERE ${OF_INVOICE[name]})`).join(', ')
  for (const [index, { orgId, invoiceId }] of parties.entries()) {
    await client.query(
      `INSERT INTO bench.specimens (no, org_id, sequence, ${names})
       SELECT $1, $2, (SELECT sequence FROM number_counters WHERE org_id = $2 AND sequence <> 'journal'), ${rows}`,
      [index + 1, orgId, invoiceId],
    )
  }
}

const OF_INVOICE: Record<string, string> = {
  invoices: 't.org_id = $2 AND t.id = $3',
  invoice_lines: 't.org_id = $2 AND t.invoice_id = $3',
  journals: 't.org_id = $2 AND t.source_id = $3',
  journal_lines: 't.org_id = $2 AND t.journal_id = (SELECT id FROM journals WHERE org_id = $2 AND source_id = $3)',
  activity: 't.org_id = $2 AND t.entity_id = $3',
  webhook_events: 't.org_id = $2 AND t.entity_id = $3',
  idempotent_answers: `t.subject IN (SELECT id FROM tokens WHERE org_id = $2) AND t.body LIKE '%"' || $3::uuid || '"%'`,
}

/** `INSERT INTO table SELECT ...` of the columns that may be written, `from` naming the specimen's rows `r`. */
export function copyOf(table: AnyTable, from: string, differences: Differences): string {
  const values = table.columns.map((column) => differences[table.name]?.[column] ?? `r.${column}`)
  return `INSERT INTO ${table.name} (${table.columns.join(', ')}) SELECT ${values.join(', ')} FROM ${from}`
}

const COPY: Differences = {
  invoices: { id: 'invoice', invoice_number: 'invoice_number', created_time: 'now()', last_modified_time: 'now()' },
  invoice_lines: { id: 'uuidv7()', invoice_id: 'invoice' },
  journals: { id: 'journal', journal_number: 'journal_number', source_id: 'invoice', created_time: 'now()' },
  journal_lines: { journal_id: 'journal', created_time: 'now()' },
  activity: { id: 'uuidv7()', entity_id: 'invoice', entity_ref: 'invoice_number', occurred_at: 'now()' },
  webhook_events: { id: 'uuidv7()', entity_id: 'invoice', occurred_at: 'now()' },
  idempotent_answers: { key: 'invoice::text', created_time: 'now()' },
}

const numberFrom = (sequence: string, prefix: string) =>
  `UPDATE number_counters SET next_number = next_number + 1 WHERE org_id = s.org_id AND sequence = ${sequence}
     RETURNING '${prefix}' || lpad((next_number - 1)::text, 5, '0')`

const BOOK = `
CREATE FUNCTION bench.book(specimen integer) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  s bench.specimens;
  invoice uuid := uuidv7();
  journal uuid := uuidv7();
  invoice_number text;
  journal_number text;
BEGIN
  SELECT * INTO s FROM bench.specimens WHERE no = specimen;
  ${numberFrom('s.sequence', 'BENCH-')} INTO invoice_number;
  ${numberFrom("'journal'", 'BENCH-')} INTO journal_number;
  ${TABLES.map((table) => `${copyOf(table, `unnest(s.${table.name}) AS r`, COPY)};`).join('\n  ')}
END $$;`

/** How many rows there are in each of the tables. */
export async function countRows(client: Client): Promise<Record<string, number>> {
  const counts = TABLES.map(({ name }) => `(SELECT count(*)::integer FROM ${name}) AS ${name}`)
  return (await client.query<Record<string, number>>(`SELECT ${counts.join(', ')}`)).rows[0]!
}
