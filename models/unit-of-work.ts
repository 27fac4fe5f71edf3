// Writes everything that a command has decided, rows of any number of tables, in one statement.
import { createHash } from 'node:crypto'
import type { Statement } from './connection.ts'
import { jsonInPortions } from './json-in-portions.ts'
import type { AnyModel, ModelOf } from './model.ts'
import { activeTraceparent } from './tracing.ts'
import type { Transaction } from './transaction.ts'

/** A number to be taken when the unit of work is written; `placeholder` stands for it until then. */
export interface NumberPlaceholder {
  placeholder: string
  sequence: string
  before: string
  padding: number
  after: string
  document: string
  branch_id: string | null
}

/** An event to be announced; `payload` is the body to deliver, with `placeholder` where the delivery's id goes. */
export interface Announcement {
  id: string
  event_type: string
  entity_type: string
  entity_id: string
  data: Record<string, unknown>
  occurred_at: Date
  payload: string
  placeholder: string
  /** For an event that goes to one endpoint, subscribed to or not: its id, and the id of the delivery. */
  endpoint_id?: string
  delivery_id?: string
}

// Only the rows of a large bulk, and of few other units of work, are more of one table.
const MANY_ROWS = 1_000

type Row = Record<string, unknown>
interface RowGroup {
  verb: 'insert' | 'upsert' | 'update' | 'delete'
  table: AnyModel
  rows: Row[]
}

/** The result of a write: the numbers, in the order of their placeholders, and how many deliveries were queued. */
export interface Written {
  numbers: string[]
  deliveries: number
}

/** The rows of one unit of work, collected while a command runs. */
export class UnitOfWork {
  readonly placeholders: NumberPlaceholder[] = []
  readonly announcements: Announcement[] = []
  #groups = new Map<string, RowGroup>()
  #changed = new Map<string, Row>()

  insert<R extends object>(table: ModelOf<R>, row: object): void {
    this.#group('insert', table).rows.push(row as Row)
  }

  /** Inserts, or replaces the row of the same key. */
  upsert<R extends object>(table: ModelOf<R>, row: object): void {
    this.#group('upsert', table).rows.push(row as Row)
  }

  /** `row` holds the key and the columns that change, nothing else; a row that changes twice is written once. */
  update<R extends object>(table: ModelOf<R>, row: object): void {
    const changes = Object.fromEntries(Object.entries(row).map(([column, value]) => [column, sendable(value)]))
    if (Object.keys(changes).every((column) => (table.key as readonly string[]).includes(column))) return
    const key = `${table.name} ${table.key.map((column) => changes[column]).join(' ')}`
    const earlier = this.#changed.get(key)
    if (earlier) return void Object.assign(earlier, changes)
    this.#changed.set(key, changes)
    this.#group('update', table).rows.push(changes)
  }

  /** `key` holds the columns of the key within the organisation. */
  delete<R extends object>(table: ModelOf<R>, key: object): void {
    this.#group('delete', table).rows.push(key as Row)
  }

  /** Adds everything that another unit of work has collected, after what this one has. */
  add(other: UnitOfWork): void {
    this.placeholders.push(...other.placeholders)
    this.announcements.push(...other.announcements)
    for (const { verb, table, rows } of other.#groups.values()) {
      if (verb === 'update') for (const row of rows) this.update(table, row)
      else this.#group(verb, table).rows.push(...rows)
    }
  }

