// The bundle of the workflows for tests and the worker processes that they start, made once for each state of its sources.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const SOURCES = ['package-lock.json', 'bin/bundle.ts', 'gateways/temporal/failure-converter.cjs']
const ROOMS = ['workflows', 'domain']
const UNUSED_MS = 24 * 3_600_000

/** The path of the bundle of the checkout in `root`, as WORKFLOW_BUNDLE takes it. It is kept between runs, beside the packages. */
export async function bundledWorkflows(root: string): Promise<string> {
  const folder = join(root, 'node_modules', '.cache', 'workflows')
  const file = join(folder, `${hashOf(root)}.js`)
  if (existsSync(file)) return file
  mkdirSync(folder, { recursive: true })
  removeOld(folder)
  // In a process of its own: loading the bundler into Jest would take longer than bundling. Two who miss it at once both make it.
  await promisify(execFile)(process.execPath, ['bin/bundle.ts', file], { cwd: root })
  return file
}

function hashOf(root: string): string {
  const hash = createHash('sha256')
  for (const file of SOURCES) hash.update(readFileSync(join(root, file)))
  for (const room of ROOMS) {
    const names = readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    for (const name of names.filter((each) => each.endsWith('.ts')).sort())
      hash.update(name).update(readFileSync(join(root, room, name)))
  }
  return hash.digest('hex').slice(0, 16)
}

function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (Date.now() - statSync(file).mtimeMs > UNUSED_MS) rmSync(file, { force: true })
  }
}
