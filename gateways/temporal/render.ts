// Starts the workflow that renders a document, or joins the one under way, and waits for its file while the caller waits.
import { WorkflowFailedError } from '@temporalio/client'
import { ActivityFailure, ApplicationFailure } from '@temporalio/common'
import { factsOf } from '../../domain/documents.ts'
import { fault, type Fault } from '../../domain/faults.ts'
import {
  NOT_RENDERED,
  renderProcessId,
  type RenderedFile,
  type RenderInput,
  type RenderKey,
} from '../../domain/render-run.ts'
import { isEngineUnavailable } from './engine-unavailable.ts'
import { startOptions, type WorkflowStarter } from './start-options.ts'

/**
 * Renders what `key` names, and waits for it: at most 2 s for the start, 30 s in all. Throws pdf.render_failed where the
 * document cannot be rendered, service.unavailable when Temporal is unavailable or the time is over, and the reason of `over`.
 */
export type Render = (input: RenderInput, key: RenderKey, over: AbortSignal) => Promise<RenderedFile>

const RENDER_START_MS = 2_000
const RENDER_MS = 30_000

export function createRenderer({ client, connection, taskQueue }: WorkflowStarter): Render {
  // Again also where a workflow of this id has completed: its file may have been removed since.
  const start = (input: RenderInput, key: RenderKey) =>
    client.workflow.start<(input: RenderInput) => Promise<RenderedFile>>(
      'renderDocument',
      startOptions(taskQueue, {
        workflowId: renderProcessId(input.id, key),
        input,
        findable: { orgId: input.orgId, entityType: input.kind, entityId: input.id, state: 'RENDERING' },
        summary: `PDF of ${factsOf(input.kind).noun} ${input.id}`,
      }),
    )

  return async (input, key, over) => {
    const untilMs = Date.now() + RENDER_MS
    try {
      const run = await connection.withDeadline(Date.now() + RENDER_START_MS, () => start(input, key))
      return await connection.withDeadline(untilMs, () => connection.withAbortSignal(over, () => run.result()))
    } catch (error) {
      over.throwIfAborted()
      if (error instanceof WorkflowFailedError) throw notRendered(error)
      throw isEngineUnavailable(error) ? notYet(error) : error
    }
  }
}

function notRendered(error: WorkflowFailedError): Fault {
  const { cause } = error.cause instanceof ActivityFailure ? error.cause : {}
  if (!(cause instanceof ApplicationFailure) || cause.type !== NOT_RENDERED) return notYet(error)
  return fault('pdf.render_failed', { retryAfter: 600, cause: error })
}

// The render goes on; a repeat of the call finds its file, or waits for it again.
function notYet(cause: unknown): Fault {
  const message = 'The PDF is still being rendered; send the call again.'
  return fault('service.unavailable', { message, retryAfter: 5, cause })
}
