// The routes of recurring schedules.
import { Type } from 'typebox'
import {
  changeSchedule,
  createSchedule,
  deleteSchedule,
  pauseSchedule,
  resumeSchedule,
  type ScheduleContext,
} from '../../commands/recurring/schedules.ts'
import { failedRun } from '../../commands/recurring/manual-runs.ts'
import { refuseManualRun, scheduleOf } from '../../commands/recurring/schedule-entries.ts'
import { upcoming } from '../../domain/recurrence.ts'
import { fault, type Fault } from '../../domain/faults.ts'
import { SCHEDULED_KINDS, type RunRequest } from '../../domain/schedule.ts'
import { boundsOf, previewed, ruleOf } from '../../domain/schedule-state.ts'
import { tickOf } from '../../domain/tick.ts'
import { showDate } from '../../domain/dates.ts'
import { allOf, equalTo, everything } from '../../models/condition.ts'
import {
  findRun,
  isActive,
  pageOfRuns,
  pageOfSchedules,
  schedulesOf,
  type ScheduleRow,
} from '../../models/recurring.ts'
import type { Gateways } from '../http/gateways.ts'
import { contextOf, NumberedPages, PAGES, pageIn } from '../http/numbered-page.ts'
import { listQuery } from '../http/page.ts'
import { route, type RequestContext, type WorkflowAnswer } from '../http/route.ts'
import { Id, one } from '../shapes/fields.ts'
import {
  NewSchedule,
  PreviewedRun,
  Run,
  Schedule,
  ScheduleChanges,
  showRun,
  showSchedule,
} from '../shapes/recurring.ts'
import { payloadOf } from './recurring-payload.ts'

const tag = 'Recurring schedules'
const answer = one('recurring', Schedule)

const RUN_ANSWER = Type.Object({ recurring: Schedule, generated_entity_id: Id })

const PREVIEW = { minimum: 1, maximum: 100, default: 10 }

const scheduling = ({ tick }: Gateways): ScheduleContext => ({ tick, payloadOf })
const shown = (schedule: ScheduleRow, message: string) => ({ message, recurring: showSchedule(schedule) })

const lists = [
  route({
    method: 'GET',
    path: '/recurring',
    tag,
    does: 'List schedules, by their next run',
    scope: 'recurring.READ',
    query: listQuery({
      entity_type: Type.Optional(Type.Enum([...SCHEDULED_KINDS])),
      is_active: Type.Optional(Type.Boolean()),
      ...PAGES,
    }),
    answer: Type.Object({ recurring: Type.Array(Schedule), page_context: NumberedPages }),
    async list(context, { query }) {
      const page = pageIn(query)
      const where = allOf([
        query.entity_type === undefined ? everything : equalTo('entity_type', query.entity_type),
        query.is_active === undefined ? everything : isActive(query.is_active),
      ])
      const { rows, hasMore } = await pageOfSchedules(context, where, page)
      return {
        key: 'recurring',
        rows,
        show: async (some: { id: string }[]) =>
          (
            await schedulesOf(
              context,
              some.map(({ id }) => id),
            )
          ).map(showSchedule),
        answer: { recurring: [], page_context: contextOf(page, hasMore) },
      }
    },
  }),
  route({
    method: 'GET',
    path: '/recurring/{schedule_id}/runs',
    tag,
    does: 'List the runs of a schedule, the latest first',
    scope: 'recurring.READ',
    query: listQuery(PAGES),
    answer: Type.Object({ runs: Type.Array(Run), page_context: NumberedPages }),
    async read(context, { params, query }) {
      const page = pageIn(query)
      const { id } = await scheduleOf(context, params.schedule_id!)
      const { rows, hasMore } = await pageOfRuns(context, id, page)
      return { runs: rows.map(showRun), page_context: contextOf(page, hasMore) }
    },
  }),
  route({
    method: 'GET',
    path: '/recurring/{schedule_id}/preview',
    tag,
    does: 'Show the next dates of a schedule; of a paused one, as a resume now would leave them',
    scope: 'recurring.READ',
    query: listQuery({ count: Type.Optional(Type.Integer(PREVIEW)) }),
    answer: Type.Object({ preview: Type.Array(PreviewedRun) }),
    async read(context, { params, query }) {
      const { tick } = context.gateways
      const stored = await scheduleOf(context, params.schedule_id!)
      const schedule = previewed(stored, context.now.toISOString(), tick)
      const next = upcoming(
        ruleOf(schedule),
        schedule.next_occurrence,
        query.count ?? PREVIEW.default,
        boundsOf(schedule),
      )
      return {
        preview: next.map(({ occurrence, date }) => ({ occurrence, date: showDate(date), run_at: tickOf(date, tick) })),
      }
    },
  }),
]

