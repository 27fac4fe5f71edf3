// When the Temporal server counts as away: worth trying again, with anything.
import { isGrpcServiceError } from '@temporalio/client'

/** The engine could not be reached, or had no time for us. */
export class EngineUnavailable extends Error {
  constructor(cause: unknown) {
    super(`Temporal is unavailable: ${innermost(cause)}`, { cause })
    this.name = 'EngineUnavailable'
  }
}

// gRPC: DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, UNAVAILABLE, CANCELLED; NOT_FOUND while a namespace is being made.
const AWAY = new Set([1, 4, 5, 8, 10, 14])

export function isAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isGrpcServiceError(cause)) return AWAY.has(cause.code)
    if (cause.name === 'TransportError' || /Failed to connect/.test(cause.message)) return true
  }
  return false
}

function innermost(error: unknown): string {
  return error instanceof Error ? (error.cause === undefined ? error.message : innermost(error.cause)) : String(error)
}
