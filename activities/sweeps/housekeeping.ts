// The activity of the nightly sweep, which moves documents that are past their due date to OVERDUE.
import { ApplicationFailure, Context } from '@temporalio/activity'
import { openBooks, type WriteContext } from '../../commands/books/open-books.ts'
import { housekeeper, markOverdue } from '../../commands/documents/overdue.ts'
import { dateInZone, isZone, zoneName } from '../../domain/dates.ts'
import { Fault } from '../../domain/faults.ts'
import { NOTHING_SWEPT, type HousekeepingInput, type Swept } from '../../domain/housekeeping.ts'
import type { Engine } from '../../gateways/temporal/engine.ts'
import type { Database } from '../../models/database.ts'
import { recordHeartbeat } from '../../models/heartbeat.ts'
import { organizationsWithDue, zonesInUse } from '../../models/overdue.ts'
import type { OrganizationFacts } from '../../models/token.ts'
import { withHeartbeat } from '../heartbeat.ts'

export interface HousekeepingDependencies {
  connection: Database
  /** Wakes the relay, which looks for the deliveries that a commit has queued. */
  wakeRelay(): void
  clock(): Date
  engine: Pick<Engine, 'removeSchedule'>
}

/** One sweep under way. */
interface Sweep {
  swept: Swept
  /** The organisations that could not be swept, and why. */
  failed: Map<string, unknown>
  context: Context
}

export function housekeepingActivities({ connection: database, wakeRelay, clock, engine }: HousekeepingDependencies) {
  const writeContext: WriteContext = { database, wakeRelay, forgetCallers: () => undefined, clock }

  async function sweepZone(timeZone: string, sweep: Sweep): Promise<void> {
    let last: string | null = null
    for (;;) {
      const day = dateInZone(clock().toISOString(), timeZone)
      const page: OrganizationFacts[] = await organizationsWithDue(database, timeZone, day, last)
      for (const organization of page) await sweepOrganization(organization, sweep)
      last = page.at(-1)?.id ?? null
      if (last === null) return
    }
  }

  // A failure of one organisation must not stop the others; while the database is unavailable all of them wait.
  async function sweepOrganization(organization: OrganizationFacts, sweep: Sweep): Promise<void> {
    try {
      await sweepPages(organization, sweep)
    } catch (error) {
      if (sweep.context.cancellationSignal.aborted || (error instanceof Fault && error.code === 'service.unavailable'))
        throw error
      sweep.failed.set(organization.id, error)
    }
  }

  async function sweepPages(organization: OrganizationFacts, { swept, context }: Sweep): Promise<void> {
    let moved = 0
    for (;;) {
      if (context.cancellationSignal.aborted) await context.cancelled
      const { invoices, bills, more } = await openBooks(writeContext, housekeeper(organization), markOverdue)
      swept.invoices += invoices
      swept.bills += bills
      moved += invoices + bills
      if (!more) break
    }
    if (moved > 0) swept.organizations += 1
  }

  return {
    /**
     * Moves documents with a balance after their due date to OVERDUE, in the organisations of one time zone or of all. Run
     * again after a crash, it continues where it stopped, because moved documents are no longer found; its result may then
     * lack the few moves between the last heartbeat and the crash. Started for a zone by another name than the canonical
     * one, it sweeps the zone and removes the schedule of that name, which is older than the rule of one name for each zone.
     */
    async sweepOverdue({ timeZone }: HousekeepingInput): Promise<Swept> {
      if (timeZone !== undefined && !isZone(timeZone))
        throw ApplicationFailure.nonRetryable(`there is no time zone ${timeZone}`, 'UnknownZone')
      if (timeZone !== undefined && zoneName(timeZone) !== timeZone) await engine.removeSchedule(timeZone)
      const context = Context.current()
      const swept: Swept = { ...NOTHING_SWEPT, ...context.info.heartbeatDetails }
      return withHeartbeat(
        async () => {
          const sweep: Sweep = { swept, failed: new Map(), context }
          const zones = timeZone === undefined ? await zonesInUse(database) : [zoneName(timeZone)]
          for (const zone of zones) await sweepZone(zone, sweep)
          context.heartbeat(swept)
          if (sweep.failed.size > 0) throw unswept(sweep.failed)
          for (const zone of zones) await recordHeartbeat(database, `housekeeping/${zone}`)
          return swept
        },
        () => swept,
      )
    },
  }
}

function unswept(failed: Map<string, unknown>): ApplicationFailure {
  const message = [...failed].map(([id, error]) => `${id}: ${error instanceof Error ? error.message : String(error)}`)
  return ApplicationFailure.retryable(
    `organisations whose overdue documents could not be marked:\n${message.join('\n')}`,
    'OrganizationsUnswept',
  )
}
