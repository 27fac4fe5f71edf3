// The activity of reminders: looks through the invoices of every organisation that reminds its customers, in turns.
import { ApplicationFailure, Context } from '@temporalio/activity'
import type { Caller } from '../../commands/books/caller.ts'
import { openBooks, type WriteContext } from '../../commands/books/open-books.ts'
import { housekeeper } from '../../commands/documents/overdue.ts'
import type { MailPolicy } from '../../commands/mail/document-mail.ts'
import { remindPage } from '../../commands/mail/reminder-sweep.ts'
import { NO_REMINDERS, type RemindersSwept } from '../../domain/reminders.ts'
import type { Database } from '../../models/database.ts'
import { recordHeartbeat } from '../../models/heartbeat.ts'
import { organizationsToRemind, putReminderSweepOff } from '../../models/reminder.ts'
import { findOrganizationFacts, organizationUnchanged } from '../../models/token.ts'
import { withHeartbeat } from '../heartbeat.ts'

export interface ReminderDependencies {
  connection: Database
  /** Null where mail is off: then nobody is reminded, and nothing is left out either. */
  mail: MailPolicy | null
  /** Wakes the background jobs, which start the workflows of mails. */
  wakeRelay(): void
  clock(): Date
}

/** Organisations in one turn. */
const AT_ONCE = 100
/** An organisation whose invoices could not be looked through is tried again after this. */
const PUT_OFF_MS = 10 * 60 * 1_000

export function reminderActivities({ connection: database, mail, wakeRelay, clock }: ReminderDependencies) {
  const writeContext: WriteContext = { database, wakeRelay, forgetCallers: () => undefined, clock }

  async function callerOf(orgId: string): Promise<Caller | null> {
    const organization = await findOrganizationFacts(database, orgId)
    if (!organization) return null
    const caller = housekeeper(organization)
    const precondition = () => organizationUnchanged(organization)
    return { ...caller, origin: { ...caller.origin, source: 'REMINDERS' }, precondition }
  }

  /** One page of one organisation. A failure must not stop the others; one of the database stops putting off too, and so the sweep. */
  async function turnOf(orgId: string, swept: RemindersSwept, failed: Map<string, unknown>): Promise<void> {
    try {
      const caller = await callerOf(orgId)
      if (!caller) return
      const page = await openBooks(writeContext, caller, (books) => remindPage(books, mail))
      swept.reminded += page.reminded
      swept.unreachable += page.unreachable
      if (page.beyondLimit) swept.beyond_limit += 1
      if (!page.more) swept.organizations += 1
    } catch (error) {
      failed.set(orgId, error)
      await putReminderSweepOff({ connection: database, orgId }, new Date(clock().getTime() + PUT_OFF_MS))
    }
  }

  return {
    /**
     * Queues the reminders that are due by now, in every organisation where it is day. Run again after a crash, or at the same time
     * by two workers, it queues none twice: what was queued is found, and the database refuses a second one of the day.
     */
    async sweepReminders(): Promise<RemindersSwept> {
      const context = Context.current()
      const swept: RemindersSwept = { ...NO_REMINDERS, ...context.info.heartbeatDetails }
      if (mail === null) return swept
      return withHeartbeat(
        async () => {
          const failed = new Map<string, unknown>()
          for (;;) {
            const waiting = await organizationsToRemind(database, clock(), AT_ONCE)
            for (const orgId of waiting) {
              if (context.cancellationSignal.aborted) await context.cancelled
              await turnOf(orgId, swept, failed)
            }
            if (waiting.length === 0) break
          }
          context.heartbeat(swept)
          if (failed.size > 0) throw unswept(failed)
          await recordHeartbeat(database, 'reminders')
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
    `organisations whose customers could not be reminded:\n${message.join('\n')}`,
    'OrganizationsUnswept',
  )
}
