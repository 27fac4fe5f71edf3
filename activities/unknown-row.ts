// The failure of an activity that does not find the row it was started for.
import { ApplicationFailure, Context } from '@temporalio/activity'

/** With the workflows' retry policy about a quarter of an hour. */
const MAX_TRIES = 20

/**
 * The row may be in another database: a worker of another installation that serves the same task queue, by mistake, has
 * taken the task. So it is tried again, because the next try may reach a worker of this installation, and fails for good
 * after MAX_TRIES. `type` is the type of the failure, such as UnknownDelivery.
 */
export function unknownRow(message: string, type: string): ApplicationFailure {
  const isLast = Context.current().info.attempt >= MAX_TRIES
  return ApplicationFailure.create({ message, type, nonRetryable: isLast })
}