  get deletes(): boolean {
    return [...this.#groups.values()].some(({ verb }) => verb === 'delete')
  }

  get isEmpty(): boolean {
    return this.#groups.size === 0 && this.announcements.length === 0
  }

  /**
   * Sends everything as one prepared statement, followed by the commit. The document numbers and the positions of the
   * events are taken in it, before anything else is written, so their rows are locked only while the server runs the two.
   */
  async write(transaction: Transaction, orgId: string | null): Promise<Written> {
    if (this.isEmpty) return { numbers: [], deliveries: 0 }
    this.placeholders.sort(byLockOrder)
    const groups = [...this.#groups.values()]
    const text: Record<string, unknown[]> = {}
    groups.forEach(({ verb, rows }, index) => (text[`p${index}`] = verb === 'update' ? rows : rows.map(withoutNulls)))
    const announces = this.announcements.length > 0
    const traceparent = announces ? activeTraceparent() : null
    if (announces) text.events = this.announcements.map((event, place) => ({ ...event, place }))
    const statement = statementOf(groups, announces, traceparent !== null)
    const isLarge = groups.some(({ rows }) => rows.length > MANY_ROWS)
    const json = isLarge ? await jsonInPortions(text, jsonOf) : jsonOf(text)
    const values = [orgId, JSON.stringify(this.placeholders), json]
    if (announces) values.push(String(this.announcements.length))
    if (traceparent !== null) values.push(traceparent)
    const [written] = await transaction.runLast<{ numbers: string[] | null; deliveries: number }>(statement, values)
    return { numbers: written?.numbers ?? [], deliveries: written?.deliveries ?? 0 }
  }

  #group<R extends object>(verb: RowGroup['verb'], table: ModelOf<R>): RowGroup {
    const key = `${verb} ${table.name}`
    let group = this.#groups.get(key)
    if (!group) this.#groups.set(key, (group = { verb, table, rows: [] }))
    return group
  }
}

// The sequences in the order in which every unit of work locks them, however many documents it has: those of journals last.
// Sorting keeps the order of the numbers of one sequence.
function byLockOrder(one: NumberPlaceholder, other: NumberPlaceholder): number {
  const [first, second] = [one, other].map(({ document, sequence }) => `${document === 'journal' ? 1 : 0} ${sequence}`)
  return first! < second! ? -1 : first! > second! ? 1 : 0
}

// A column that a new row does not name is null in it: naming it would cost PostgreSQL about a microsecond. Amounts become
// text here, because JSON.stringify with a function for it takes three times as long.
function withoutNulls(row: Row): Row {
  const named: Row = {}
  for (const column in row) {
    const value = row[column]
    if (value !== null) named[column] = sendable(value)
  }
  return named
}

const sendable = (value: unknown) => (typeof value === 'bigint' ? value.toString() : (value ?? null))

// Only an amount within a JSON column needs the function.
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? one.toString() : one))
  }
}

// Units of work of the same shape (same verbs, same tables) share a statement, whatever their rows and the columns that
// change. So the number of statements in a connection depends on the commands, never on what callers send.
const statements = new Map<string, Statement>()
const MAX_STATEMENTS = 500

function statementOf(groups: RowGroup[], announces: boolean, isTraced: boolean): Statement {
  const shape =
    groups.map((group) => `${group.verb} ${group.table.name}`).join(';') + announces + (isTraced ? ' traced' : '')
  let statement = statements.get(shape)
  if (!statement) {
    const positions = announces ? ', take_positions($1::uuid, $4::integer) AS first_position' : ''
    const parts = [
      `filled AS MATERIALIZED (SELECT f.row_groups::jsonb AS groups, f.numbers${positions} FROM fill_numbers($1::uuid, $2::jsonb, $3) AS f)`,
      ...groups.map((group, index) => `p${index} AS (${sqlOf(group, index)})`),
      ...(announces ? [isTraced ? ANNOUNCE_TRACED : ANNOUNCE] : []),
    ]
    const deliveries = announces ? '(SELECT count(*)::integer FROM delivery)' : '0'
    statement = {
      name: `unit of work ${createHash('sha256').update(shape).digest('hex').slice(0, 16)}`,
      text: `WITH ${parts.join(',\n')}\nSELECT numbers, ${deliveries} AS deliveries FROM filled`,
    }
    if (statements.size < MAX_STATEMENTS) statements.set(shape, statement)
  }
  return statement
}

