// POST /internal/v1/mail/events: takes the mail provider's signed reports, and records them for each mail.
import type { IncomingMessage } from 'node:http'
import type { Caller } from '../commands/books/caller.ts'
import { openBooks, type WriteContext } from '../commands/books/open-books.ts'
import { requesterOf } from '../commands/books/requester.ts'
import { asFault } from '../commands/books/refusals.ts'
import { recordReports } from '../commands/mail/reports.ts'
import { fault } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import {
  eventKeyOf,
  isSigned,
  MAX_EVENT_BYTES,
  readEvents,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
  type MailEvent,
} from '../gateways/mail/events.ts'
import { CallerChanged, findOrganizationFacts } from '../models/token.ts'
import { discardRest, readBody } from './http/body.ts'
import type { Unmatched } from './http/unmatched.ts'
import { mount, send, sendBytes, type RestServer } from './mount.ts'

export const MAIL_EVENTS_PATH = '/internal/v1/mail/events'

/** Requests that are handled at once; the provider sends one that is refused again. */
const AT_ONCE = 4

const ORIGIN: Caller['origin'] = { request_id: null, ip: null, user_agent: null, source: 'MAIL_PROVIDER' }

/**
 * Takes one request. Throws not_found.route where no key is set, auth.invalid_token for a request without the provider's
 * signature, request.malformed_json for a body that is no list of events, and service.unavailable where too many are under way.
 */
export function createMailEvents(publicKey: string | null, context: WriteContext) {
  const key = publicKey === null ? null : eventKeyOf(publicKey)
  let underWay = 0

  return async function take(request: IncomingMessage): Promise<void> {
    if (!key) throw fault('not_found.route')
    if (underWay >= AT_ONCE) throw fault('service.unavailable', { retryAfter: 5 })
    underWay += 1
    try {
      const body = await readBody(request, MAX_EVENT_BYTES)
      const header = (name: string) => request.headersDistinct[name]?.[0]
      const signed = { body, signature: header(SIGNATURE_HEADER), timestamp: header(TIMESTAMP_HEADER) }
      if (!isSigned(key, signed, context.clock()))
        throw fault('auth.invalid_token', { message: "The request is not signed with the mail provider's key." })
      const events = readEvents(body)
      if (events === null) throw fault('request.malformed_json', { message: 'The body is no list of events.' })
      await record(context, events)
    } catch (error) {
      // The organisation was changed meanwhile; the provider sends the request again.
      throw error instanceof CallerChanged ? fault('service.unavailable', { retryAfter: 5 }) : error
    } finally {
      underWay -= 1
      discardRest(request)
    }
  }
}

async function record(context: WriteContext, events: MailEvent[]): Promise<void> {
  const byMail = Map.groupBy(
    events.filter(({ orgId, emailId }) => isId(orgId) && isId(emailId)),
    ({ orgId, emailId }) => `${orgId} ${emailId}`.toLowerCase(),
  )
  for (const reports of byMail.values()) {
    const { orgId, emailId } = reports[0]!
    const organization = await findOrganizationFacts(context.database, orgId)
    if (!organization) continue
    const caller = requesterOf({ requested_by: null, origin: ORIGIN }, organization)
    await openBooks(context, caller, (books) => recordReports(books, emailId, reports))
  }
}

/** Mounts the call; the provider sends a request again that is answered with an error. */
export function mountMailEvents(
  server: RestServer,
  unmatched: Unmatched,
  take: (request: IncomingMessage) => Promise<void>,
): void {
  mount(server, 'POST', MAIL_EVENTS_PATH, async (request, response) => {
    try {
      await take(request)
      sendBytes(response, 204, '', unmatched.headers())
    } catch (error) {
      send(response, unmatched.replyTo(request, asFault(error) as Error))
    }
  })
}
