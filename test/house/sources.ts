// The project's source files, as the rules of the house look at them: text, imports, rooms.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ROOT } from '../fixtures/root.ts'

export const ROOMS = ['domain', 'models', 'reports', 'audit', 'gateways', 'commands', 'activities', 'worker', 'workflows', 'api'] as const
const OTHERS = ['bin', 'bench', 'test', 'docs', 'client/src', 'client/bin', 'console/src']

/** Generated from the OpenAPI documents; test/client/schemas.test.ts holds them against these. */
export const GENERATED = ['client/src/internal-schema.ts', 'client/src/schema.ts']

export interface Import {
  /** A file of ours by its path in the project, or a package. */
  target: string
  ours: boolean
  typeOnly: boolean
}

export interface Source {
  /** From the root: 'commands/sales/invoices.ts'. */
  path: string
  text: string
  lines: string[]
  imports: Import[]
}

/** Every file of ours of these kinds, below the folders of the house and beside them. */
export function filesOf(...extensions: string[]): string[] {
  const beside = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isFile()).map(({ name }) => name)
  const below = [...ROOMS, ...OTHERS].flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))))
  // The console's other files are its packages and what is built of it.
  return [...beside, ...below, 'console/vite.config.ts'].filter((path) => extensions.some((extension) => path.endsWith(extension))).sort()
}

export const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const IMPORT = /^(?:import|export)\s+(type\s+)?(\{[^}]*\}|\*(?: as \w+)?|\w+(?:,\s*\{[^}]*\})?)\s+from\s+'([^']+)'/gm
const BARE = /^import '([^']+)'/gm
const DYNAMIC = /\bimport\('([^']+)'\)/g

const isWritten = (path: string) => !path.endsWith('.d.ts') && !GENERATED.includes(path)

export const SOURCES: Source[] = filesOf('.ts', '.tsx', '.mjs', '.js').filter(isWritten).map((path) => {
  const text = read(path)
  return { path, text, lines: text.trimEnd().split('\n'), imports: importsOf(path, text) }
})

/** The room of a file: its folder, and for the API the floor within it. */
export function roomOf(path: string): string {
  const [first = '', second = ''] = path.split('/')
  if (first === 'api' && path.split('/').length > 2) return `api/${second}`
  if (path.startsWith('console/src/')) return 'console/src'
  return path.includes('/') ? first : path
}

function importsOf(path: string, text: string): Import[] {
  const found: Import[] = []
  for (const [, type, names = '', from = ''] of text.matchAll(IMPORT)) {
    const listed = /^\{([\s\S]*)\}$/.exec(names)?.[1]?.split(',').map((name) => name.trim()).filter(Boolean)
    found.push(imported(path, from, type !== undefined || (listed?.every((name) => name.startsWith('type ')) ?? false)))
  }
  for (const [, from = ''] of text.matchAll(BARE)) found.push(imported(path, from, false))
  for (const [, from = ''] of text.matchAll(DYNAMIC)) found.push(imported(path, from, false))
  return found
}

function imported(path: string, from: string, typeOnly: boolean): Import {
  const ours = from.startsWith('.')
  return { target: ours ? join(dirname(path), from) : from, ours, typeOnly }
}

const HEAD = new RegExp([
  /^(\s*)(?:export )?(?:async )?/, /(?:function\*? (\w+).*|(?:const (\w+) = )?(?:async )?\([^)]*\)(?:: [^=]+)? =>|(?:async )?(\w+)\([^)]*\)(?:: .+)?) \{$/,
].map(({ source }) => source).join(''))

/** Functions with their length in lines, without the functions inside them; found by the indentation of the last brace. */
export function functionsOf({ lines }: Source): { name: string; length: number }[] {
  const spans = lines.flatMap((line, start) => {
    const head = HEAD.exec(line)
    if (!head || /^\s*(if|for|while|switch|catch)\b/.test(line)) return []
    const end = lines.findIndex((later, place) => place > start && later.startsWith(`${head[1]}}`))
    return end < 0 ? [] : [{ name: head[2] ?? head[3] ?? head[4] ?? `line ${start + 1}`, start, end }]
  })
  return spans.map((span) => {
    const inside = spans.filter(({ start, end }) => start > span.start && end < span.end)
    const own = Array.from({ length: span.end - span.start + 1 }, (_, n) => span.start + n)
      .filter((place) => !inside.some(({ start, end }) => place >= start && place <= end))
    return { name: span.name, length: own.length }
  })
}
