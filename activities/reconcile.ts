// The activity of the daily reconcile of recurring schedules.
import { withHeartbeat } from './heartbeat.ts'

export interface ReconcileDependencies {
  /** Starts or signals the workflows of schedules that have missed their tick; returns how many. */
  reconcileMissed(): Promise<number>
}

export function reconcileActivities({ reconcileMissed }: ReconcileDependencies) {
  return {
    /** The daily reconcile, ten minutes after the tick; returns how many schedules had missed it. Run again, it finds those that are left. */
    reconcileMissed: (): Promise<number> => withHeartbeat(reconcileMissed),
  }
}
