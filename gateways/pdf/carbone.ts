// Carbone, the engine that fills templates: its parser and builder alone, in memory.
import { createRequire } from 'node:module'

type Done = (error: unknown, xml: string | null) => void
interface Builder {
  buildXML(xml: string, data: object, options: object, done: Done): void
}
interface Preprocessor {
  preParseXML(xml: string, options: object): string
}

// Not Carbone's front door: loading that listens for signals, so that Ctrl-C ends no process any more, looks for LibreOffice
// on the disk, makes a folder for temporary files, and fails where two processes make it at once.
const carbone = createRequire(import.meta.url)
const builder = carbone('carbone/lib/builder.js') as Builder
const preprocessor = carbone('carbone/lib/preprocessor.js') as Preprocessor
const formatters: object = Object.assign(
  Object.create(null),
  carbone('carbone/formatters/condition.js'),
  carbone('carbone/formatters/string.js'),
)

// Whatever is printed is text by now; language and zone are named so that the machine's own never count.
const options = () => ({
  extension: 'odt',
  lang: 'en-in',
  timezone: 'Asia/Kolkata',
  translations: {},
  complement: {},
  existingVariables: [],
  formatters,
})

/** A template as the engine takes it: markers in one piece, although an editor has split them. */
export const joinMarkers = (template: string): string => preprocessor.preParseXML(template, options())

/** What `ask` hands to its callback. Rejects where that is an error, where `ask` throws, and where it never answers. */
export function answerWithin(timeoutMs: number, ask: (done: Done) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`the template engine did not answer within ${timeoutMs} ms`)),
      timeoutMs,
    )
    const settle: Done = (error, xml) => {
      clearTimeout(timer)
      if (error || xml === null) reject(error instanceof Error ? error : new Error(String(error)))
      else resolve(xml)
    }
    try {
      ask(settle)
    } catch (error) {
      settle(error, null)
    }
  })
}

/** The template with the data in place of its markers. Blocks the event loop meanwhile. Rejects where Carbone fails. */
export const fillMarkers = (template: string, data: object, timeoutMs: number): Promise<string> =>
  answerWithin(timeoutMs, (done) => builder.buildXML(template, data, options(), done))
