// Handles a request, where spans are recorded within one of its own, which belongs to the caller's trace where the caller sends one.
import { SpanStatusCode } from '@opentelemetry/api'
import { inSpan, isTracing } from '../../models/tracing.ts'
import { handleRequest } from './pipeline.ts'

export const tracedRequest: typeof handleRequest = (server, route, request, read) => {
  if (!isTracing()) return handleRequest(server, route, request, read)
  const attributes = { 'http.request.method': route.method, 'http.route': route.path }
  const { traceparent: parent } = request.headers
  return inSpan(`${route.method} ${route.path}`, { kind: 'SERVER', parent, attributes }, async (span) => {
    const answered = await handleRequest(server, route, request, read)
    const { status } = answered.reply
    span?.setAttributes({ 'http.response.status_code': status, 'request.id': answered.trace.requestId })
    if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    return answered
  })
}
