// Widens columns whose figures would break, and sets figures smaller where a table has no room left: crores stay in one piece.
import type { Letters, TableLooks } from './table-looks.ts'

/** The smallest letters of figures, as a part of those of the template. */
const SMALLEST = 0.6
const STEP = 0.02
/** The longest word of a text that a column is kept wide enough for; a longer one breaks, in millimetres. */
const LONGEST_WORD_MM = 24
/** What measuring may be wrong by. */
const SLACK_MM = 0.3

// Widths in Noto Sans, in parts of the size of the letters; what is not named is as wide as a wide letter.
const WIDTHS: [RegExp, number][] = [
  [/[0-9₹]/, 0.572],
  [/[.,:;'|ilIjft()]/, 0.31],
  [/[- ]/, 0.33],
  [/[a-z]/, 0.62],
  [/[%A-Z]/, 0.83],
]
const BOLDER = 1.07
const MM_OF_POINT = 25.4 / 72

// A figure may have its unit behind it; a text that merely begins with a number breaks as others do.
const FIGURE = /^[-+]?\d[\d,]*(?:\.\d+)?%?$/
const MONEY = /^(?:₹|[A-Z]{3}) [-+]?\d[\d,]*(?:\.\d+)?$/

interface Column {
  now: number
  padding: number
  figures: number
  words: number
}

interface Table {
  start: number
  end: number
  width: number
  columns: string[]
  /** The styles of paragraphs that hold figures and nothing else. */
  ofFigures: Set<string>
  measured: Column[]
}

const COLUMNS = /(?:<table:table-column\b[^>]*\/>)+/

/** The merged document; the same where every figure has the room that it needs. */
export function withFittedColumns(xml: string, looks: TableLooks): string {
  const tables = innermost(xml).flatMap(([start, end]) => measuredTable(xml, [start, end], looks) ?? [])
  const styles: string[] = []
  // Tables of the same columns stand one below the other with lines through both, so they change together.
  const groups = Map.groupBy(
    tables,
    ({ columns, width }) => `${width} ${columns.map((one) => looks.columns.get(one)).join(' ')}`,
  )
  const changes = [...groups.values()].flatMap((group, place) => {
    const fitted = roomFor(group)
    if (fitted === null) return []
    const name = `Fitted${place + 1}`
    styles.push(...columnStyles(name, fitted.widths), ...smallerStyles(name, group, fitted.scale, looks))
    return group.map((table) => ({ table, text: rewritten(xml, table, name, fitted.scale) }))
  })
  if (changes.length === 0) return xml
  return placed(xml, changes).replace('</office:automatic-styles>', `${styles.join('')}</office:automatic-styles>`)
}

// Where the tables begin and end that have no other table in them.
function innermost(xml: string): [start: number, end: number][] {
  const found: [number, number][] = []
  let open = -1
  for (const { 0: tag, index } of xml.matchAll(/<table:table |<\/table:table>/g)) {
    if (tag.startsWith('</')) {
      if (open >= 0) found.push([open, index + tag.length])
      open = -1
    } else open = index
  }
  return found
}

function measuredTable(xml: string, [start, end]: [number, number], looks: TableLooks): Table | null {
  const text = xml.slice(start, end)
  const [, style = ''] = / table:style-name="([^"]*)"/.exec(text) ?? []
  const [listed = ''] = COLUMNS.exec(text) ?? []
  const columns = [...listed.matchAll(/ table:style-name="([^"]*)"/g)].map(([, name]) => name!)
  const width = looks.tables.get(style)
  const known = columns.map((name) => looks.columns.get(name) ?? 0)
  const sum = known.reduce((all, one) => all + one, 0)
  // Joined cells and repeated columns are not ours; a template of others keeps its own widths.
  if (!width || known.includes(0) || columns.length < 2 || /-(?:spanned|repeated)=/.test(text)) return null
  const measured = known.map((one): Column => ({ now: (one * width) / sum, padding: 0, figures: 0, words: 0 }))
  const ofFigures = new Set<string>()
  measureCells(text, looks, { measured, ofFigures })
  return { start, end, width, columns, ofFigures, measured }
}

const ROW_OR_CELL =
  /<table:table-row\b|<table:table-cell table:style-name="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/table:table-cell>)/g
const PARAGRAPH = /<text:p text:style-name="([^"]*)"[^>]*>([\s\S]*?)<\/text:p>/g

function measureCells(
  text: string,
  looks: TableLooks,
  { measured, ofFigures }: Pick<Table, 'measured' | 'ofFigures'>,
): void {
  let place = -1
  for (const [tag, style, content = ''] of text.matchAll(ROW_OR_CELL)) {
    place = style === undefined && !tag.startsWith('<table:table-cell') ? -1 : place + 1
    const column = measured[place]
    if (!column) continue
    column.padding = Math.max(column.padding, looks.paddings.get(style ?? '') ?? 0)
    for (const [, name = '', inner = ''] of content.matchAll(PARAGRAPH)) {
      const letters = looks.letters.get(name)
      if (letters && inner !== '') measureText(plain(inner), letters, column, () => ofFigures.add(name))
    }
  }
}

