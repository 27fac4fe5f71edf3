// What the linter checks in a quick run: the files that have changed since it found nothing in them.
//
// Rules about several files (cycles of imports, promises that another file returns) may find something in a file that is the same:
// the whole run checks every file.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readJson } from '../services/run-record.ts'

interface Passed {
  /** Of what all files are checked by. */
  rules: string
  files: Record<string, string>
}

export interface LintedFiles {
  /** The paths that have changed, below the root; null where every file is to be checked. */
  changed: string[] | null
  /** Notes that nothing was found: in the changed files, or in all. */
  notePassed(): void
}

const RULES = ['biome.jsonc', 'package-lock.json', 'tsconfig.json']

/** The files of the checkout in `root`, beside the note in `noteFile` of those that have passed. */
export function lintedFiles(root: string, noteFile: string): LintedFiles {
  const paths = pathsIn(root)
  const note = existsSync(noteFile) ? readJson<Passed>(noteFile) : null
  const rules = hashOf(...RULES.map((name) => readFileSync(join(root, name))))
  const files = Object.fromEntries((paths ?? []).map((path) => [path, hashOf(readFileSync(join(root, path)))]))
  const isKnown = paths !== null && note?.rules === rules
  return {
    changed: isKnown ? Object.keys(files).filter((path) => note.files[path] !== files[path]) : null,
    notePassed() {
      mkdirSync(dirname(noteFile), { recursive: true })
      writeFileSync(noteFile, JSON.stringify({ rules, files } satisfies Passed))
    },
  }
}

/** The files that the checkout has or will have; null where Git does not say. */
function pathsIn(root: string): string[] | null {
  try {
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
    const listed = execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const isFile = (path: string) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile() ?? false
    return [...new Set(listed.split('\0'))].filter(
      (path) => /\.([cm]?[jt]sx?|jsonc?|css|html)$/.test(path) && isFile(path),
    )
  } catch {
    return null
  }
}

function hashOf(...contents: Buffer[]): string {
  const hash = createHash('sha256')
  for (const content of contents) hash.update(content)
  return hash.digest('hex')
}
