// Recurring schedules, their runs, and the signals that their workflows have yet to get.
import { Op } from 'sequelize'
import type { Frequency, MonthAnchor } from '../domain/recurrence.ts'
import type { RunStatus, ScheduledKind, ScheduleSignal, ScheduleStatus } from '../domain/schedule.ts'
import type { Warning } from '../domain/warnings.ts'
import { condition, type Condition } from './condition.ts'
import type { Statement } from './connection.ts'
import { findList, finder, findRow, findRows, is, type Lock, type Scope } from './find.ts'
import {
  BOOLEAN,
  DATE,
  INTEGER,
  TEXT,
  TIME,
  UUID,
  VERSIONED,
  json,
  orNull,
  textOf,
  model,
  type RowOf,
} from './model.ts'

export const schedules = model('recurring_schedules', {
  org_id: UUID,
  id: UUID,
  entity_type: textOf<ScheduledKind>(),
  name: TEXT,
  frequency: textOf<Frequency>(),
  interval_count: INTEGER,
  month_anchor: textOf<MonthAnchor>(),
  start_date: DATE,
  /** The last day of the schedule, which still counts. */
  end_date: orNull(DATE),
  /** The document to copy; null where there is a payload. */
  template_entity_id: orNull(UUID),
  /** The body of the call that creates the document; its dates count from the start date. */
  template_payload: orNull(json<Record<string, unknown>>()),
  auto_approve: BOOLEAN,
  auto_charge: BOOLEAN,
  max_runs: orNull(INTEGER),
  status: textOf<ScheduleStatus>(),
  /** The documents that it has made. */
  run_count: INTEGER,
  /** The failed ticks since the last run that succeeded. */
  failures: INTEGER,
  last_error: orNull(TEXT),
  anchor_date: DATE,
  anchor_occurrence: INTEGER,
  next_occurrence: INTEGER,
  last_date: orNull(DATE),
  next_run_at: orNull(TIME),
  not_before: orNull(TIME),
  last_run_at: orNull(TIME),
  /** The latest tick, and how many documents it has made. */
  tick_id: orNull(TEXT),
  tick_runs: INTEGER,
  ...VERSIONED,
})
export type ScheduleRow = RowOf<typeof schedules>

export const runs = model('recurring_runs', {
  org_id: UUID,
  id: UUID,
  schedule_id: UUID,
  occurrence: INTEGER,
  period_start: DATE,
  period_end: DATE,
  status: textOf<RunStatus>(),
  manual: BOOLEAN,
  /** The failed run that this one repeats. */
  retry_of: orNull(UUID),
  document_date: DATE,
  generated_entity_id: orNull(UUID),
  generated_number: orNull(TEXT),
  error_code: orNull(TEXT),
  error: orNull(TEXT),
  error_field: orNull(TEXT),
  /** The details of the refusal; of a body with several problems, `errors`. */
  error_details: orNull(json<Record<string, unknown>>()),
  warnings: json<Warning[]>(),
  started_at: TIME,
})
export type RunRow = RowOf<typeof runs>

export const recurringSignals = model('recurring_signals', {
  org_id: UUID,
  id: UUID,
  schedule_id: UUID,
  entity_type: textOf<ScheduledKind>(),
  signal: textOf<ScheduleSignal>(),
  /** How often it could not be sent, when it is sent next, and why it failed. */
  attempts: INTEGER,
  due_at: TIME,
  last_error: orNull(TEXT),
  created_time: TIME,
})

export const findSchedule = (scope: Scope, id: string, lock: Lock = ''): Promise<ScheduleRow | null> =>
  findRow(scope, schedules, id, lock)

export const findRun = (scope: Scope, id: string): Promise<RunRow | null> => findRow(scope, runs, id)

/** How many schedules of the organisation are not completed, counted up to `atMost`. */
export async function countOpenSchedules({ connection, orgId }: Scope, atMost: number): Promise<number> {
  const [row] = await connection.run<{ open: number }>(COUNT_OPEN, [orgId, atMost])
  return row!.open
}

// The index by status serves it.
const COUNT_OPEN: Statement = {
  name: 'count open schedules',
  text: `SELECT count(*)::integer AS open FROM (
      SELECT FROM recurring_schedules WHERE org_id = $1 AND status IN ('ACTIVE', 'PAUSED') LIMIT $2) AS s`,
  takesNoLock: true,
}

/** The run that has made the document of an occurrence, or null. */
export const findSuccess = (scope: Scope, scheduleId: string, occurrence: number): Promise<RunRow | null> =>
  successes.first(scope, scheduleId, occurrence)

const successes = finder<RunRow, [scheduleId: string, occurrence: number]>(runs, (scheduleId, occurrence) => ({
  where: { schedule_id: is(scheduleId), occurrence: is(occurrence), status: 'SUCCEEDED' },
}))

/** A page by its number, from 1 on. */
export interface NumberedPage {
  page: number
  perPage: number
}

/**
 * The ids of the schedules in the order of their next run, those without one last; and whether there are more. Their
 * templates may be large, so schedulesOf reads a few of them at a time.
 */
export async function pageOfSchedules(
  scope: Scope,
  where: Condition,
  { page, perPage }: NumberedPage,
): Promise<{ rows: Pick<ScheduleRow, 'id'>[]; hasMore: boolean }> {
  const found: Pick<ScheduleRow, 'id'>[] = await findList(scope, schedules, {
    attributes: ['id'],
    where,
    order: ['next_run_at', 'id'],
    limit: perPage + 1,
    offset: (page - 1) * perPage,
  })
  return { rows: found.slice(0, perPage), hasMore: found.length > perPage }
}

/** The schedules with these ids, in their order; one that was deleted meanwhile is left out. */
export async function schedulesOf(scope: Scope, ids: string[]): Promise<ScheduleRow[]> {
  const found = new Map((await findRows(scope, schedules, ids)).map((schedule) => [schedule.id, schedule]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** The runs of a schedule, the latest first; and whether there are more. */
export async function pageOfRuns(
  scope: Scope,
  scheduleId: string,
  { page, perPage }: NumberedPage,
): Promise<{ rows: RunRow[]; hasMore: boolean }> {
  const found = await findList(scope, runs, {
    where: { schedule_id: scheduleId },
    order: [
      ['started_at', 'DESC'],
      ['id', 'DESC'],
    ],
    limit: perPage + 1,
    offset: (page - 1) * perPage,
  })
  return { rows: found.slice(0, perPage), hasMore: found.length > perPage }
}

/** Active schedules, or all others. */
export const isActive = (active: boolean): Condition =>
  condition({ status: active ? 'ACTIVE' : { [Op.in]: ['PAUSED', 'COMPLETED'] } })
