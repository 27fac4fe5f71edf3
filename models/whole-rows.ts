// Rows with what belongs to them, such as documents with their lines: read in one round trip, as of one moment, and few at once.
import pg from 'pg'
import { literal } from 'sequelize'
import type { BoundStatement } from './connection.ts'
import type { Database } from './database.ts'
import { among, finder, is, type Finder, type Scope } from './find.ts'
import type { AnyModel, ModelOf } from './model.ts'
import { CREATED, pageFrom, statementOfPage, type PageOf, type PageRequest } from './page.ts'

/** A connection pool, and the organisation whose rows are read. */
export interface SnapshotScope extends Scope {
  database: Pick<Database, 'snapshot'>
}

/** A row's version: text that is another after each change of the row. */
export interface RowVersion {
  id: string
  row_version: string
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
export interface WholePage<Row, Whole> extends PageOf<Row & RowVersion> {
  whole: Whole[]
}

// How many parts of a kind are read at once: those of two of the largest documents, or of 200 ordinary ones.
const MOST_PARTS = 1_000
const ANY_NUMBER = 2 ** 31

type Versioned = { org_id: string; id: string; version: number; last_modified_time: Date }

/** Reads one page as pageOf does, in the same round trip with the parts of its rows. */
export async function wholePageOf<Row extends { org_id: string; id: string }, Whole>(
  scope: SnapshotScope,
  model: ModelOf<Row>,
  { all, group }: Parts<Row, Whole>,
  request: PageRequest,
): Promise<WholePage<Row, Whole>> {
  const page = await statementOfPage(
    scope,
    model,
    request,
    model.columns.includes('version') ? { include: [versionIn(model)] } : undefined,
  )
  const ids = `ARRAY(SELECT "id" FROM (${page.text.replace(/;$/, '')}) AS "page" LIMIT ${request.perPage})`
  const [found, ...parts] = (await scope.database.snapshot([
    [page, []],
    ...all.map((part): BoundStatement => [{ name: '', text: part.text(ids, MOST_PARTS + 1) }, [scope.orgId]]),
  ])) as [(Row & RowVersion)[], ...Record<string, unknown>[][]]
  const read = pageFrom(found, request)
  const rowIds = read.rows.map(({ id }) => id)
  const complete = Math.min(...all.map(({ by }, place) => completeIn(rowIds, parts[place]!, by, MOST_PARTS)))
  return { ...read, whole: group(read.rows.slice(0, complete), parts) }
}

/** Reads the versions of the rows of one page. */
export async function versionPageOf<Row extends Versioned>(
  scope: Scope,
  model: ModelOf<Row>,
  request: PageRequest,
): Promise<PageOf<RowVersion>> {
  const page = await statementOfPage(scope, model, request, ['id', request.by ?? CREATED, versionIn(model)])
  return pageFrom(await scope.connection.run<RowVersion>(page, []), request)
}

/** Reads the version of one row; no version where there is no such row. */
export const versionOf = <Row extends Versioned>(
  scope: Scope,
  model: ModelOf<Row>,
  id: string,
): Promise<RowVersion[]> => findersOf(model).version(scope, id)

/** Rows with their parts, in the order of their ids: of the first `read` ids those that still exist. */
export interface WholeRows<Whole> {
  rows: RowVersion[]
  whole: Whole[]
  read: number
}

/** Reads the first of these rows with their parts, at least one and at most as many as wholePageOf, in one round trip. */
export async function wholeRowsOf<Row extends Versioned, Whole>(
  scope: SnapshotScope,
  model: ModelOf<Row>,
  parts: Parts<Row, Whole>,
  ids: string[],
): Promise<WholeRows<Whole>> {
  const rows = await rowsWithParts(scope, model, parts, ids, MOST_PARTS)
  // The first one alone has more parts than that.
  return rows.read > 0 ? rows : rowsWithParts(scope, model, parts, ids.slice(0, 1), ANY_NUMBER)
}

async function rowsWithParts<Row extends Versioned, Whole>(
  scope: SnapshotScope,
  model: ModelOf<Row>,
  { all, group }: Parts<Row, Whole>,
  ids: string[],
  most: number,
): Promise<WholeRows<Whole>> {
  const { one, many } = findersOf(model)
  // For one id PostgreSQL can keep a plan; where an array is sent, whose length it knows only then, it plans each time.
  const [head, given, sql] =
    ids.length === 1
      ? [one.bound(scope, ids[0]!), ids[0], 'ARRAY[$2::uuid]']
      : [many.bound(scope, ids), ids, '$2::uuid[]']
  const [found, ...parts] = (await scope.database.snapshot([
    head,
    ...all.map((part, place): BoundStatement => {
      const name = `parts ${place} of ${model.name}, ${most}, by ${sql}`
      return [{ name, text: part.text(sql, most + 1) }, [scope.orgId, given]]
    }),
  ])) as [(Row & RowVersion)[], ...Record<string, unknown>[][]]
  const rowOf = new Map(found.map((row) => [row.id, row]))
  const read = Math.min(...all.map(({ by }, place) => completeIn(ids, parts[place]!, by, most)))
  const rows = ids.slice(0, read).flatMap((id) => rowOf.get(id) ?? [])
  return { rows, whole: group(rows, parts), read }
}

// Of the last row that has parts there may be more.
function completeIn(ids: string[], parts: Record<string, unknown>[], by: string, most: number): number {
  return parts.length <= most ? ids.length : ids.indexOf(parts.at(-1)![by] as string)
}

// A row that changes gets another xmin. PostgreSQL uses their numbers again after four thousand million transactions, and
// after a failover that lost some; the row's own version and time are then others.
const versionIn = ({ name }: AnyModel): [ReturnType<typeof literal>, string] => [
  literal(`concat("${name}".xmin, ' ', "${name}"."version", ' ', "${name}"."last_modified_time")`),
  'row_version',
]

interface VersionFinders<Row extends object> {
  version: Finder<Scope, RowVersion, [id: string]>
  one: Finder<Scope, Row & RowVersion, [id: string]>
  many: Finder<Scope, Row & RowVersion, [ids: string[]]>
}

const byModel = new Map<string, VersionFinders<Versioned>>()

function findersOf<Row extends Versioned>(model: ModelOf<Row>): VersionFinders<Row> {
  let made = byModel.get(model.name)
  if (!made) byModel.set(model.name, (made = versionFinders(model)))
  return made as VersionFinders<Row>
}

function versionFinders(model: ModelOf<Versioned>): VersionFinders<Versioned> {
  const version = versionIn(model)
  return {
    version: finder<Versioned, [string]>(model, (id) => ({
      attributes: ['id', version],
      where: { id: is(id) },
    })) as never,
    one: finder<Versioned, [string]>(model, (id) => ({
      attributes: { include: [version] },
      where: { id: is(id) },
    })) as never,
    many: finder<Versioned, [string[]]>(model, (ids) => ({
      attributes: { include: [version] },
      where: { id: among(ids) },
    })) as never,
  }
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
