// The workflows, bundled once for all test files of a run and for the worker processes that they start.
import { bundledWorkflows } from '../../bin/suite/workflow-bundle.ts'
import { ROOT } from '../fixtures/root.ts'

let path: Promise<string> | undefined

/** The path of the bundle, as WORKFLOW_BUNDLE takes it. */
export function workflowBundle(): Promise<string> {
  return (path ??= bundledWorkflows(ROOT))
}
