// The activities of recurring schedules: a tick, a run that a caller asks for, and the search for schedules that should have run.
import { ApplicationFailure, type Context } from '@temporalio/activity'
import type { Caller } from '../commands/books/caller.ts'
import { openBooks, type WriteContext } from '../commands/books/open-books.ts'
import { isDue, runNext, type Attempt } from '../commands/recurring/generate.ts'
import { runByHand } from '../commands/recurring/manual-runs.ts'
import { recordFailure, type Failure } from '../commands/recurring/failures.ts'
import { Fault } from '../domain/faults.ts'
import type { CarriedFault, ManualRun, RunRequest, ScheduleInput, ScheduleTick } from '../domain/schedule.ts'
import { spreadMs, TICK_PLACES, type TickPlan } from '../domain/tick.ts'
import type { PaymentLinks } from '../gateways/payment-links/payment-links.ts'
import { fairSemaphore } from '../gateways/semaphore.ts'
import type { Database } from '../models/database.ts'
import type { ScheduleRow } from '../models/recurring.ts'
import { CallerChanged, findOrganizationFacts, organizationUnchanged } from '../models/token.ts'
import { withHeartbeat } from './heartbeat.ts'
import { unknownRow } from './unknown-row.ts'

export interface RecurringDependencies {
  connection: Database
  /** Wakes the relay, which looks for the deliveries that a commit has queued. */
  wakeRelay(): void
  clock(): Date
  tick: TickPlan
  paymentLinks: PaymentLinks
}

export function recurringActivities({
  connection: database,
  wakeRelay,
  clock,
  tick: plan,
  paymentLinks,
}: RecurringDependencies) {
  const running = { plan, paymentLinks }
  const places = fairSemaphore({ places: TICK_PLACES.total, placesPerKey: TICK_PLACES.each })
  const writeContext: WriteContext = { database, wakeRelay, forgetCallers: () => undefined, clock }

  /** The books' caller: the schedule, within its organisation as it is now. */
  async function callerOf(orgId: string, scheduleId: string, userId: string | null): Promise<Caller> {
    const organization = await findOrganizationFacts(database, orgId)
    if (!organization) throw unknownRow(`there is no organisation ${orgId}`, 'UnknownOrganization')
    const origin = {
      request_id: null,
      ip: null,
      user_agent: null,
      source: 'RECURRING_SCHEDULE',
      recurring_id: scheduleId,
    }
    return {
      subject: '',
      kind: 'SYSTEM',
      tier: 'DEFAULT',
      scopes: [],
      userId,
      partnerId: null,
      organization,
      origin,
      precondition: () => organizationUnchanged(organization),
    }
  }

  async function fail(input: ScheduleInput, failure: Failure): Promise<ScheduleRow | null> {
    const caller = await callerOf(input.orgId, input.scheduleId, failure.ask?.userId ?? null)
    return openBooks(writeContext, caller, (books) => recordFailure(books, input.scheduleId, failure, plan))
  }

  /** One step; a refusal is written down as a failed run, and ends the tick. */
  async function step(
    input: ScheduleInput,
    tickId: string,
  ): Promise<{ schedule: ScheduleRow | null; generated: boolean; error: string | null }> {
    const attempt: Attempt = { wanted: null }
    try {
      const caller = await callerOf(input.orgId, input.scheduleId, null)
      const done = await openBooks(writeContext, caller, (books) =>
        runNext(books, input.scheduleId, tickId, running, attempt),
      )
      if (done.did === 'DELETED') return { schedule: null, generated: false, error: null }
      return { schedule: done.schedule, generated: done.did === 'GENERATED', error: null }
    } catch (error) {
      if (!isRefusal(error) || attempt.wanted === null) throw error
      const schedule = await fail(input, { ...attempt.wanted, refusal: error, ask: null })
      return { schedule, generated: false, error: error.code }
    }
  }

  return {
    /**
     * A tick: generates what is due, oldest first, at most 31 documents, each in a transaction of its own, in turns with the
     * ticks of other organisations. Run again after a crash, it continues where it stopped, because the row says what is done.
     */
    async runSchedule(input: ScheduleInput): Promise<ScheduleTick> {
      return withHeartbeat(async (context) => {
        let generated = 0
        for (;;) {
          const {
            schedule,
            generated: one,
            error,
          } = await places.through(input.orgId, () => step(input, tickIdOf(context)))
          generated += one ? 1 : 0
          if (!one || !isDue(schedule!, clock())) return tickOf(schedule, generated, error, plan, clock())
        }
      })
    },

    /** A run that a caller asks for. Run again after a crash, it answers the run that it has made. */
    async runScheduleNow(input: ScheduleInput, ask: RunRequest): Promise<ManualRun> {
      const attempt: Attempt = { wanted: null }
      return withHeartbeat(async () => {
        try {
          const caller = await callerOf(input.orgId, input.scheduleId, ask.userId)
          const run = await openBooks(writeContext, caller, (books) =>
            runByHand(books, input.scheduleId, ask, running, attempt),
          )
          return { runId: run.id, generatedEntityId: run.generated_entity_id }
        } catch (error) {
          if (!isRefusal(error)) throw error
          if (attempt.wanted !== null) await fail(input, { ...attempt.wanted, refusal: error, ask })
          throw carried(error)
        }
      })
    },
  }
}

const isRefusal = (error: unknown): error is Fault =>
  error instanceof Fault && error.status < 500 && !(error instanceof CallerChanged)

// The same for every try of the activity.
const tickIdOf = ({ info: { workflowExecution, activityId } }: Context) => `${workflowExecution?.runId}/${activityId}`

function tickOf(
  schedule: ScheduleRow | null,
  generated: number,
  error: string | null,
  plan: TickPlan,
  now: Date,
): ScheduleTick {
  if (!schedule) return { state: 'DELETED', wakeAt: null, waitMs: null, nextRunAt: null, runCount: 0, generated, error }
  const { status, next_run_at, not_before, run_count } = schedule
  const due = next_run_at === null ? null : Math.max(next_run_at.getTime(), not_before?.getTime() ?? 0)
  const wake = status === 'ACTIVE' && due !== null ? due + spreadMs(schedule.id, plan) : null
  return {
    state: status,
    wakeAt: wake === null ? null : new Date(wake).toISOString(),
    waitMs: wake === null ? null : Math.max(0, wake - now.getTime()),
    nextRunAt: next_run_at?.toISOString() ?? null,
    runCount: run_count,
    generated,
    error,
  }
}

// A refusal is expected, so it is neither logged as an error nor retried.
function carried({ code, message, status, field, details, errors }: Fault): ApplicationFailure {
  const fault: CarriedFault = {
    status,
    ...(field && { field }),
    ...(details && { details }),
    ...(errors && { errors }),
  }
  return ApplicationFailure.create({ type: code, message, details: [fault], nonRetryable: true, category: 'BENIGN' })
}
