// Starts the workflow of a conversion, or joins the one under way, and waits for its end while the caller waits.
import { WorkflowFailedError } from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import {
  conversionProcessId,
  type CarriedRefusal,
  type ConversionInput,
  type ConversionOutcome,
} from '../../domain/conversion-run.ts'
import { Fault, fault, FAULTS, type FaultCode } from '../../domain/faults.ts'
import { isEngineUnavailable } from './engine-unavailable.ts'
import { startOptions, type WorkflowStarter } from './start-options.ts'

/**
 * Carries out a requested conversion and waits for its end: at most 2 s for the start, 10 s in all. Where the workflow under
 * way was that of another call, `isStillToDo` decides whether another is started. Throws the Fault with which the conversion
 * is refused, and service.unavailable when Temporal is unavailable or the time is over.
 */
export type Convert = (input: ConversionInput, isStillToDo: () => Promise<boolean>) => Promise<void>

/** The time limits for Temporal to accept a conversion, and for all of it. */
export const CONVERSION_START_MS = 2_000
export const CONVERSION_MS = 10_000

/**
 * The time limit of a workflow task, which takes milliseconds. One that a worker had when it was killed is given to another one
 * after it; the server's own limit is the ten seconds that the caller waits.
 */
const TASK_MS = 3_000

/** The end of a workflow run: the conversion that it carried out, and its refusal, if any. */
interface End {
  conversionId: string
  refusal: Fault | null
}

export function createConverter({ client, connection, taskQueue }: WorkflowStarter): Convert {
  // Orders are converted in parts, so a workflow that has completed must not prevent the next one from starting.
  const start = (input: ConversionInput) =>
    client.workflow.start<(input: ConversionInput) => Promise<ConversionOutcome>>('convertDocument', {
      ...startOptions(taskQueue, {
        workflowId: conversionProcessId(input),
        input,
        findable: { orgId: input.orgId, entityType: input.source, entityId: input.sourceId, state: 'CONVERTING' },
        summary: `conversion of ${input.source} ${input.sourceId}`,
      }),
      workflowTaskTimeout: TASK_MS,
    })

  async function runOnce(input: ConversionInput, untilMs: number): Promise<End> {
    const run = await connection.withDeadline(Math.min(Date.now() + CONVERSION_START_MS, untilMs), () => start(input))
    try {
      const { conversionId } = await connection.withDeadline(untilMs, () => run.result())
      return { conversionId, refusal: null }
    } catch (error) {
      if (error instanceof WorkflowFailedError) return endOf(error)
      throw error
    }
  }

  return async (input, isStillToDo) => {
    const untilMs = Date.now() + CONVERSION_MS
    try {
      while (Date.now() < untilMs) {
        const { conversionId, refusal } = await runOnce(input, untilMs)
        if (conversionId === input.conversionId) {
          if (refusal) throw refusal
          return
        }
        // The workflow is named after the source document, so the one under way was that of another call.
        if (!(await isStillToDo())) return
      }
    } catch (error) {
      throw isEngineUnavailable(error) ? notDoneYet(error) : error
    }
    throw notDoneYet()
  }
}

function endOf({ cause }: WorkflowFailedError): End {
  if (!(cause instanceof ApplicationFailure)) throw notDoneYet(cause)
  const carried = cause.details?.[0] as CarriedRefusal | undefined
  if (!carried || !isFaultCode(cause.type)) throw cause
  const { conversionId, status, field, details } = carried
  const refusal = new Fault(cause.type, {
    message: cause.message,
    status,
    ...(field && { field }),
    ...(details && { details }),
  })
  return { conversionId, refusal }
}

const isFaultCode = (code: string | null | undefined): code is FaultCode => typeof code === 'string' && code in FAULTS

// Nothing is lost: the request is recorded, and a repeat of the call finds it done or continues it.
function notDoneYet(cause?: unknown): Fault {
  const message = 'The conversion has not finished yet; send the call again with the same Idempotency-Key.'
  return Object.assign(fault('service.unavailable', { message, retryAfter: 2 }), { cause })
}
