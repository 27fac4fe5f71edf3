// Rows with what belongs to them, such as documents with their lines: read in one round trip, as of one moment, and few at once.
import pg from 'pg'
import type { BoundStatement } from './connection.ts'
import type { Database } from './database.ts'
import type { Scope } from './find.ts'
import type { ModelOf } from './model.ts'
import { pageFrom, statementOfPage, type PageOf, type PageRequest } from './page.ts'

/** A connection pool, and the organisation whose rows are read. */
export interface SnapshotScope extends Scope {
  database: Pick<Database, 'snapshot'>
}

/** One kind of what belongs to rows. */
export interface PartQuery {
  /** The column with the id of the row that a part belongs to. */
  by: string
  /**
   * The SQL that reads the parts of the rows with these ids (SQL of an array) in the order of the ids, at most `most` of
   * them; $1 is the organisation.
   */
  text(ids: string, most: number): string
}

/** What belongs to the rows of a model, and how it is added to them. */
export interface Parts<Row, Whole> {
  all: PartQuery[]
  group(rows: Row[], parts: object[][]): Whole[]
  /** Adds their parts to rows that were read before, in one round trip. */
  addTo(scope: Scope, rows: Row[]): Promise<Whole[]>
}

/** A page whose first rows are read with their parts already; the other rows have too many. */
export interface WholePage<Row, Whole> extends PageOf<Row> {
  whole: Whole[]
}

// How many parts of a kind are read at once: those of two of the largest documents, or of 200 ordinary ones.
const MOST_PARTS = 1_000

/** Reads one page as pageOf does, in the same round trip with the parts of its rows. */
export async function wholePageOf<Row extends { org_id: string; id: string }, Whole>(
  scope: SnapshotScope,
  model: ModelOf<Row>,
  { all, group }: Parts<Row, Whole>,
  request: PageRequest,
): Promise<WholePage<Row, Whole>> {
  const page = await statementOfPage(scope, model, request)
  const ids = `ARRAY(SELECT "id" FROM (${page.text.replace(/;$/, '')}) AS "page" LIMIT ${request.perPage})`
  const [found, ...parts] = (await scope.database.snapshot([
    [page, []],
    ...all.map((part): BoundStatement => [{ name: '', text: part.text(ids, MOST_PARTS + 1) }, [scope.orgId]]),
  ])) as [Row[], ...Record<string, unknown>[][]]
  const read = pageFrom(found, request)
  const complete = read.rows.slice(0, Math.min(...all.map(({ by }, place) => completeIn(read.rows, parts[place]!, by))))
  return { ...read, whole: group(complete, parts) }
}

// Of the last row that has parts there may be more.
function completeIn(rows: { id: string }[], parts: Record<string, unknown>[], by: string): number {
  return parts.length <= MOST_PARTS ? rows.length : rows.findIndex(({ id }) => id === parts.at(-1)![by])
}

/** The rows of `model` that belong to the row whose id is in their column `by`, in the order of the columns `order`. */
export function partOf<Row extends { org_id: string }>(
  model: ModelOf<Row>,
  by: keyof Row & string,
  order: (keyof Row & string)[],
  shown: (keyof Row & string)[] = [...model.columns, ...model.generated] as (keyof Row & string)[],
): PartQuery {
  const columns = shown.map((column) => `part.${column}`)
  const sorted = order.map((column) => `part.${column}`)
  return {
    by,
    // The places of an array are in order, so PostgreSQL reads row by row, and stops at the limit.
    text: (ids, most) => `SELECT ${columns.join(', ')} FROM unnest(${ids}) WITH ORDINALITY AS owner(id, place)
      JOIN ${pg.escapeIdentifier(model.name)} AS part ON part.org_id = $1 AND part.${by} = owner.id
      ORDER BY owner.place, ${sorted.join(', ')} LIMIT ${most}`,
  }
}
