// How a table is declared: its columns once, for the Sequelize model and for the statements that write it.
import { DataTypes, type ModelAttributes } from 'sequelize'

export const TYPES = {
  uuid: DataTypes.UUID,
  uuids: DataTypes.ARRAY(DataTypes.UUID),
  text: DataTypes.TEXT,
  texts: DataTypes.ARRAY(DataTypes.TEXT),
  integer: DataTypes.INTEGER,
  minor: DataTypes.BIGINT,
  decimal: DataTypes.DECIMAL,
  boolean: DataTypes.BOOLEAN,
  date: DataTypes.DATEONLY,
  time: DataTypes.DATE,
  json: DataTypes.JSONB,
  bytes: DataTypes.BLOB,
} as const

type ColumnType = keyof typeof TYPES

/** The columns of a row type, with their types. */
export type Columns<Row> = { [Column in keyof Row & string]: ColumnType }

/** A declared table: `columns` are those a statement may write; `generated` ones are only read. */
export interface Table<Row> {
  name: string
  columns: (keyof Row & string)[]
  generated: (keyof Row & string)[]
  key: (keyof Row & string)[]
  attributes: ModelAttributes
  /** Never set; it carries the row's type. */
  row?: Row
}

/** Any declared table, where its rows do not matter. */
export type AnyTable = Omit<Table<object>, 'columns' | 'generated' | 'key'> & { columns: string[]; generated: string[]; key: string[] }

const declared = new Map<string, AnyTable>()

/**
 * Declares a table. Every row type has one declaration; a test holds it against the migrated schema.
 * `key` is the primary key, `(org_id, id)` unless said otherwise.
 */
export function table<Row extends object>(
  name: string,
  columns: Columns<Row>,
  { key = ['org_id', 'id'], generated = [] }: { key?: string[]; generated?: (keyof Row & string)[] } = {},
): Table<Row> {
  const names = Object.keys(columns) as (keyof Row & string)[]
  const attributes: ModelAttributes = {}
  for (const column of names) attributes[column] = { type: TYPES[columns[column]], primaryKey: key.includes(column) }
  const made: Table<Row> = {
    name,
    columns: names.filter((column) => !generated.includes(column)),
    generated,
    key: key as (keyof Row & string)[],
    attributes,
  }
  declared.set(name, made)
  return made
}

/** Every table declared so far, for the opening of the database. */
export function tables(): AnyTable[] {
  return [...declared.values()]
}
