// Passes the trace of whoever has started a workflow on to its activities. Part of every bundle; without a trace it does nothing.
import type { Payload } from '@temporalio/common'
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow'

// As TRACE_HEADER in gateways/temporal/trace-header.ts.
const HEADER = 'traceparent'

export const interceptors: WorkflowInterceptorsFactory = () => {
  let carried: Payload | undefined
  const on = <Input extends { headers: Record<string, Payload> }>(input: Input): Input =>
    carried ? { ...input, headers: { ...input.headers, [HEADER]: carried } } : input
  return {
    inbound: [
      {
        execute(input, next) {
          carried = input.headers[HEADER]
          return next(input)
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(on(input)),
        continueAsNew: (input, next) => next(on(input)),
        startChildWorkflowExecution: (input, next) => next(on(input)),
      },
    ],
  }
}
