// The activity that opens, each night, the financial years that the organisations of a time zone lack.
import { ApplicationFailure, Context } from '@temporalio/activity'
import { openMissingYears } from '../../commands/ledger/financial-years.ts'
import { openBooks, type WriteContext } from '../../commands/books/open-books.ts'
import { housekeeper } from '../../commands/documents/overdue.ts'
import { dateInZone, isZone, zoneName } from '../../domain/dates.ts'
import { Fault } from '../../domain/faults.ts'
import type { HousekeepingInput } from '../../domain/housekeeping.ts'
import { organizationsWithoutNextYear } from '../../models/financial-years.ts'
import { zonesInUse } from '../../models/overdue.ts'
import { withHeartbeat } from '../heartbeat.ts'
import type { HousekeepingDependencies } from './housekeeping.ts'

export function financialYearActivities({ connection: database, wakeRelay, clock }: HousekeepingDependencies) {
  const writeContext: WriteContext = { database, wakeRelay, forgetCallers: () => undefined, clock }

  async function openInZone(timeZone: string, failed: Map<string, unknown>, context: Context): Promise<number> {
    let opened = 0
    for (let last: string | null = null; ; ) {
      const day = dateInZone(clock().toISOString(), timeZone)
      const page = await organizationsWithoutNextYear(database, timeZone, day, last)
      for (const organization of page) {
        if (context.cancellationSignal.aborted) await context.cancelled
        try {
          opened += await openBooks(writeContext, housekeeper(organization), openMissingYears)
        } catch (error) {
          // A failure of one organisation must not stop the others; while the database is unavailable all of them wait.
          if (error instanceof Fault && error.code === 'service.unavailable') throw error
          failed.set(organization.id, error)
        }
      }
      last = page.at(-1)?.id ?? null
      if (last === null) return opened
    }
  }

  return {
    /**
     * Opens the financial years that are missing up to the next one, in the organisations of one time zone or of all,
     * suspended ones too; returns how many. Run again, it finds only the years that are still missing.
     */
    async openFinancialYears({ timeZone }: HousekeepingInput): Promise<number> {
      if (timeZone !== undefined && !isZone(timeZone))
        throw ApplicationFailure.nonRetryable(`there is no time zone ${timeZone}`, 'UnknownZone')
      const context = Context.current()
      return withHeartbeat(async () => {
        const failed = new Map<string, unknown>()
        let opened = 0
        for (const zone of timeZone === undefined ? await zonesInUse(database) : [zoneName(timeZone)])
          opened += await openInZone(zone, failed, context)
        if (failed.size > 0) throw unopened(failed)
        return opened
      })
    },
  }
}

function unopened(failed: Map<string, unknown>): ApplicationFailure {
  const message = [...failed].map(([id, error]) => `${id}: ${error instanceof Error ? error.message : String(error)}`)
  return ApplicationFailure.retryable(
    `organisations whose financial years could not be opened:\n${message.join('\n')}`,
    'YearsUnopened',
  )
}
