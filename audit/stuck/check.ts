// What a check of `npm run doctor` is, and what it finds.

/**
 * `stuck`: it does not go on by itself, or should have by now. `starting`: the same, of a service that has just started and may not
 * have come to it yet. `notice`: it waits as it is meant to, for something outside the
 * service that an operator may want to know of.
 */
export type Severity = 'stuck' | 'starting' | 'notice'

export interface Finding {
  check: string
  severity: Severity
  problem: string
  /** What mends it, or shows more: a command, which runs as it is printed, or words. */
  mend: string
  /** What to know of the command; it may end with another one, after a colon. */
  note?: string
}

/** A check: $1, if it is used, is the time. Its query returns `problem`, `mend` and perhaps `note`, at most LISTED rows of them. */
export interface StuckCheck {
  check: string
  severity: Severity
  /** Where schedules of Temporal are named, it depends on TEMPORAL_QUEUE_SUFFIX. */
  text: string | ((queueSuffix: string) => string)
}

/** The most findings of a check; the rest are of the same kind. */
export const LISTED = 20

/** That long before the time of the check. */
export const before = (interval: string) => `$1::timestamptz - interval '${interval}'`
/** A column of times in words. */
export const time = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`

/** The command that describes a workflow, by the SQL of its id. */
export const describeWorkflow = (id: string) => `'npm run temporal -- workflow describe --workflow-id ' || ${id}`
export const PENDING_ERROR = 'its pending activity has the error'

export const RESTART = 'see the log of the worker, and restart it'
