// Text of users on its way through the template engine: it prints as it was written, whatever it contains.

// What XML cannot hold, noncharacters (some are used below), and controls of direction that would reach beyond their own text.
const UNPRINTABLE = /(?![\t\n])\p{Cc}|[\u202A-\u202E\u2066-\u2069\uFDD0-\uFDEF\uFFFE\uFFFF]/gu
// The engine leaves these as they are; nobody can send them, because the pattern above removes them.
const LINE_BREAK = '\uFDD0'
const TAB = '\uFDD1'
const SPACE = '\uFDD2'
const QUOTE = '\uFDD3'
const NOTHING = '\uFDD4'

const literalText = (text: string) =>
  text
    .toWellFormed()
    .replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
    .replace(UNPRINTABLE, '')
    // Spaces at either end, and all but the first of several, vanish from a paragraph of OpenDocument.
    .replace(/^ | (?=[ \n\t]|$)|(?<=[\n\t]) /g, SPACE)
    .replaceAll('\n', LINE_BREAK)
    .replaceAll('\t', TAB)
    // The engine escapes what ends a text, and not what ends an attribute.
    .replaceAll('"', QUOTE)
    // The engine's own name of a row's number: it is counted wherever it stands in a row.
    .replaceAll('__COUNT_', `__COUNT${NOTHING}_`)

// About 150 pages. A body of 2 MB has room for a million, which would occupy the engine of PDFs for minutes.
const MOST_LINE_BREAKS = 10_000

/** The same data with every string in a form that survives the merge; `printedText` ends it. Line breaks beyond 10,000 become spaces. */
export function literalData<Data>(data: Data): Data {
  let breaks = 0
  const literal = (value: unknown): unknown => {
    if (typeof value === 'string')
      return literalText(value).replaceAll(LINE_BREAK, () => (++breaks > MOST_LINE_BREAKS ? ' ' : LINE_BREAK))
    if (Array.isArray(value)) return value.map(literal)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, literal(one)]))
  }
  return literal(data) as Data
}

const ELEMENTS: Record<string, string> = {
  [LINE_BREAK]: '<text:line-break/>',
  [TAB]: '<text:tab/>',
  [SPACE]: '<text:s/>',
}
const flat = (text: string) => text.replace(/[\uFDD0-\uFDD2]/g, ' ')

/** A merged document with line breaks, tabs, spaces and quotes as OpenDocument writes them. */
export function printedText(xml: string): string {
  return (
    xml
      // Attributes, titles and descriptions hold no elements.
      .replace(/<[^<>]*[\uFDD0-\uFDD2][^<>]*>/g, flat)
      .replace(/<(dc:[a-z]+|svg:title|svg:desc|meta:[a-z-]+)(?: [^<>]*)?>[^<]*/g, flat)
      .replace(/[\uFDD0-\uFDD2]/g, (sign) => ELEMENTS[sign] ?? '')
      .replaceAll(QUOTE, '&quot;')
      .replaceAll(NOTHING, '')
  )
}
