// Makes the text of users printable: what XML cannot hold is left out, and what would fill books is cut.

// XML 1.0 allows no other control characters than tab and line feed, no halves of surrogate pairs, and not the last two
// characters of the basic plane.
const UNPRINTABLE = /[^\P{Control}\n]|\p{Surrogate}|[\ufffe\uffff]/gu
const LINE_ENDS = /\r\n?|[\v\f\u0085\u2028\u2029]/g

/** What ends a text that was cut. */
export const CUT_MARK = '… (shortened)'

/** The bounds of a text, in characters and in lines. */
export interface TextBounds {
  characters: number
  lines: number
}

/** A name, a number, a label: one line. */
const ONE_LINE = 300
export const PARAGRAPH_BOUNDS: TextBounds = { characters: 6_000, lines: 120 }
export const DESCRIPTION_BOUNDS: TextBounds = { characters: 2_000, lines: 30 }

/** Text as one line: line breaks become spaces; '' for null. Longer text is cut, and says so. */
export function printableLine(text: string | null | undefined): string {
  return cut(
    printable(text)
      .replace(/\s*\n\s*/g, ' ')
      .trim(),
    ONE_LINE,
  )
}

/** Text that may have line breaks, within its bounds; '' for null. */
export function printableLines(text: string | null | undefined, { characters, lines }: TextBounds): string {
  const all = printable(text).trim().split('\n')
  const kept = all.slice(0, lines).join('\n')
  return all.length > lines
    ? `${cut(kept, characters - CUT_MARK.length - 1).replace(/\n+$/, '')}\n${CUT_MARK}`
    : cut(kept, characters)
}

/** The lines of a text, each a paragraph. Empty lines between them are left out. */
export function paragraphs(text: string | null | undefined): { text: string }[] {
  return printableLines(text, PARAGRAPH_BOUNDS)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => ({ text: line }))
}

/** How many lines a text fills at least in a column of that many characters. */
export function linesFilled(text: string, column: number): number {
  return text.split('\n').reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / column)), 0)
}

function printable(text: string | null | undefined): string {
  return (text ?? '').replace(LINE_ENDS, '\n').replaceAll('\t', ' ').replace(UNPRINTABLE, '')
}

// Never in the middle of a character, and of a Devanagari or Tamil one with its vowel signs.
function cut(text: string, characters: number): string {
  if (text.length <= characters) return text
  let kept = ''
  for (const { segment } of SEGMENTS.segment(text.slice(0, characters))) {
    if (kept.length + segment.length > characters - CUT_MARK.length) break
    kept += segment
  }
  return `${kept.trimEnd()}${CUT_MARK}`
}

const SEGMENTS = new Intl.Segmenter('und', { granularity: 'grapheme' })
