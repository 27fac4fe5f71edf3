// Reads the commands of a document as an operator would copy them: whole, from its `sh` blocks, and those within sentences.
import { fencesOf, textOf } from '../docs/examples.ts'

export interface Command {
  document: string
  line: number
  /** The heading above it. */
  section: string
  /** As it is printed. */
  text: string
}

/** The commands of the document's `sh` blocks, in their order; lines that are comments alone are left out. */
export function commandsOf(document: string): Command[] {
  return fencesOf(document)
    .filter(({ info }) => info[0] === 'sh')
    .flatMap(({ line, text }) => {
      const commands: Command[] = []
      let open: string[] = []
      for (const [at, words] of text.trimEnd().split('\n').entries()) {
        if (open.length === 0 && /^\s*(#|$)/.test(words)) continue
        open.push(words)
        if (!isWhole(open)) continue
        commands.push({ document, line: line + at + 2 - open.length, section: sectionAt(document, line), text: open.join('\n') })
        open = []
      }
      if (open.length > 0) throw new Error(`${document}:${line}: the last command is not whole`)
      return commands
    })
}

// A command goes on after a backslash, a pipe, within quotes, and until the end of a here-document.
function isWhole(lines: string[]): boolean {
  const all = lines.join('\n')
  const word = /<<'?(\w+)'?$/m.exec(all)?.[1]
  if (word !== undefined) return lines.at(-1) === word
  if (/[\\|]\s*$/.test(all)) return false
  const quotes = all.replaceAll(/\\./g, '').matchAll(/'[^']*('?)|"[^"]*("?)|#.*$/gm)
  return [...quotes].every(([part, single, double]) => part.startsWith('#') || Boolean(single || double))
}

function sectionAt(document: string, line: number): string {
  const above = textOf(document).split('\n').slice(0, line - 1).join('\n').replaceAll(/^```[\s\S]*?^```$/gm, '')
  return [...above.matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? ''
}

// A program, perhaps with settings before it.
const PROGRAM = /^([A-Z_]+=\S* )*(npm|npx|node|docker|temporal|psql|pg_\w+|ssh|curl|openssl|promtool|hledger|bash|sh) (?!\d)/

/** The commands within sentences and tables, such as `npm run audit`; each once. */
export function commandsInSentences(document: string): string[] {
  const prose = textOf(document).replaceAll(/^```[\s\S]*?^```$/gm, '')
  const said = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, words]) => words!).filter((words) => PROGRAM.test(words))
  return [...new Set(said)]
}
