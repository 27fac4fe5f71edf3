// Books copies of the specimens through prepared statements of the bare driver, one statement a table.
import pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import type { AnyTable } from '../../models/table.ts'
import { type Figures, paced, type Pace } from '../figures.ts'
import { TABLES } from '../specimens.ts'
import { serveParent } from './parent.ts'

export interface PreparedJob {
  databaseUrl: string
  /** Copies are made of the specimens 1 to this. */
  specimens: number
  pace: Pace
}

type Row = Record<string, unknown>
interface Specimen {
  orgId: string
  sequence: string
  rows: Row[][]
}

// A calendar date has no time zone and goes through as it came.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)

async function book({ databaseUrl, specimens, pace }: PreparedJob): Promise<Figures> {
  const connect = async () => {
    const client = new pg.Client(databaseUrl)
    await client.connect()
    return client
  }
  const clients = await Promise.all(Array.from({ length: pace.clients }, connect))
  const originals = await readSpecimens(clients[0]!, specimens)
  let booked = 0
  const figures = await paced(pace, (client) => bookCopy(clients[client]!, originals[(booked += 1) % originals.length]!))
  await Promise.all(clients.map((client) => client.end()))
  return figures
}

async function readSpecimens(client: pg.Client, count: number): Promise<Specimen[]> {
  const { rows } = await client.query('SELECT no, org_id, sequence FROM bench.specimens WHERE no <= $1 ORDER BY no', [count])
  const specimens: Specimen[] = []
  for (const { no, org_id, sequence } of rows) {
    const specimen: Specimen = { orgId: org_id, sequence, rows: [] }
    for (const { name } of TABLES) {
      specimen.rows.push((await client.query<Row>(`SELECT r.* FROM bench.specimens, unnest(${name}) AS r WHERE no = $1`, [no])).rows)
    }
    specimens.push(specimen)
  }
  return specimens
}

async function bookCopy(client: pg.Client, { orgId, sequence, rows }: Specimen): Promise<void> {
  const [invoice, journal, now] = [uuidv7(), uuidv7(), new Date()]
  await client.query('BEGIN')
  const invoice_number = await numberFrom(client, orgId, sequence)
  const journal_number = await numberFrom(client, orgId, 'journal')
  const differences: Record<string, () => Row> = {
    invoices: () => ({ id: invoice, invoice_number, created_time: now, last_modified_time: now }),
    invoice_lines: () => ({ id: uuidv7(), invoice_id: invoice }),
    journals: () => ({ id: journal, journal_number, source_id: invoice, created_time: now }),
    journal_lines: () => ({ journal_id: journal, created_time: now }),
    activity: () => ({ id: uuidv7(), entity_id: invoice, entity_ref: invoice_number, occurred_at: now }),
    webhook_events: () => ({ id: uuidv7(), entity_id: invoice, occurred_at: now }),
    idempotent_answers: () => ({ key: invoice, created_time: now }),
  }
  for (const [place, table] of TABLES.entries()) {
    const copies = rows[place]!.map((row): Row => ({ ...row, ...differences[table.name]!() }))
    const values = copies.flatMap((copy) => table.columns.map((column) => copy[column]))
    await client.query({ ...insertOf(table, copies.length), values })
  }
  await client.query('COMMIT')
}

async function numberFrom(client: pg.Client, orgId: string, sequence: string): Promise<string> {
  const { rows } = await client.query({
    name: 'number',
    text: `UPDATE number_counters SET next_number = next_number + 1 WHERE org_id = $1 AND sequence = $2
           RETURNING next_number - 1 AS number`,
    values: [orgId, sequence],
  })
  return `BENCH-${String(rows[0].number).padStart(5, '0')}`
}

const statements = new Map<string, { name: string; text: string }>()

function insertOf({ name, columns }: AnyTable, count: number): { name: string; text: string } {
  const key = `${name} ${count}`
  let statement = statements.get(key)
  if (!statement) {
    const rowOf = (row: number) => columns.map((_, place) => `$${row * columns.length + place + 1}`).join(', ')
    const rows = Array.from({ length: count }, (_, row) => `(${rowOf(row)})`).join(', ')
    statements.set(key, (statement = { name: key, text: `INSERT INTO ${name} (${columns.join(', ')}) VALUES ${rows}` }))
  }
  return statement
}

serveParent(book)
