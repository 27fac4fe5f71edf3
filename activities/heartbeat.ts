// Activities that take their time show that they are alive.
import { Context } from '@temporalio/activity'

const HEARTBEAT_MS = 3_000

/**
 * Does the work and heartbeats meanwhile, so that what a worker that died has left undone is soon given to another.
 * `progress` is what the next try, and an operator, are told.
 */
export async function withHeartbeat<T>(work: (context: Context) => Promise<T>, progress: () => unknown = () => undefined): Promise<T> {
  const context = Context.current()
  const timer = setInterval(() => context.heartbeat(progress()), HEARTBEAT_MS)
  return work(context).finally(() => clearInterval(timer))
}
