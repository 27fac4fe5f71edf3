// Reads the examples of a document, and runs them as a reader would: in order, the ids of earlier answers put in.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')

/** A call by curl, and the answer that the document shows for it. */
export interface Example {
  line: number
  method: string
  url: string
  headers: Record<string, string>
  body: string | null
  /** The fields of a form, as -F has them. */
  form: string[]
  /** The name of the file that takes the answer, by -o; null where it is shown. */
  output: string | null
  /** Whether it sends the cookies that were kept before, by -b. Those of an answer are kept by -c. */
  sendsCookies: boolean
  keepsCookies: boolean
  /** The files that were written before, by their names. */
  files: Record<string, string>
  /** Null where the document shows no answer; `heads` are the lines of an answer that is a file. */
  shown: { status: number | null; shortened: boolean; json: unknown; heads: [name: string, value: string][] } | null
}

interface Fence {
  line: number
  info: string[]
  text: string
}

export const textOf = (document: string): string => readFileSync(join(ROOT, document), 'utf8')

export function fencesOf(document: string): Fence[] {
  const text = textOf(document)
  return [...text.matchAll(/^```(\w+[^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    line: text.slice(0, match.index).split('\n').length, info: match[1]!.split(' '), text: match[2]!,
  }))
}

// In a here-document the shell puts the words in, which it does not within single quotes.
const HERE_DOCUMENT = /-d @- <<JSON\n([\s\S]*?)\nJSON$/gm

/** The calls of a document's `sh` blocks, each with the `json` block that follows; other commands are left out. */
export function examplesOf(document: string): Example[] {
  const fences = fencesOf(document)
  return fences.flatMap((fence, place) => {
    if (fence.info[0] !== 'sh') return []
    const quoted = fence.text.replaceAll('\\\n', ' ').replaceAll(HERE_DOCUMENT, (_all, body: string) => `-d '${body}'`)
    const commands = quoted.replaceAll(/'[^']*'/g, (words) => words.replaceAll('\n', ' ')).split('\n')
    const calls = commands.filter((command) => command.startsWith('curl '))
    const files = Object.fromEntries(commands.flatMap((command) => {
      const [, text, name] = /^printf '(.*)' > (\S+)$/.exec(command) ?? []
      return name === undefined ? [] : [[name, text!.replaceAll('\\n', '\n')]]
    }))
    const next = fences[place + 1]
    return calls.map((command, index): Example => ({
      line: fence.line,
      ...callOf(command),
      files,
      shown: index === calls.length - 1 && ['json', 'http'].includes(next?.info[0] ?? '') ? shownIn(next!) : null,
    }))
  })
}

function shownIn({ info, text }: Fence): Example['shown'] {
  const status = info.find((word) => /^\d{3}$/.test(word))
  const shortened = info.includes('shortened')
  const heads = info[0] === 'http' ? text.trim().split('\n').map((line) => line.split(': ') as [string, string]) : []
  return { status: status === undefined ? null : Number(status), shortened, json: info[0] === 'json' ? JSON.parse(text) : null, heads }
}

/** The part of curl's command line that the documents use. Throws an Error for any other option. */
function callOf(command: string): Omit<Example, 'line' | 'files' | 'shown'> {
  const quotes = [...command.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)]
  const words = quotes.map(([, single, double, bare]) => single ?? double ?? bare ?? '')
  const call = { method: '', url: '', headers: {} as Record<string, string>, body: null as string | null, form: [] as string[], output: null as string | null, sendsCookies: false, keepsCookies: false }
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at]!
    if (word === '-s') continue
    // The heads of the answer go to the terminal.
    else if (word === '-D') at += 1
    else if (word === '-o') call.output = words[at += 1]!
    else if (word === '-b') [call.sendsCookies, at] = [true, at + 1]
    else if (word === '-c') [call.keepsCookies, at] = [true, at + 1]
    else if (word === '-X') call.method = words[at += 1]!
    else if (word === '-F') call.form.push(words[at += 1]!)
    else if (word === '-d') call.body = words[at += 1]!
    else if (word === '-H') {
      const [, name, value] = /^([\w-]+): (.*)$/.exec(words[at += 1]!)!
      call.headers[name!] = value!
    } else if (word.startsWith('-')) throw new Error(`curl ${word} is not known here: ${command}`)
    else call.url = word
  }
  return { ...call, method: call.method || (call.body === null && call.form.length === 0 ? 'GET' : 'POST') }
}

export type Words = Record<string, string>

/** Puts the reader's words in: $TOKEN, and $INVOICE_ID where an answer had an invoice_id. Throws for an unknown one. */
export function spelled(text: string, words: Words): string {
  return text.replaceAll(/\$\{?([A-Z_]+)\}?/g, (_all, name: string) => {
    const word = words[name]
    if (word === undefined) throw new Error(`nothing before says what $${name} is`)
    return word
  })
}

/** Remembers the ids of an answer, the first of each name: $INVOICE_ID is its invoice_id; and a token as $CLIENT_TOKEN. */
export function learn(words: Words, answer: unknown): void {
  if (typeof answer !== 'object' || answer === null) return
  const fresh: Words = {}
  const visit = (value: object) => {
    for (const [name, part] of Object.entries(value)) {
      if (typeof part === 'string' && name.endsWith('_id')) fresh[name.toUpperCase()] ??= part
      else if (typeof part === 'object' && part !== null) visit(part)
    }
  }
  visit(answer)
  const { token } = answer as { token?: { token?: string } }
  if (token?.token !== undefined) fresh.CLIENT_TOKEN = token.token
  Object.assign(words, fresh)
}

// The times, ids, tokens and secrets of this run; the numbers and QR codes of a portal.
const OF_THE_MOMENT =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|[0-9a-f]{8}-[0-9a-f-]{27}|svc_\w+_[\w.-]{3,}|whsec_[\w+/=.]{3,}|[\w-]{60,}|\d{15}|ey[\w-]+\.[\w-]+\.[\w-]+)$/

/**
 * The differences between what a document shows and what was answered: keys, types, and values, except for ids, tokens
 * and the times of writing. A shortened example may leave keys and elements out.
 */
export function differences(shown: unknown, real: unknown, shortened: boolean, path = ''): string[] {
  if (kindOf(shown) !== kindOf(real)) return [`${path}: shows ${JSON.stringify(shown)}, is ${JSON.stringify(real)}`]
  if (Array.isArray(shown) && Array.isArray(real)) {
    const same = shortened || shown.length === real.length
    const length = same ? [] : [`${path}: shows ${shown.length} elements, is ${real.length}`]
    return [...length, ...shown.flatMap((one, index) => differences(one, real[index], shortened, `${path}[${index}]`))]
  }
  if (kindOf(shown) === 'object') {
    const [left, right] = [shown as Record<string, unknown>, real as Record<string, unknown>]
    const untold = shortened ? [] : Object.keys(right).filter((name) => !(name in left))
    return [...untold.map((name) => `${path}.${name}: is not shown`), ...Object.entries(left).flatMap(([name, value]) => (
      name in right ? differences(value, right[name], shortened, `${path}.${name}`) : [`${path}.${name}: is not answered`]
    ))]
  }
  // A document's date is no time of writing.
  const momentary = [shown, real].map(String).every((text) => OF_THE_MOMENT.test(text) && !text.endsWith('T00:00:00.000Z'))
  return shown === real || momentary ? [] : [`${path}: shows ${JSON.stringify(shown)}, is ${JSON.stringify(real)}`]
}

const kindOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
