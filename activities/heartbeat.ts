// Sends heartbeats to Temporal while a long activity runs.
import { Context } from '@temporalio/activity'

const HEARTBEAT_MS = 3_000

/**
 * Does the work and sends heartbeats meanwhile, so that the work of a worker that died is soon given to another. Each
 * heartbeat carries `progress`, for the next try of the activity and for operators.
 */
export async function withHeartbeat<T>(
  work: (context: Context) => Promise<T>,
  progress: () => unknown = () => undefined,
  everyMs = HEARTBEAT_MS,
): Promise<T> {
  const context = Context.current()
  const timer = setInterval(() => context.heartbeat(progress()), everyMs)
  return work(context).finally(() => clearInterval(timer))
}