export const recurringRoutes = [
  lists[0]!,
  route({
    method: 'POST',
    path: '/recurring',
    tag,
    does: 'Create a schedule that generates documents',
    scope: 'recurring.CREATE',
    status: 201,
    answer,
    body: NewSchedule,
    write: async (books, { body }, gateways) =>
      shown(await createSchedule(books, body, scheduling(gateways)), 'Recurring schedule created.'),
  }),
  route({
    method: 'GET',
    path: '/recurring/{schedule_id}',
    tag,
    does: 'Read a schedule',
    scope: 'recurring.READ',
    answer,
    read: async (context, { params }) => ({ recurring: showSchedule(await scheduleOf(context, params.schedule_id!)) }),
  }),
  route({
    method: 'PUT',
    path: '/recurring/{schedule_id}',
    tag,
    does: 'Change a schedule, from its next occurrence on',
    scope: 'recurring.UPDATE',
    answer,
    body: ScheduleChanges,
    write: async (books, { params, body }, gateways) =>
      shown(
        await changeSchedule(books, params.schedule_id!, body, showSchedule, scheduling(gateways)),
        'Recurring schedule updated.',
      ),
  }),
  route({
    method: 'POST',
    path: '/recurring/{schedule_id}/pause',
    tag,
    does: 'Pause a schedule',
    scope: 'recurring.UPDATE',
    answer,
    write: async (books, { params }) =>
      shown(await pauseSchedule(books, params.schedule_id!), 'Recurring schedule paused.'),
  }),
  route({
    method: 'POST',
    path: '/recurring/{schedule_id}/resume',
    tag,
    does: 'Resume a paused schedule; what fell due meanwhile is skipped',
    scope: 'recurring.UPDATE',
    answer,
    write: async (books, { params }, { tick }) =>
      shown(await resumeSchedule(books, params.schedule_id!, tick), 'Recurring schedule resumed.'),
  }),
  route({
    method: 'DELETE',
    path: '/recurring/{schedule_id}',
    tag,
    does: 'Delete a schedule; what it has generated stays',
    scope: 'recurring.DELETE',
    answer: Type.Object({}),
    async write(books, { params }) {
      await deleteSchedule(books, params.schedule_id!)
      return { message: 'Recurring schedule deleted.' }
    },
  }),
  route({
    method: 'POST',
    path: '/recurring/{schedule_id}/run',
    tag,
    does: 'Run a schedule now: generate its next document, dated today',
    scope: 'recurring.UPDATE',
    answer: RUN_ANSWER,
    async startWorkflow(books, { params }, { id: runId }) {
      const schedule = await scheduleOf(books, params.schedule_id!)
      // A repeat of the call may find the schedule as its own run has left it.
      if (!(await findRun(books, runId))) refuseManualRun(schedule)
      return running(schedule, { runId, retryOf: null, userId: books.caller.userId })
    },
  }),
  ...lists.slice(1),
  route({
    method: 'POST',
    path: '/recurring/{schedule_id}/runs/{run_id}/retry',
    tag,
    does: 'Repeat a failed run, for its own occurrence and date',
    scope: 'recurring.UPDATE',
    answer: RUN_ANSWER,
    async startWorkflow(books, { params }, { id: runId }) {
      const schedule = await scheduleOf(books, params.schedule_id!)
      if (await findRun(books, runId))
        return running(schedule, { runId, retryOf: params.run_id!, userId: books.caller.userId })
      const { id: retryOf } = await failedRun(books, schedule, params.run_id!)
      return running(schedule, { runId, retryOf, userId: books.caller.userId })
    },
  }),
]

/** The answer waits for the workflow, and shows the schedule after the run. */
function running(
  { org_id: orgId, id: scheduleId, entity_type: entityType }: ScheduleRow,
  ask: RunRequest,
): WorkflowAnswer {
  return async (context) => {
    const { runScheduleNow } = context.gateways.engine
    const input = { orgId, scheduleId, entityType }
    let { generatedEntityId } = await runScheduleNow(input, ask)
    // Temporal may remember a run that PostgreSQL does not have, because an older state of the database was restored.
    if (!(await findRun(context, ask.runId))) ({ generatedEntityId } = await runScheduleNow(input, ask, true))
    if (generatedEntityId === null) throw await refusalOfRun(context, ask.runId)
    const recurring = showSchedule(await scheduleOf(context, scheduleId))
    return { message: 'Recurring schedule run.', recurring, generated_entity_id: generatedEntityId }
  }
}

// A repeat of a call whose first answer was lost finds the failed run.
async function refusalOfRun(context: RequestContext, runId: string): Promise<Fault> {
  const run = await findRun(context, runId)
  return fault('validation.invalid_value', { message: run?.error ?? 'The run has failed.' })
}
