// Answers health checks and serves the metrics of the worker process, at a port of its own.
import { inJson, openHealthPort, type Probed } from '../../gateways/health-port.ts'
import type { Settings } from '../../settings.ts'

export interface ProbedWorker {
  isWorking(): Promise<boolean>
  metrics(): Promise<Probed>
}

/** Answers from the start, because a worker that waits for Temporal or its database is live. */
export async function answerProbes(
  { healthPort: port, host }: Settings,
  started: () => ProbedWorker | undefined,
): Promise<void> {
  if (port === null) return
  const notReady = () => inJson(503, { status: 'not ready' })
  await openHealthPort({
    port,
    host,
    answers: {
      '/health/live': () => inJson(200, { status: 'live' }),
      '/health/ready': async () => ((await started()?.isWorking()) ? inJson(200, { status: 'ready' }) : notReady()),
      '/metrics': async () => (await started()?.metrics()) ?? notReady(),
    },
  })
}
