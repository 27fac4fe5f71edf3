// Sends the trace of the caller with every workflow that is started, as a header of the workflow.
import { trace } from '@opentelemetry/api'
import type { Headers, WorkflowClientInterceptor } from '@temporalio/client'
import { defaultPayloadConverter, type Payload } from '@temporalio/common'
import { traceparentOf } from '../../domain/traceparent.ts'

/** The header of a workflow and its activities; workflows/trace-header.ts passes it on. */
const TRACE_HEADER = 'traceparent'

function traced(headers: Headers): Headers {
  const around = trace.getActiveSpan()?.spanContext()
  return around ? { ...headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(traceparentOf(around)) } : headers
}

export const traceHeader: WorkflowClientInterceptor = {
  start: (input, next) => next({ ...input, headers: traced(input.headers) }),
  startWithDetails: (input, next) => next({ ...input, headers: traced(input.headers) }),
  signalWithStart: (input, next) => next({ ...input, headers: traced(input.headers) }),
  startUpdateWithStart: (input, next) => next({ ...input, workflowStartHeaders: traced(input.workflowStartHeaders) }),
}

/** The traceparent in the headers of an activity; null where it has none. */
export function tracedBy(headers: Record<string, Payload>): string | null {
  const payload = headers[TRACE_HEADER]
  return payload ? defaultPayloadConverter.fromPayload<string>(payload) : null
}
