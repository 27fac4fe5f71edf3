// A template of templates/, read and checked once, in the form that the engine takes.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { joinMarkers } from './carbone.ts'
import { extractFrames, type PictureFrame } from './picture-frames.ts'
import { conditionsOutside } from './conditions.ts'
import { tableLooks, type TableLooks } from './table-looks.ts'

export interface Template {
  xml: string
  frames: PictureFrame[]
  looks: TableLooks
}

const FOLDER = fileURLToPath(new URL('../../templates/', import.meta.url))

// Noncharacters, which no text of a user has (literal-text.ts).
const frameMark = (index: number) => `\uFDD5${index}\uFDD6`
export const FRAME_MARKS = /\uFDD5(\d+)\uFDD6/g

const MARKER_STYLE = 'Marker'

/** Paragraphs of the style Marker hold conditions and print nothing: their text is put between the paragraphs around them. */
function withoutMarkerParagraphs(xml: string): string {
  const names = new Set([MARKER_STYLE])
  for (const [style] of xml.matchAll(/<style:style\b[^>]*>/g)) {
    const [, name] = / style:name="([^"]*)"/.exec(style) ?? []
    if (name && style.includes(` style:parent-style-name="${MARKER_STYLE}"`)) names.add(name)
  }
  return xml.replace(
    /<text:p text:style-name="([^"]*)"[^>]*>((?:(?!<text:p\b|<\/text:p>)[\s\S])*)<\/text:p>/g,
    (paragraph, style: string, text: string) => (names.has(style) ? text.replace(/<[^>]*>/g, '') : paragraph),
  )
}

/** Throws where the text is no flat OpenDocument text. */
export function parseTemplate(text: string): Template {
  const start = text.indexOf('<office:document ')
  if (start < 0 || !text.includes('office:mimetype="application/vnd.oasis.opendocument.text"'))
    throw new Error('it is not a flat OpenDocument text')
  if (!/<office:body>[\s\S]*<\/office:body>\s*<\/office:document>\s*$/.test(text)) throw new Error('it is incomplete')
  const { xml, frames } = extractFrames(text.slice(start).replace(/<!--[\s\S]*?-->/g, ''), frameMark)
  const plain = xml
    // The engine joins and splits elements by their tags; white space between them only costs it time.
    .replace(/>[ \t]*[\r\n]\s*</g, '><')
    .replace(/<text:soft-page-break\/>/g, '')
  return { xml: conditionsOutside(joinMarkers(withoutMarkerParagraphs(plain))), frames, looks: tableLooks(plain) }
}

const read = new Map<string, Promise<Template>>()

/** The template of this name (`invoice-classic`). Rejects where there is none or it is none; the next call then reads again. */
export function readTemplate(name: string): Promise<Template> {
  const known = read.get(name)
  if (known !== undefined) return known
  const template = readFile(`${FOLDER}${name}.fodt`, 'utf8').then(parseTemplate)
  template.catch(() => read.delete(name))
  read.set(name, template)
  return template
}
