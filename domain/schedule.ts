// Recurring schedules: what they may generate, their states, and the workflow that runs each of them.
import { fault, type FieldProblem } from './faults.ts'
import type { DocumentKind } from './documents.ts'

/** What a schedule may generate (decisions §6). */
export const SCHEDULED_KINDS = ['INVOICE', 'BILL', 'EXPENSE', 'JOURNAL'] as const satisfies DocumentKind[]
export type ScheduledKind = (typeof SCHEDULED_KINDS)[number]

/** The most schedules of an organisation that are not completed: each has a workflow for as long. */
export const MAX_SCHEDULES = 10_000

/** PAUSED is resumed by a call; COMPLETED has reached its end date or its number of runs. */
export const SCHEDULE_STATUSES = ['ACTIVE', 'PAUSED', 'COMPLETED'] as const
export type ScheduleStatus = (typeof SCHEDULE_STATUSES)[number]

export const RUN_STATUSES = ['SUCCEEDED', 'FAILED'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** What the workflow of a schedule is told. All but the last only make it read the row again. */
export const SCHEDULE_SIGNALS = ['configChanged', 'pause', 'resume', 'deleted'] as const
export type ScheduleSignal = (typeof SCHEDULE_SIGNALS)[number]

/** Throws validation.invalid_value with the list of kinds for any other text. */
export function scheduledKind(text: string): ScheduledKind {
  const kind = SCHEDULED_KINDS.find((each) => each === text)
  if (kind) return kind
  throw fault('validation.invalid_value', {
    field: 'entity_type',
    message: `entity_type must be one of ${SCHEDULED_KINDS.join(', ')}.`,
    details: { valid: SCHEDULED_KINDS },
  })
}

/** The input of the workflow `recurringSchedule`. */
export interface ScheduleInput {
  orgId: string
  scheduleId: string
  entityType: ScheduledKind
}

/** A run that a caller asks for: of the next occurrence, or again of the occurrence of a failed run. */
export interface RunRequest {
  /** The id that the run will have, so that a repeated request finds it. */
  runId: string
  retryOf: string | null
  userId: string | null
}

/** The state of a schedule after a tick, and when it is looked at next; null where only a signal wakes it. */
export interface ScheduleTick {
  state: ScheduleStatus | 'DELETED'
  wakeAt: string | null
  /**
   * How long that is from the tick, by the clock that has decided what was due: a workflow that waits by another clock, which
   * is ahead, would come too early, again and again. Missing in the histories of older versions.
   */
  waitMs?: number | null
  nextRunAt: string | null
  runCount: number
  /** How many documents the tick has made. */
  generated: number
  /** Why the last run of the tick failed. */
  error: string | null
}

export const scheduleProcessId = (scheduleId: string) => `recurring/${scheduleId}`

/** The id of the Temporal Schedule of the daily reconcile. A suffix separates two installations. */
export const reconcileId = (suffix: string) => (suffix === '' ? 'reconcile-schedules' : `reconcile-schedules-${suffix}`)

/** What a run that a caller asked for has made. */
export interface ManualRun {
  runId: string
  generatedEntityId: string | null
}

/** The details of a refusal that an update of the workflow fails with, besides its code and its message. */
export interface CarriedFault {
  status: number
  field?: string
  details?: Record<string, unknown>
  errors?: FieldProblem[]
}

/** The update of the workflow by which a caller runs a schedule. */
export const RUN_NOW = 'runNow'
