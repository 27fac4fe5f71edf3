// `npm run bundle -- FILE`: bundles the workflows beforehand, for workers that are started with WORKFLOW_BUNDLE=FILE.
import { renameSync, writeFileSync } from 'node:fs'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
import { WORKFLOWS } from '../worker/workers.ts'

const [file] = process.argv.slice(2)
if (!file) throw new Error('The name of the bundle file is missing.\n  Remedy: npm run bundle -- workflows.js')
const { code } = await bundleWorkflowCode({ workflowsPath: WORKFLOWS, logger: new DefaultLogger('ERROR') })
// Beside its place first: a worker that starts meanwhile finds it whole or not at all.
const half = `${file}.${process.pid}.tmp`
writeFileSync(half, code)
renameSync(half, file)
