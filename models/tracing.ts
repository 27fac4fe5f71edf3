// Spans around what the service does. Without a tracing SDK (gateways/tracing.ts) the work is run as it is.
import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api'
import { parseTraceparent, traceparentOf } from '../domain/traceparent.ts'

export interface SpanOf {
  kind?: keyof typeof SpanKind
  attributes?: Attributes
  /** The traceparent of the span that it belongs to; left out for the one around it. */
  parent?: unknown
}

let enabled = false

/** Called once, before the first span, where spans are recorded. */
export const enableTracing = () => void (enabled = true)

/** Runs the work within a span of its own; `span` is null where nothing is recorded. Names and attributes hold no personal data. */
export function inSpan<T>(name: string, of: SpanOf, work: (span: Span | null) => Promise<T>): Promise<T> {
  if (!enabled) return work(null)
  const { kind = 'INTERNAL', attributes = {} } = of
  const { around, links } = placeOf(of)
  return trace
    .getTracer('bahi')
    .startActiveSpan(name, { kind: SpanKind[kind], attributes, links }, around, async (span) => {
      try {
        return await work(span)
      } catch (error) {
        // Messages may quote what a caller sent; the log has them.
        span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).name })
        throw error
      } finally {
        span.end()
      }
    })
}

/** The traceparent of the span around; null where nothing is recorded. */
export function activeTraceparent(): string | null {
  const around = enabled ? trace.getActiveSpan()?.spanContext() : undefined
  return around ? traceparentOf(around) : null
}

// Within the trace of its parent the span around stays the parent; work for another trace, such as the attempt of a batch
// at the event of some call, is a part of that trace, with a link to the span around.
function placeOf(of: SpanOf): { around: Context; links: { context: ReturnType<Span['spanContext']> }[] } {
  const active = trace.getActiveSpan()?.spanContext()
  if (!('parent' in of)) return { around: context.active(), links: [] }
  const parent = parseTraceparent(of.parent)
  if (parent && active?.traceId === parent.traceId) return { around: context.active(), links: [] }
  return {
    around: parent
      ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true })
      : active
        ? context.active()
        : ROOT_CONTEXT,
    links: parent && active ? [{ context: active }] : [],
  }
}

/** Whether spans are recorded, for queries that only they need. */
export const isTracing = () => enabled
