// What `npm run sql` prints of an answer of PostgreSQL: a table of its rows, a line of CSV, or how many rows were changed.
import { onOneLine } from '../one-line.ts'

/** As pg has it. */
export interface Answer {
  command: string
  rowCount: number | null
  fields: { name: string; dataTypeID: number }[]
}

// int8, int2, int4, oid, float4, float8, numeric.
const NUMBERS = new Set([20, 21, 23, 26, 700, 701, 1700])

/** The lines of an answer; `rows` are those that are shown, which may be fewer than it has. */
export function linesOf({ command, rowCount, fields }: Answer, rows: (string | null)[][]): string[] {
  if (fields.length === 0) return command ? [rowCount === null ? command : `${command}: ${counted(rowCount)}`] : []
  const all = rowCount ?? rows.length
  const some = rows.length < all ? `, of which the first ${rows.length} are shown` : ''
  const change = command === 'SELECT' || command === 'SHOW' || command === 'EXPLAIN' ? '' : `${command}: `
  return [...table(fields, rows), change === '' ? `(${counted(all)}${some})` : `${change}${counted(all)}${some}`]
}

const counted = (rows: number) => (rows === 1 ? '1 row' : `${rows} rows`)

function table(fields: Answer['fields'], rows: (string | null)[][]): string[] {
  const names = fields.map(({ name }) => name)
  const cells = rows.map((row) => row.map((value) => onOneLine(value ?? '')))
  const widths = names.map((name, at) => cells.reduce((widest, row) => Math.max(widest, row[at]!.length), name.length))
  const isNumber = fields.map(({ dataTypeID }) => NUMBERS.has(dataTypeID))
  const padded = (value: string, at: number) => (isNumber[at] ? value.padStart(widths[at]!) : value.padEnd(widths[at]!))
  return [names, null, ...cells].map((row) =>
    row === null ? widths.map((width) => '-'.repeat(width)).join('-+-') : row.map(padded).join(' | ').trimEnd(),
  )
}

export const csvLine = (values: (string | null)[]): string =>
  values
    .map((value) => (value === null ? '' : /[",\r\n]|^$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value))
    .join(',')
