// What a check of `npm run doctor` is, and what it finds.

/**
 * `stuck`: it does not go on by itself, or should have by now. `notice`: it waits as it is meant to, for something outside the
 * service that an operator may want to know of.
 */
export type Severity = 'stuck' | 'notice'

export interface Finding {
  check: string
  severity: Severity
  problem: string
  /** The command that mends it, or shows more. */
  mend: string
}

/** A check: $1, if it is used, is the time. Its query returns `problem` and `mend`, at most LISTED rows of them. */
export interface StuckCheck {
  check: string
  severity: Severity
  text: string
}

/** The most findings of a check; the rest are of the same kind. */
export const LISTED = 20

/** That long before the time of the check. */
export const before = (interval: string) => `$1::timestamptz - interval '${interval}'`
/** A column of times in words. */
export const time = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`

export const RESTART = 'see the log of the worker, and restart it'
