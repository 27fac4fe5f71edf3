// The examples of the client's documents as modules of TypeScript, in a folder that has the client as a package.
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fencesOf } from '../docs/examples.ts'
import { ROOT } from '../fixtures/root.ts'

export const DOCUMENTS = ['docs/client.md', 'client/README.md']

/** A new folder with these packages, by their names and the paths that they are links to. */
export function folderWith(packages: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'bahi-client-'))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  for (const [name, path] of Object.entries(packages)) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(join(link, '..'), { recursive: true })
    symlinkSync(join(ROOT, path), link)
  }
  return folder
}

/** The examples that are run, one after another as a reader would run them, and what they print. */
export function runnable(document: string): { source: string; printed: string } {
  const fences = fencesOf(document)
  const shown = fences.filter(({ info }) => info[0] === 'ts' && info[1] !== 'no-run')
  const printed = fences.filter(({ info }) => info[0] === 'text')
  return { source: shown.map(({ text }) => text).join('\n'), printed: printed.map(({ text }) => text).join('') }
}

/** The examples that wait for others to call them. */
export const notRun = (document: string): string[] => fencesOf(document).filter(({ info }) => info[0] === 'ts' && info[1] === 'no-run').map(({ text }) => text)
