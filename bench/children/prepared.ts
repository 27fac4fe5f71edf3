// Writes copies of the specimens of a write by prepared statements of the bare driver, one statement for each table.
import pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import type { AnyModel } from '../../models/model.ts'
import { type BookedWrite, WRITES, type Rows } from '../writes.ts'
import { type Figures, paced, type Throttle } from '../figures.ts'
import { serveParent } from './parent.ts'

export interface PreparedJob {
  databaseUrl: string
  /** The name of the write. */
  write: string
  /** Copies are made of the specimens 1 to this number. */
  specimens: number
  pace: Throttle
}

interface Specimen {
  orgId: string
  sequence: string | null
  rows: Rows
  /** The ids that the write created. */
  ids: string[]
}

// A calendar date has no time zone, so it stays text.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)

interface Opened {
  clients: pg.Client[]
  originals: Specimen[]
}

// Kept from job to job, because a new connection has to prepare its statements again.
const opened = new Map<string, Promise<Opened>>()

async function book({ databaseUrl, write: name, specimens, pace }: PreparedJob): Promise<Figures> {
  const write = WRITES.get(name)!
  const key = [databaseUrl, name, specimens, pace.clients].join(' ')
  if (!opened.has(key)) opened.set(key, open(databaseUrl, write, specimens, pace.clients))
  const { clients, originals } = await opened.get(key)!
  let booked = 0
  return paced(pace, (client) => bookCopy(clients[client]!, write, originals[(booked += 1) % originals.length]!))
}

async function open(databaseUrl: string, write: BookedWrite, specimens: number, count: number): Promise<Opened> {
  const connect = async () => {
    const client = new pg.Client(databaseUrl)
    await client.connect()
    return client
  }
  const clients = await Promise.all(Array.from({ length: count }, connect))
  return { clients, originals: await readSpecimens(clients[0]!, write, specimens) }
}

async function readSpecimens(client: pg.Client, { name, writes }: BookedWrite, count: number): Promise<Specimen[]> {
  const kept = await client.query(`SELECT no, org_id, sequence FROM bench.${name} WHERE no <= $1 ORDER BY no`, [count])
  const specimens: Specimen[] = []
  for (const { no, org_id, sequence } of kept.rows) {
    const rows: Rows = {}
    for (const table of writes) {
      rows[table.name] = (await client.query(`SELECT r.* FROM bench.${name}, unnest(${table.name}) AS r WHERE no = $1`, [no])).rows
    }
    const ids = Object.values(rows).flat().map(({ id }) => id as string | undefined).filter((id) => id !== undefined)
    specimens.push({ orgId: org_id, sequence, rows, ids })
  }
  return specimens
}

async function bookCopy(client: pg.Client, write: BookedWrite, specimen: Specimen): Promise<void> {
  const { orgId, sequence, rows, ids } = specimen
  const now = new Date()
  await client.query('BEGIN')
  // Ids, the key and the numbers of the copy are new, wherever they occur; everything else is as in the specimen.
  const own = new Map<unknown, string>(ids.map((id) => [id, uuidv7()]))
  own.set(rows.idempotent_answers![0]!.key, uuidv7())
  if (sequence !== null) own.set(rows[write.document.name]![0]![write.number!], await numberFrom(client, orgId, sequence))
  if (rows.journals) own.set(rows.journals[0]!.journal_number, await numberFrom(client, orgId, 'journal'))
  for (const table of write.writes) {
    // PostgreSQL gives an event without a position the next one of its organisation.
    const values = rows[table.name]!.flatMap((row) => table.columns.map((column) => (
      column === 'position' ? null : row[column] instanceof Date ? now : own.get(row[column]) ?? row[column]
    )))
    await client.query({ ...insertOf(table, rows[table.name]!.length), values })
  }
  for (const { table: { name }, set, ids: changed } of write.changes) {
    const values = [orgId, changed(rows), ...(set.includes('$3') ? [now] : [])]
    await client.query({ name: `change ${name}`, text: `UPDATE ${name} SET ${set} WHERE org_id = $1 AND id = ANY ($2)`, values })
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

function insertOf({ name, columns }: AnyModel, count: number): { name: string; text: string } {
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
