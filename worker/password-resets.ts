// Background work for resets of passwords: mails a link to whoever asked for one and is known.
import { mailResetLink } from '../commands/people/password-resets.ts'
import { openBooks, type WriteContext } from '../commands/books/open-books.ts'
import { requesterOf } from '../commands/books/requester.ts'
import type { Database } from '../models/database.ts'
import {
  findResetRequests,
  lockResetRequest,
  passwordResetRequests,
  type RequestPlace,
} from '../models/password-reset.ts'
import { findOrganizationFacts } from '../models/token.ts'
import type { Caller } from '../commands/books/caller.ts'
import { throwAny } from './poll-loop.ts'

const AT_ONCE = 100
/** Of a pass; the mails that wait have their turn between two. */
const MOST = 1_000

interface Dependencies {
  connection: Database
  clock(): Date
}

/**
 * Answers the requests that are stored, the oldest first and at most MOST of them: one of an address that a person of an active
 * organisation has becomes a link and its mail, any other is dropped. The call that stored it has done the same work for both, so
 * its time tells nothing. One that fails stays and holds up no other; what it has failed with is thrown at the end.
 */
export async function answerResetRequests({ connection: database, clock }: Dependencies): Promise<void> {
  const context: WriteContext = { database, wakeRelay: () => undefined, forgetCallers: () => undefined, clock }
  const failed: unknown[] = []
  let last: RequestPlace | null = null
  for (let answered = 0; answered < MOST; answered += AT_ONCE) {
    const requests: Waiting[] = await findResetRequests(database, last, AT_ONCE)
    for (const request of requests) await answer(context, request).catch((error: unknown) => failed.push(error))
    if (requests.length < AT_ONCE) break
    last = requests.at(-1)!
  }
  throwAny(failed)
}

type Waiting = Awaited<ReturnType<typeof findResetRequests>>[number]

async function answer(context: WriteContext, { id, org_id, origin }: Waiting): Promise<void> {
  const organization = org_id === null ? null : await findOrganizationFacts(context.database, org_id)
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

const NOBODY: Omit<Caller, 'origin'> = {
  subject: '',
  kind: 'SYSTEM',
  tier: 'DEFAULT',
  scopes: [],
  userId: null,
  partnerId: null,
  organization: null,
}
