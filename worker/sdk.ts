// Adopts the log lines and the metrics of Temporal's SDK, which are the same for every worker of a process.
import { DefaultLogger, Runtime, makeTelemetryFilterString, type LogEntry } from '@temporalio/worker'
import type { Logger } from 'pino'
import { freeLoopbackAddress } from '../gateways/loopback.ts'

/**
 * Writes Temporal's own log lines to our log, without payloads and task tokens, and on request serves the metrics of the SDK.
 * Returns the address of the metrics, which is on loopback; null where they are not served.
 */
export async function installSdk(log: Logger, withMetrics: boolean): Promise<string | null> {
  const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const
  const write = ({ level, message, meta = {} }: LogEntry) => {
    // A worker for the queue of webhooks alone has no workflows, by design.
    if (message.startsWith('No workflows registered')) return
    const { taskQueue, workflowId, workflowType, activityType, attempt, error } = meta as Record<string, unknown>
    const err = error instanceof Error ? error.message : error
    const where = {
      task_queue: taskQueue,
      workflow_id: workflowId,
      workflow_type: workflowType,
      activity: activityType,
    }
    log[LEVELS[level]]({ ...where, attempt, err }, message)
  }
  const address = withMetrics ? await freeLoopbackAddress() : null
  Runtime.install({
    logger: new DefaultLogger('WARN', write),
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) },
      ...(address && {
        metrics: {
          prometheus: {
            bindAddress: address,
            useSecondsForDurations: true,
            unitSuffix: true,
            countersTotalSuffix: true,
          },
        },
      }),
    },
    shutdownSignals: [],
  })
  return address
}
