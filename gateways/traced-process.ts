// Traces a process where a collector is set, and loads nothing where none is.

/** Calls `enable` where spans are sent to the collector at `endpoint`. The returned function sends what is left. */
export async function traceProcess(
  endpoint: string | null,
  service: string,
  enable: () => void,
): Promise<() => Promise<void>> {
  if (endpoint === null) return () => Promise.resolve()
  const { startTracing } = await import('./tracing.ts')
  enable()
  return startTracing(endpoint, service)
}
