// What the doctor finds of PDFs: an engine or fonts that are missing, renders that wait, and documents that could not be rendered.
import { PENDING_ERROR, type Finding } from '../../audit/stuck/check.ts'
import { queueName } from '../../domain/task-queues.ts'
import { enginesMissing, type EngineSettings } from '../../gateways/pdf/engine.ts'
import { missingFonts } from '../../gateways/pdf/fonts.ts'
import { failureOf, listWorkflows, pendingFailureOf } from '../../gateways/temporal/open-workflows.ts'
import { describeWorkflow, finding, LISTED, MINUTE_MS, openOnes, type TemporalCheck } from './temporal-check.ts'

const RUNBOOK = 'docs/operating.md, "PDFs that do not come"'
const LOG = 'see the lines with "PDF engine" in the log of the worker'
const HOUR_MS = 60 * MINUTE_MS

/** What this machine lacks to render PDFs. */
export function examinePdfs(settings: Pick<EngineSettings, 'engine' | 'path'>): Finding[] {
  const missing = enginesMissing(settings)
  const fonts = missingFonts()
  return [
    ...(missing === null
      ? []
      : [finding('PDF engine', 'stuck', `${missing}, on this machine`, `install it, or set PDF_ENGINE (${RUNBOOK})`)]),
    ...(fonts.length === 0
      ? []
      : [finding('PDF fonts', 'stuck', `${fonts.length} fonts are missing: ${fonts[0]}`, 'npm ci')]),
  ]
}

/** A caller waits half a minute for a PDF. */
export const rendersThatWait: TemporalCheck = async (patient) => {
  const open = await openOnes(patient, `WorkflowType = 'renderDocument'`, 5, LISTED)
  return Promise.all(
    open.map(async ({ workflowId, startedAt }) => {
      const failed = await pendingFailureOf(patient.engine, workflowId)
      const why = failed ? `; try ${failed.attempt} follows: ${failed.message}` : ''
      const problem = `${workflowId} has been open since ${startedAt.toISOString()}${why}`
      return finding('PDFs that wait', 'stuck', problem, ...remedyOf(failed?.message ?? null, workflowId))
    }),
  )
}

function remedyOf(message: string | null, workflowId: string): [mend: string, note?: string] {
  if (message === null) {
    const start = `start a worker for the queue documents, or another one if all are busy (${RUNBOOK})`
    return [start, `what it waits for: ${describeWorkflow(workflowId)}`]
  }
  if (/blob store/.test(message)) return ['restore the blob store (docs/running.md, "When a part is unavailable")']
  if (/documents wait for the PDF engine/.test(message))
    return [`start another worker for the queue documents (${RUNBOOK})`]
  if (/PDF engine|LibreOffice/.test(message)) return [`${LOG}; memory or a library may be short (${RUNBOOK})`]
  return [describeWorkflow(workflowId), PENDING_ERROR]
}

export const rendersThatFailed: TemporalCheck = async ({ engine, queueSuffix, now }) => {
  const since = new Date(now.getTime() - HOUR_MS).toISOString()
  const queue = queueName('core', queueSuffix)
  const query = `WorkflowType = 'renderDocument' AND TaskQueue = '${queue}' AND ExecutionStatus = 'Failed' AND CloseTime > '${since}'`
  const failed = await listWorkflows(engine, query, LISTED)
  const [last] = failed
  if (!last) return []
  const count = failed.length === LISTED ? `${LISTED} documents or more` : `${failed.length} documents`
  const problem = `${count} could not be rendered in the last hour; the last was ${last.workflowId}: ${await failureOf(engine, last.workflowId)}`
  return [
    finding(
      'PDFs that failed',
      'notice',
      problem,
      `${LOG}: whether the engine ends again and again, or this document is too much for it (${RUNBOOK})`,
    ),
  ]
}
