// `npm run bundle -- FILE`: bundles the workflows, for workers that are started with WORKFLOW_BUNDLE=FILE.
import { renameSync, writeFileSync } from 'node:fs'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
import { BUNDLED } from '../worker/temporal-workers.ts'

const [file] = process.argv.slice(2)
if (!file) throw new Error('The name of the bundle file is missing.\n  Remedy: npm run bundle -- workflows.js')
const { code } = await bundleWorkflowCode({ ...BUNDLED, logger: new DefaultLogger('ERROR') })
// Written to a temporary file and renamed, so that a worker that starts in the meantime never reads an incomplete bundle.
const temporary = `${file}.${process.pid}.tmp`
writeFileSync(temporary, code)
renameSync(temporary, file)