function sqlOf({ verb, table }: RowGroup, index: number): string {
  const columns = table.columns.filter((column) => verb !== 'update' || !table.key.includes(column))
  // A subquery instead of a join with `filled`: PostgreSQL sets up a join, with its columns, for every execution.
  const group = `(SELECT filled.groups -> 'p${index}' FROM filled)`
  const rows = `jsonb_populate_recordset(NULL::${table.name}, ${group}) AS r`
  const list = columns.join(', ')
  const values = columns.map((column) => `r.${column}`).join(', ')
  const insert = `INSERT INTO ${table.name} (${list}) SELECT ${values} FROM ${rows}`
  // Rows of a table with org_id are changed only within the organisation of the open books.
  const same = table.key.map((column) => (column === 'org_id' ? 't.org_id = $1' : `t.${column} = r.${column}`))
  switch (verb) {
    case 'insert':
      return insert
    case 'upsert':
      return `${insert} ON CONFLICT (${table.key.join()}) DO UPDATE SET (${list}) = (${columns.map((c) => `excluded.${c}`).join()})`
    case 'update':
      // A column that was not sent keeps the value that the row has. PostgreSQL compares values: a column that is set to
      // what it was touches neither its indexes nor its foreign keys.
      return `UPDATE ${table.name} AS t SET (${list}) = (SELECT ${columns.map((c) => `n.${c}`).join(', ')} FROM jsonb_populate_record(t, sent) AS n)
        FROM jsonb_array_elements(${group}) AS sent, jsonb_populate_record(NULL::${table.name}, sent) AS r
        WHERE ${same.join(' AND ')}`
    case 'delete':
      return `DELETE FROM ${table.name} AS t USING ${rows} WHERE ${same.join(' AND ')}`
  }
}

// The events, whether or not anybody subscribes to them, each with its position in the change feed; and one delivery of each
// for each enabled endpoint of the organisation that is subscribed to it, or that it is for.
const ANNOUNCE = `announced AS MATERIALIZED (
  SELECT e.*, filled.first_position + e.place AS position FROM filled, jsonb_to_recordset(filled.groups -> 'events') AS e(
    id uuid, event_type text, entity_type text, entity_id uuid, data jsonb, occurred_at timestamptz, payload text, placeholder text, place integer,
    endpoint_id uuid, delivery_id uuid)
), event AS (
  INSERT INTO webhook_events (org_id, id, event_type, entity_type, entity_id, data, occurred_at, position)
  SELECT $1, id, event_type, entity_type, entity_id, data, occurred_at, position FROM announced
), delivery AS (
  INSERT INTO webhook_deliveries
    (org_id, id, event_id, endpoint_id, event_type, payload, status, held_by, created_time, last_modified_time)
  SELECT $1, d.delivery_id, d.id, d.endpoint_id, d.event_type, replace(d.payload, d.placeholder, d.delivery_id::text), 'PENDING',
    CASE WHEN d.circuit <> 'CLOSED' THEN 'CIRCUIT' ELSE 'QUEUE' END, d.occurred_at, d.occurred_at
  FROM (SELECT announced.id, announced.event_type, announced.payload, announced.placeholder, announced.occurred_at, w.id AS endpoint_id,
          coalesce(announced.delivery_id, gen_random_uuid()) AS delivery_id, c.state AS circuit
        FROM announced JOIN webhook_endpoints AS w
          ON w.org_id = $1 AND w.status = 'ENABLED'
            AND (announced.event_type = ANY (w.events) OR w.id = announced.endpoint_id)
        LEFT JOIN webhook_circuits AS c ON c.org_id = w.org_id AND c.id = w.id) AS d
  RETURNING 1
)`

// The same, with the trace that the events belong to. In a statement of its own, so that an event without one costs nothing.
const ANNOUNCE_TRACED = ANNOUNCE.replace('occurred_at, position)', 'occurred_at, position, traceparent)').replace(
  'occurred_at, position FROM announced',
  'occurred_at, position, $5::text FROM announced',
)
