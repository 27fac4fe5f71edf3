// Columns, rows and paragraphs of a template that print on a condition, which a designer writes inside them.

const MARKER = /\{[^{}]*:(show|hide)(Begin|End)\}/g

interface Condition {
  begin: string
  end: string
}

/** The condition that a text is under as a whole: it begins with its first marker, and ends with the marker that closes it. */
function conditionOf(xml: string): Condition | null {
  const text = xml.replace(/<[^>]*>/g, '').trim()
  const markers = [...text.matchAll(MARKER)]
  const [first] = markers
  const last = markers.at(-1)
  if (!first || !last || first.index !== 0 || last.index + last[0].length !== text.length) return null
  let open = 0
  for (const [place, [, , edge]] of markers.entries()) {
    open += edge === 'Begin' ? 1 : -1
    if (open === 0 && place < markers.length - 1) return null
  }
  return open === 0 ? { begin: first[0], end: last[0] } : null
}

function without(xml: string, { begin, end }: Condition): string {
  const rest = xml.replace(begin, '')
  const place = rest.lastIndexOf(end)
  return rest.slice(0, place) + rest.slice(place + end.length)
}

const around = (xml: string, condition: Condition | null | undefined) =>
  condition ? condition.begin + xml + condition.end : xml

// The engine would leave the element empty where it stands: an empty line, a row of empty cells.
const outside = (xml: string) => {
  const condition = conditionOf(xml)
  return condition ? around(without(xml, condition), condition) : xml
}

const PARAGRAPH = /<text:(p|h)(?: [^>]*[^/>])?>(?:(?!<text:[ph]\b)[\s\S])*?<\/text:\1>/g
// A table that has no other one in it; its columns come before its rows.
const TABLE = /<table:table (?:(?!<table:table )[\s\S])*?<\/table:table>/g
const COLUMNS = /(?:<table:table-column\b[^>]*\/>)+/
const ROW = /<table:table-row\b[^>]*>(?:(?!<\/table:table-row>)[\s\S])*<\/table:table-row>/g
const CELL =
  /<table:table-cell\b[^>]*\/>|<table:table-cell\b[^>]*>(?:(?!<\/table:table-cell>)[\s\S])*<\/table:table-cell>/g

function expandedColumns(columns: string): string[] {
  return [...columns.matchAll(/<table:table-column\b[^>]*\/>/g)].flatMap(([column]) => {
    const repeated = / table:number-columns-repeated="(\d+)"/.exec(column)
    return Array<string>(Number(repeated?.[1] ?? 1)).fill(repeated ? column.replace(repeated[0], '') : column)
  })
}

/** A column is under the condition of its cell in the first row. */
function withColumns(table: string): string {
  const [first = ''] = table.match(ROW) ?? []
  const conditions = [...first.matchAll(CELL)].map(([cell]) => conditionOf(cell))
  if (!conditions.some(Boolean)) return table
  return table
    .replace(COLUMNS, (columns) =>
      expandedColumns(columns)
        .map((column, place) => around(column, conditions[place]))
        .join(''),
    )
    .replace(ROW, (row) => {
      // The row that tells the engine where the next entry begins is not printed.
      if (/^(?:\{[^{}]*\[i\+1\][^{}]*\})+$/.test(row.replace(/<[^>]*>/g, '').trim())) return row
      if (row.includes(' table:number-columns-spanned='))
        throw new Error('a table with columns on a condition has joined cells')
      let place = -1
      return row.replace(CELL, (cell) => {
        const condition = conditions[++place]
        return around(row === first && condition ? without(cell, condition) : cell, condition)
      })
    })
}

/** The document with conditions around what they hide as a whole. Markers are in one piece. */
export const conditionsOutside = (xml: string): string =>
  xml
    .replace(TABLE, withColumns)
    .replace(TABLE, (table) => table.replace(ROW, outside))
    .replace(PARAGRAPH, outside)
