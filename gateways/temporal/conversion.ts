// A conversion as a caller waits for it: its process is started, or the one under way joined, until it has come to its end.
import { WorkflowFailedError, type Client, type Connection } from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import { conversionProcessId, type CarriedRefusal, type ConversionInput, type ConversionOutcome } from '../../domain/conversion-run.ts'
import { Fault, fault, FAULTS, type FaultCode } from '../../domain/faults.ts'
import { searchPairs } from '../../domain/search-attributes.ts'
import { isAway } from './engine-unavailable.ts'

/**
 * Has a conversion carried out that was asked for, and waits for its end: 2 s for the start, 10 s in all.
 * When others have come first, `isStillToDo` is asked before it is started anew.
 * Throws the Fault that it is refused with, and service.unavailable when the engine is away or too late.
 */
export type Convert = (input: ConversionInput, isStillToDo: () => Promise<boolean>) => Promise<void>

interface ConverterDependencies {
  client: Client
  connection: Connection
  taskQueue: string
}

/** For Temporal to take a conversion, and for the whole of it. */
export const CONVERSION_START_MS = 2_000
export const CONVERSION_MS = 10_000

/** What a run has come to, and whose conversion it was. */
interface End {
  conversionId: string
  refusal: Fault | null
}

export function createConverter({ client, connection, taskQueue }: ConverterDependencies): Convert {
  // Orders are converted in parts, so a process that has completed does not keep the next one from starting.
  const start = (input: ConversionInput) => client.workflow.start<(input: ConversionInput) => Promise<ConversionOutcome>>('convertDocument', {
    workflowId: conversionProcessId(input),
    args: [input],
    taskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    typedSearchAttributes: searchPairs({ orgId: input.orgId, entityType: input.source, entityId: input.sourceId, state: 'CONVERTING' }),
    staticSummary: `conversion of ${input.source} ${input.sourceId}`,
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
        // A process is named after its source: the one that was under way was another caller's.
        if (!(await isStillToDo())) return
      }
    } catch (error) {
      throw isAway(error) ? notDoneYet(error) : error
    }
    throw notDoneYet()
  }
}

function endOf({ cause }: WorkflowFailedError): End {
  if (!(cause instanceof ApplicationFailure)) throw notDoneYet(cause)
  const carried = cause.details?.[0] as CarriedRefusal | undefined
  if (!carried || !isFaultCode(cause.type)) throw cause
  const { conversionId, status, field, details } = carried
  const refusal = new Fault(cause.type, { message: cause.message, status, ...(field && { field }), ...(details && { details }) })
  return { conversionId, refusal }
}

const isFaultCode = (code: string | null | undefined): code is FaultCode => typeof code === 'string' && code in FAULTS

// Nothing is lost by it: what was asked for is written down, and is found done, or carried on with, by a repeat of the call.
function notDoneYet(cause?: unknown): Fault {
  const message = 'The conversion has not finished yet; send the call again with the same Idempotency-Key.'
  return Object.assign(fault('service.unavailable', { message, retryAfter: 2 }), { cause })
}
