// The workflows, bundled once for all test files of a run and for the worker processes that they start.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../fixtures/root.ts'

let path: Promise<string> | undefined

/** The path of the bundle, as WORKFLOW_BUNDLE takes it. */
export function workflowBundle(): Promise<string> {
  return (path ??= bundled())
}

// Known by what goes into it, since a folder for passing things may outlive a run. Two who miss it at once both make it.
async function bundled(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of ['package-lock.json', 'bin/bundle.ts', 'gateways/temporal/failure-converter.cjs']) hash.update(readFileSync(join(ROOT, file)))
  for (const room of ['workflows', 'domain']) {
    for (const name of readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' }).filter((each) => each.endsWith('.ts')).sort()) {
      hash.update(name).update(readFileSync(join(ROOT, room, name)))
    }
  }
  const file = join(tmpdir(), `workflows-${hash.digest('hex').slice(0, 16)}.js`)
  // In a process of its own: loading the bundler into Jest would take longer than bundling.
  if (!existsSync(file)) await promisify(execFile)(process.execPath, ['bin/bundle.ts', file], { cwd: ROOT })
  return file
}
