// Background work for resets of passwords: mails a link to whoever asked for one and is known.
import { mailResetLink } from '../commands/people/password-resets.ts'
import { openBooks, type WriteContext } from '../commands/books/open-books.ts'
import { requesterOf } from '../commands/books/requester.ts'
import type { Database } from '../models/database.ts'
import { findResetRequests, passwordResetRequests, lockResetRequest } from '../models/password-reset.ts'
import { findOrganizationFacts } from '../models/token.ts'
import type { Caller } from '../commands/books/caller.ts'

const AT_ONCE = 100

/**
 * Answers every request that is stored: one of an address that a person of an active organisation has becomes a link and its
 * mail, any other is dropped. The call that stored it has done the same work for both, so its time tells nothing.
 */
export async function answerResetRequests({
  connection: database,
  clock,
}: {
  connection: Database
  clock(): Date
}): Promise<void> {
  const context: WriteContext = { database, wakeRelay: () => undefined, forgetCallers: () => undefined, clock }
  for (;;) {
    const requests = await findResetRequests(database, AT_ONCE)
    for (const { id, org_id, origin } of requests) {
      const organization = org_id === null ? null : await findOrganizationFacts(database, org_id)
      const caller: Caller = organization
        ? requesterOf({ requested_by: null, origin }, organization)
        : { ...NOBODY, origin }
      await openBooks(context, caller, async (books) => {
        const request = await lockResetRequest(books.connection, id)
        if (!request) return
        books.delete(passwordResetRequests, request)
        if (organization) await mailResetLink(books, request)
      })
    }
    if (requests.length < AT_ONCE) return
  }
}

const NOBODY: Omit<Caller, 'origin'> = {
  subject: '',
  kind: 'SYSTEM',
  tier: 'DEFAULT',
  scopes: [],
  userId: null,
  partnerId: null,
  organization: null,
}
