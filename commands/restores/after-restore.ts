// What has to be done once after a restore, before the service runs on the restored books.
import { changesToRepeat, type AccessChange } from '../../domain/restoration.ts'
import { remindersAfterFailure } from '../../domain/reminders.ts'
import {
  distrustedMails,
  distrustMails,
  endSessions,
  restoredState,
  type RestoredState,
} from '../../models/after-restore.ts'
import type { Database } from '../../models/database.ts'
import { putReminderSweepOff } from '../../models/reminder.ts'
import { beginRestore, endRestore } from '../../models/restoration.ts'
import { organizationsAfter } from '../../models/skipped-numbers.ts'
import type { Caller } from '../books/caller.ts'
import type { WriteContext } from '../books/open-books.ts'
import { repeatAccessChange } from '../organizations/access.ts'
import { skipLostNumbers, type LostTime, type Skipped } from './skip-numbers.ts'

export interface RestoreInput {
  lost: LostTime
  /** How many numbers of every sequence are skipped; null for as many as the books suggest. */
  skip: number | null
  /** Changes of who may do what since the backup, as far as they are known. */
  changes: AccessChange[]
}

/** What an organisation, its receivers and its partner are to be told. */
export interface RestoredBooks extends RestoredState {
  org_id: string
  skipped: Skipped
}

export interface AfterRestore {
  begun: Date
  /** All, also those whose numbers were skipped by a run before this one that was broken off. */
  organizations: RestoredBooks[]
  mails: { org_id: string; id: string }[]
  sessions: number
  /** Changes that were made again, and those that could not be: the backup does not have the token, key, organisation or member. */
  repeated: AccessChange[]
  unknown: AccessChange[]
}

/** May be repeated, also where it was broken off in the middle: what was done once is not done again. */
export async function afterRestore(
  context: WriteContext,
  operator: Caller,
  input: RestoreInput,
): Promise<AfterRestore> {
  const { database } = context
  // Whatever the clocks of the machines say, all that was restored is older.
  const begun = await beginRestore(database, new Date(input.lost.from.getTime() + 1))
  const done: AfterRestore = { begun, organizations: [], mails: [], sessions: 0, repeated: [], unknown: [] }
  for (const change of changesToRepeat(input.changes))
    ((await repeatAccessChange(context, operator, change)) ? done.repeated : done.unknown).push(change)
  done.sessions = await endSessions(database)
  while ((await distrustMails(database, begun)) > 0);
  done.mails = await distrustedMails(database, begun)
  for (let after: string | null = null; ; ) {
    const page = await organizationsAfter(database, after)
    for (const organization of page) {
      const orgId = organization.org_id
      const skipped = await skipIn(database, organization, input, begun)
      const state = await restoredState({ connection: database, orgId }, input.lost.to)
      done.organizations.push({ org_id: orgId, skipped, ...state })
    }
    after = page.at(-1)?.org_id ?? null
    if (after === null) break
  }
  await endRestore(database)
  return done
}

function skipIn(
  database: Database,
  organization: Parameters<typeof skipLostNumbers>[1],
  { lost, skip }: RestoreInput,
  begun: Date,
): Promise<Skipped> {
  return database.transaction(async (connection) => {
    const scope = { connection, orgId: organization.org_id }
    const { skipped, isNew } = await skipLostNumbers(scope, organization, { lost, skip, begun })
    // Those until the failure may have been sent.
    if (isNew)
      await putReminderSweepOff(scope, new Date(remindersAfterFailure(lost.to.toISOString(), organization.time_zone)))
    return skipped
  })
}
