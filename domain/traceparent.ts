// The W3C traceparent of a span, as it goes with requests, workflows and events: which trace it belongs to.

export interface TraceParent {
  /** 32 and 16 hexadecimal digits. */
  traceId: string
  spanId: string
  /** 1 where the trace is recorded, 0 where it is not. */
  traceFlags: number
}

const FORM = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

/** Reads a traceparent; null for anything else. */
export function parseTraceparent(text: unknown): TraceParent | null {
  const [, traceId, spanId, flags] = typeof text === 'string' ? (FORM.exec(text) ?? []) : []
  if (traceId === undefined) return null
  return { traceId, spanId: spanId!, traceFlags: Number.parseInt(flags!, 16) & 1 }
}

export const traceparentOf = ({ traceId, spanId, traceFlags }: TraceParent): string =>
  `00-${traceId}-${spanId}-0${traceFlags & 1}`
