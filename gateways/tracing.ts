// Sends the spans of this process to an OpenTelemetry collector by OTLP over HTTP. Loaded only where one is set.
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

/** For spans that were not sent yet when the process ends. */
const CLOSE_MS = 2_000

/**
 * Records spans from now on, under this name of the service. A collector that does not answer delays nothing: spans that it
 * does not take are dropped. The returned function sends what is left.
 */
export function startTracing(endpoint: string, service: string): () => Promise<void> {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(provider)
  return () => {
    const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref())
    return Promise.race([provider.shutdown().catch(() => undefined), late])
  }
}