const plain = (xml: string) =>
  xml
    .replaceAll(/<text:(?:line-break|tab|s)\/>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&[a-z]+;/g, '&')
    .trim()

function measureText(text: string, letters: Letters, column: Column, onFigures: () => void): void {
  if (MONEY.test(text)) {
    onFigures()
    column.figures = Math.max(column.figures, lengthIn(text, letters))
    return
  }
  const words = text.split(' ')
  const isFigures = FIGURE.test(words[0]!) && (words.length === 1 || (words.length === 2 && /[.,]/.test(words[0]!)))
  if (isFigures) onFigures()
  for (const word of words) {
    if (isFigures && FIGURE.test(word)) column.figures = Math.max(column.figures, lengthIn(word, letters))
    else column.words = Math.max(column.words, Math.min(lengthIn(word, letters), LONGEST_WORD_MM))
  }
}

function lengthIn(text: string, { points, isBold }: Letters): number {
  let parts = 0
  for (const character of text)
    parts += (WIDTHS.find(([of]) => of.test(character))?.[1] ?? 0.85) * (isBold && !/\d/.test(character) ? BOLDER : 1)
  return parts * points * MM_OF_POINT + SLACK_MM
}

/** The widths that all figures of the tables fit into, and the size of their letters; null where they fit already. */
function roomFor(group: Table[]): { widths: number[]; scale: number } | null {
  const [{ width, measured }] = group as [Table]
  const columns = measured.map((_, place): Column => {
    const most = (of: keyof Column) => Math.max(...group.map((table) => table.measured[place]![of]))
    return { now: most('now'), padding: most('padding'), figures: most('figures'), words: most('words') }
  })
  const need = (scale: number) =>
    columns.map(({ padding, figures, words }) => padding + Math.max(figures * scale, words))
  const isShort = columns.some(({ now, padding, figures }) => figures > 0 && padding + figures > now)
  if (!isShort) return null
  let scale = 1
  while (scale > SMALLEST && total(need(scale)) > width) scale -= STEP
  const needed = need(scale)
  const spare = columns.map(({ now }, place) => Math.max(now - needed[place]!, 0))
  const left = width - total(needed)
  // Too little for all is shared as it is needed; what is left goes to those that have had more.
  if (left <= 0 || total(spare) === 0) return { scale, widths: needed.map((one) => (one * width) / total(needed)) }
  return { scale, widths: needed.map((one, place) => one + (left * spare[place]!) / total(spare)) }
}

const total = (lengths: number[]) => lengths.reduce((sum, one) => sum + one, 0)

function columnStyles(name: string, widths: number[]): string[] {
  const all = total(widths)
  return widths.map((width, place) => {
    const relative = Math.round((width / all) * 65_535)
    const properties = `<style:table-column-properties style:column-width="${width.toFixed(2)}mm" style:rel-column-width="${relative}*"/>`
    return `<style:style style:name="${name}.${place + 1}" style:family="table-column">${properties}</style:style>`
  })
}

function smallerStyles(name: string, group: Table[], scale: number, looks: TableLooks): string[] {
  if (scale === 1) return []
  const styles = new Set(group.flatMap(({ ofFigures }) => [...ofFigures]))
  return [...styles].map((style) => {
    const size = `${(looks.letters.get(style)!.points * scale).toFixed(2)}pt`
    const properties = `<style:text-properties fo:font-size="${size}" style:font-size-asian="${size}" style:font-size-complex="${size}"/>`
    return `<style:style style:name="${name}.${style}" style:family="paragraph" style:parent-style-name="${style}">${properties}</style:style>`
  })
}

function rewritten(xml: string, { start, end, columns, ofFigures }: Table, name: string, scale: number): string {
  const listed = columns.map((_, place) => `<table:table-column table:style-name="${name}.${place + 1}"/>`).join('')
  const text = xml.slice(start, end).replace(COLUMNS, listed)
  if (scale === 1) return text
  return text.replace(/<text:p text:style-name="([^"]*)"/g, (paragraph, style: string) =>
    ofFigures.has(style) ? `<text:p text:style-name="${name}.${style}"` : paragraph,
  )
}

function placed(xml: string, changes: { table: Table; text: string }[]): string {
  let [result, from] = ['', 0]
  for (const { table, text } of changes.sort((one, other) => one.table.start - other.table.start)) {
    result += xml.slice(from, table.start) + text
    from = table.end
  }
  return result + xml.slice(from)
}
