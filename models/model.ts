// Defines models: each declares the columns of its table once, for Sequelize, for the unit of work, and for the types of its rows.
import {
  DataTypes,
  type Model,
  Op,
  Sequelize,
  type DataType,
  type ModelAttributeColumnOptions,
  type ModelScopeOptions,
  type ModelStatic,
} from 'sequelize'

declare const valueType: unique symbol

/** A column as Sequelize defines it, with the type of its values. A `generated` column is computed by PostgreSQL, and only read. */
export type Column<Value> = ModelAttributeColumnOptions & { readonly [valueType]?: Value; readonly generated?: true }
type Columns = Record<string, Column<unknown>>

/** The rows of a model, as the driver reads them and the unit of work writes them. */
export type RowOf<Defined> =
  Defined extends ModelOf<infer Row>
    ? Row
    : { [Name in keyof Defined]: Defined[Name] extends { readonly [valueType]?: infer Value } ? Value : never }

const column = <Value>(type: DataType): Column<Value> => ({ type, allowNull: false })

export const UUID = column<string>(DataTypes.UUID)
export const UUIDS = column<string[]>(DataTypes.ARRAY(DataTypes.UUID))
export const TEXT = column<string>(DataTypes.TEXT)
export const TEXTS = column<string[]>(DataTypes.ARRAY(DataTypes.TEXT))
export const INTEGER = column<number>(DataTypes.INTEGER)
/** An amount in minor units. */
export const MINOR = column<bigint>(DataTypes.BIGINT)
/** A count that may outgrow an integer. */
export const BIG_INTEGER = column<bigint>(DataTypes.BIGINT)
/** Decimal text, so that no digit is lost. */
export const DECIMAL = column<string>(DataTypes.DECIMAL)
/** A measured number, where the last digit does not matter. */
export const NUMBER = column<number>(DataTypes.DOUBLE)
export const BOOLEAN = column<boolean>(DataTypes.BOOLEAN)
/** A calendar date as text: it has no time zone. */
export const DATE = column<string>(DataTypes.DATEONLY)
export const TIME = column<Date>(DataTypes.DATE)
/** Written as `\x` and hexadecimal digits. */
export const BYTES = column<string>(DataTypes.BLOB)
/** Text that is one of a few words. */
export const textOf = <Word extends string>() => column<Word>(DataTypes.TEXT)
export const json = <Value>() => column<Value>(DataTypes.JSONB)
export const orNull = <Value>(one: Column<Value>): Column<Value | null> => ({ ...one, allowNull: true })
export const generated = <Value>(one: Column<Value>): Column<Value> => ({ ...one, generated: true })

/** The columns of a record that counts its versions: `books.create` sets them, `books.change` updates them. */
export const VERSIONED = { version: INTEGER, created_time: TIME, last_modified_time: TIME }

/**
 * A defined model, without Sequelize's own finders: rows are read through find.ts, which requires the organisation.
 */
export interface AnyModel {
  /** The table's name. */
  readonly name: string
  /** The columns that a statement may write. */
  readonly columns: readonly string[]
  /** The columns that PostgreSQL computes. */
  readonly generated: readonly string[]
  /** The columns of the primary key. */
  readonly key: readonly string[]
}

/**
 * The columns of a table for a SELECT, each after the alias. A prepared statement names its columns: one that returns `*` is
 * refused on its connection from the migration on that adds a column.
 */
export const columnsOf = ({ columns, generated }: AnyModel, alias: string): string =>
  [...columns, ...generated].map((column) => `${alias}.${column}`).join(', ')

/** The columns of a row by which it is found within its organisation, with their values. */
export function keyOf(model: AnyModel, row: object): object {
  const columns = model.key.filter((column) => column !== 'org_id')
  return Object.fromEntries(columns.map((column) => [column, (row as Record<string, unknown>)[column]]))
}

export interface ModelOf<Row extends object> extends AnyModel {
  /** Never set; it carries the type of the rows. */
  readonly row?: Row
}

/** The option by which find.ts sends the SQL of a finder. */
interface Sent {
  send?: (sql: string) => Promise<object[]>
}

/**
 * The models write SQL and have no connection of their own: find.ts passes one, and with it the organisation. A finder that
 * is called without them throws and sends nothing.
 */
class Models extends Sequelize {
  override query(sql: string | { query: string; values: unknown[] }, options: object = {}): Promise<never> {
    const { send } = options as Sent
    if (!send || typeof sql !== 'string') throw new Error('a model is read through find.ts, within an organisation')
    return send(sql) as Promise<never>
  }
}

const sequelize = new Models({ dialect: 'postgres' })

export interface ModelOptions {
  /** The columns of the primary key. */
  key?: string[]
  /** Sequelize's named scopes, beside the one of the organisation. */
  scopes?: ModelScopeOptions
}

/** Defines the model of a table; a test compares it with the migrated schema. */
export function model<Defined extends Columns>(
  name: string,
  columns: Defined,
  { key = ['org_id', 'id'], scopes = {} }: ModelOptions = {},
): ModelOf<RowOf<Defined>> {
  const names = Object.keys(columns)
  const attributes = Object.fromEntries(
    names.map((name) => [name, { ...columns[name]!, primaryKey: key.includes(name) }]),
  )
  const defined = sequelize.define(name, attributes, {
    tableName: name,
    timestamps: false,
    // The conditions of a scope are added to those of a query, and never replaced by them.
    whereMergeStrategy: 'and',
    scopes: names.includes('org_id') ? { ...scopes, organization: ofOrganization } : scopes,
  })
  const isGenerated = (name: string) => columns[name]!.generated === true
  return Object.assign(defined, {
    columns: names.filter((name) => !isGenerated(name)),
    generated: names.filter(isGenerated),
    key,
  }) as unknown as ModelOf<RowOf<Defined>>
}

const ofOrganization = (orgId: unknown) => ({ where: { org_id: { [Op.eq]: orgId } } })

/** Every model defined so far. */
export const models = (): AnyModel[] => Object.values(sequelize.models) as unknown as AnyModel[]

/** Sequelize's model: only for find.ts and the test of the schema. */
export const sequelizeModelOf = (one: AnyModel) => one as unknown as ModelStatic<Model>
