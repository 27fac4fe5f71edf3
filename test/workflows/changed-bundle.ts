// Bundles a changed copy of the workflows: a version that is newer than this one, for the tests of upgrades.
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../fixtures/root.ts'

/** By file below workflows/: a text that occurs in it once, and what stands there in the changed copy, where Temporal's module is `temporal`. */
export type Changes = Record<string, { text: string; becomes: string }>

/** What workflows import when they run. */
const ROOMS = ['workflows', 'domain', 'gateways/temporal']

// In a process of its own: loading the bundler into Jest would take longer than bundling.
const BUNDLE = `
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
const [folder, file] = process.argv.slice(1)
const { code } = await bundleWorkflowCode({
  workflowsPath: join(folder, 'workflows/index.ts'),
  failureConverterPath: join(folder, 'gateways/temporal/failure-converter.cjs'),
  workflowInterceptorModules: [join(folder, 'workflows/trace-header.ts')],
  logger: new DefaultLogger('ERROR'),
})
writeFileSync(file, code)
`

/** Returns the path of the bundle. The caller removes it. */
export async function changedBundle(changes: Changes): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'changed-workflows-'))
  for (const room of ROOMS) cpSync(join(ROOT, room), join(folder, room), { recursive: true })
  for (const shared of ['node_modules', 'package.json']) symlinkSync(join(ROOT, shared), join(folder, shared))
  for (const [name, { text, becomes }] of Object.entries(changes)) {
    const path = join(folder, 'workflows', name)
    const parts = readFileSync(path, 'utf8').split(text)
    if (parts.length !== 2) throw new Error(`workflows/${name} has ${parts.length - 1} times: ${text}`)
    writeFileSync(path, `import * as temporal from '@temporalio/workflow'\n${parts.join(becomes)}`)
  }
  const bundle = `${folder}.js`
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', BUNDLE, folder, bundle], { cwd: ROOT })
  rmSync(folder, { recursive: true })
  return bundle
}
