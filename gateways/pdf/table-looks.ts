// What a template says of its tables: how wide columns are, how much cells keep free, and in which letters paragraphs are set.

/** The letters of a paragraph style. */
export interface Letters {
  points: number
  isBold: boolean
}

/** By the names of styles; lengths in millimetres. */
export interface TableLooks {
  tables: ReadonlyMap<string, number>
  columns: ReadonlyMap<string, number>
  /** Left and right together. */
  paddings: ReadonlyMap<string, number>
  letters: ReadonlyMap<string, Letters>
}

const STYLE =
  /<style:style\b[^>]*style:name="([^"]*)"[^>]*style:family="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/style:style>)/g
const MILLIMETRES: Record<string, number> = { mm: 1, cm: 10, in: 25.4, pt: 25.4 / 72 }

/** The length of an attribute in millimetres; null where there is none. */
function lengthOf(xml: string, attribute: string): number | null {
  const [, value, unit] = new RegExp(` ${attribute}="([0-9.]+)(mm|cm|in|pt)"`).exec(xml) ?? []
  return value === undefined || unit === undefined ? null : Number(value) * MILLIMETRES[unit]!
}

interface ParagraphStyle {
  parent: string | null
  points: number | null
  weight: string | null
}

/** Reads the styles of a template. */
export function tableLooks(xml: string): TableLooks {
  const [tables, columns, paddings] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  const paragraphs = new Map<string, ParagraphStyle>()
  for (const [whole, name = '', family, inner = ''] of xml.matchAll(STYLE)) {
    if (family === 'table') keep(tables, name, lengthOf(inner, 'style:width'))
    else if (family === 'table-column') keep(columns, name, lengthOf(inner, 'style:column-width'))
    else if (family === 'table-cell') paddings.set(name, paddingOf(inner))
    else if (family === 'paragraph') paragraphs.set(name, paragraphStyle(whole))
  }
  const letters = new Map([...paragraphs.keys()].map((name) => [name, lettersOf(paragraphs, name)]))
  return { tables, columns, paddings, letters }
}

function keep(lengths: Map<string, number>, name: string, length: number | null): void {
  if (length !== null) lengths.set(name, length)
}

function paddingOf(xml: string): number {
  const all = lengthOf(xml, 'fo:padding') ?? 0
  return (lengthOf(xml, 'fo:padding-left') ?? all) + (lengthOf(xml, 'fo:padding-right') ?? all)
}

function paragraphStyle(xml: string): ParagraphStyle {
  const [head = ''] = /<[^>]*>/.exec(xml) ?? []
  const points = / fo:font-size="([0-9.]+)pt"/.exec(xml)?.[1]
  return {
    parent: / style:parent-style-name="([^"]*)"/.exec(head)?.[1] ?? null,
    points: points === undefined ? null : Number(points),
    weight: / fo:font-weight="([^"]*)"/.exec(xml)?.[1] ?? null,
  }
}

const OTHERWISE: Letters = { points: 9, isBold: false }

// What a style does not say it has from its parent.
function lettersOf(styles: ReadonlyMap<string, ParagraphStyle>, name: string): Letters {
  let [points, weight]: [number | null, string | null] = [null, null]
  const seen = new Set<string>()
  for (let at: string | null = name; at !== null && !seen.has(at); at = styles.get(at)?.parent ?? null) {
    seen.add(at)
    points ??= styles.get(at)?.points ?? null
    weight ??= styles.get(at)?.weight ?? null
  }
  return { points: points ?? OTHERWISE.points, isBold: weight === 'bold' }
}
