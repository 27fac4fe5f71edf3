// Decides which errors mean that the Temporal server is unavailable, so that any call is worth repeating.
import { isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client'

/** The Temporal server could not be reached, or was too busy to answer. */
export class EngineUnavailable extends Error {
  constructor(cause: unknown) {
    super(`Temporal is unavailable: ${innermost(cause)}`, { cause })
    this.name = 'EngineUnavailable'
  }
}

// gRPC: DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, UNAVAILABLE, CANCELLED; NOT_FOUND while a namespace is being created.
const UNAVAILABLE_CODES = new Set([1, 4, 5, 8, 10, 14])

const INVALID_ARGUMENT = 3

/**
 * Whether the error, or one of its causes, means that the Temporal server is unavailable.
 *
 * A server that does not know the workflow that a call has started and waits for has lost its data: a worker starts it anew.
 */
export function isEngineUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isGrpcServiceError(cause)) return UNAVAILABLE_CODES.has(cause.code) || lacksSearchAttributes(cause)
    if (cause instanceof WorkflowNotFoundError) return true
    // The last: this process shuts down, and has closed its connection.
    if (cause.name === 'TransportError' || /Failed to connect|Channel has been shut down/.test(cause.message))
      return true
  }
  return false
}

// A server that has lost its data, or is new: a worker adds the search attributes within seconds.
const lacksSearchAttributes = ({ code, message }: { code: number; message: string }) =>
  code === INVALID_ARGUMENT && /no mapping defined for search attribute/i.test(message)

function innermost(error: unknown): string {
  return error instanceof Error ? (error.cause === undefined ? error.message : innermost(error.cause)) : String(error)
}
