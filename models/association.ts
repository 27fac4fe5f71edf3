// Associations: rows that belong to a row of another model, such as the lines of a document, are read with it, in their order.
import type { WhereOptions } from 'sequelize'
import type { BoundStatement } from './connection.ts'
import { among, findRows, queryRow, finder, type Finder, type Lock, type Scope } from './find.ts'
import { sequelizeModelOf, type ModelOf } from './model.ts'
import { partOf, type Parts } from './whole-rows.ts'

interface Owner {
  org_id: string
  id: string
}
type Versioned = Owner & { version: number }
type Owning<Row, Name extends string, Part> = Row & { [Of in Name]: Part[] }

export interface HasMany<Row extends object, Name extends string, Part extends object> {
  /** The parts of these rows, grouped by row. */
  of: Finder<Scope, Part, [ids: string[]]>
  /**
   * The row with its parts, in one round trip, or null. With a lock, the row is locked before its parts are read; without
   * one, a row that changed between the two statements is read again.
   */
  findWith(scope: Scope, id: string, lock?: Lock): Promise<Owning<Row, Name, Part> | null>
  /** Adds their parts to many rows, in one round trip, as withParts does. */
  addTo(scope: Scope, rows: (Row & Versioned)[]): Promise<Owning<Row & Versioned, Name, Part>[]>
  /** For a page of rows with their parts. */
  parts: Parts<Row & Versioned, Owning<Row & Versioned, Name, Part>>
  /** The same for parts that were read already. */
  group<Found extends { id: string }>(rows: Found[], parts: Part[]): Owning<Found, Name, Part>[]
}

/**
 * Associates: `parts` belong to a row of `owner` by the column `by`, in the order of the columns `order`. Sequelize's own
 * `include` is not used: a document with three lines takes it five times as long (1.5 ms of CPU for 0.28), a page of fifty twice.
 */
export function hasMany<Row extends Owner, Name extends string, Part extends { org_id: string }>(
  owner: ModelOf<Row>,
  as: Name,
  parts: ModelOf<Part>,
  { by, order }: { by: keyof Part & string; order: (keyof Part & string)[] },
): HasMany<Row, Name, Part> {
  const { target, foreignKey } = sequelizeModelOf(owner).hasMany(sequelizeModelOf(parts), {
    as,
    foreignKey: by,
    sourceKey: 'id',
    constraints: false,
  })
  const of = finder<Part, [string[]]>(target as unknown as ModelOf<Part>, (ids) => ({
    where: { [foreignKey]: among(ids) } as WhereOptions,
    order: [foreignKey, ...order],
  }))
  const group = <Found extends { id: string }>(rows: Found[], found: Part[]) => {
    const partsOf = Map.groupBy(found, (part) => part[by])
    return rows.map((row) => ({ ...row, [as]: partsOf.get(row.id as never) ?? [] }) as Owning<Found, Name, Part>)
  }
  const addTo = (scope: Scope, rows: (Row & Versioned)[]) =>
    withParts(scope, owner as ModelOf<Row & Versioned>, rows, {
      statements: (ids) => [of.bound(scope, ids)],
      group: (found, [read]) => group(found, read as Part[]),
    })
  const isVersioned = owner.columns.includes('version')
  return {
    of,
    group,
    addTo,
    parts: { all: [partOf(parts, by, order)], group: (rows, [found]) => group(rows, found as Part[]), addTo },
    async findWith(scope, id, lock = '') {
      const queries = [queryRow(scope, owner, id, lock), of.bound(scope, [id])]
      if (lock === '' && isVersioned) queries.push(versionsOf(owner as ModelOf<Row & Versioned>).bound(scope, [id]))
      const [rows, found, versions] = (await scope.connection.runAll(queries)) as [Row[], Part[], Versioned[]?]
      if (versions && rows[0] && (rows[0] as Row & Versioned).version !== versions[0]?.version) {
        return (await addTo(scope, await findRows(scope, owner as ModelOf<Row & Versioned>, [id])))[0] ?? null
      }
      return group(rows, found)[0] ?? null
    },
  }
}

/** The statements that read the parts of rows, and how their results are added to the rows. */
interface Reading<Row, Whole> {
  statements(ids: string[]): BoundStatement[]
  group(rows: Row[], parts: unknown[][]): Whole[]
}

/**
 * Adds their parts to rows, in one round trip, so that each row and its parts are of one moment. A row that was read before
 * may have changed since, and its parts with it: its version, read after the parts, shows that. Rows that have changed are
 * read again; rows that were deleted are left out.
 */
export async function withParts<Row extends Versioned, Whole extends Owner>(
  scope: Scope,
  owner: ModelOf<Row>,
  rows: Row[],
  parts: Reading<Row, Whole>,
): Promise<Whole[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const found = await scope.connection.runAll([...parts.statements(ids), versionsOf(owner).bound(scope, ids)])
  const versions = new Map((found.pop() as Versioned[]).map(({ id, version }) => [id, version]))
  const [same, changed] = [true, false].map((as) =>
    rows.filter(({ id, version }) => (versions.get(id) === version) === as),
  ) as [Row[], Row[]]
  const whole = parts.group(same, found)
  if (changed.length === 0) return whole
  const again = await withParts(
    scope,
    owner,
    await findRows(
      scope,
      owner,
      changed.map(({ id }) => id),
    ),
    parts,
  )
  const wholeOf = new Map([...whole, ...again].map((one) => [one.id, one]))
  return ids.flatMap((id) => wholeOf.get(id) ?? [])
}

const versions = new Map<string, Finder<Scope, Versioned, [ids: string[]]>>()

function versionsOf<Row extends Versioned>(owner: ModelOf<Row>): Finder<Scope, Versioned, [ids: string[]]> {
  let made = versions.get(owner.name)
  if (!made) {
    versions.set(
      owner.name,
      (made = finder<Versioned, [string[]]>(owner, (ids) => ({
        attributes: ['id', 'version'],
        where: { id: among(ids) },
      }))),
    )
  }
  return made
}
