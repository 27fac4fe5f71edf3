// POST /internal/v1/mail/events: takes the mail provider's signed reports, and records them for each mail.
import type { KeyObject } from 'node:crypto'
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
  presentedSignature,
  readEvents,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
  type MailEvent,
} from '../gateways/mail/events.ts'
import { CallerChanged, findOrganizationFacts } from '../models/token.ts'
import { discardRest, readBody } from './http/body.ts'
import { addressBlock } from './http/client-address.ts'
import { createFairShare } from './http/fair-share.ts'
import { limitExceeded, limitHeaders } from './http/pipeline.ts'
import type { ServerContext } from './http/server-context.ts'
import type { Unmatched } from './http/unmatched.ts'
import { mount, send, sendBytes, type RestServer } from './mount.ts'

export const MAIL_EVENTS_PATH = '/internal/v1/mail/events'

/**
 * Bodies that are received at once, in all and of one address, and how long a request waits for those of its address. Where there
 * are more in all, the oldest is broken off: the provider's arrive at once, and those that stall may come from many addresses.
 */
const MOST_BODIES = 12
const OF_ADDRESS = {
  total: 10_000,
  each: 2,
  waitSeconds: 5,
  message: 'Too many reports are being received; try again.',
}
/** How long a body may take: the provider's are small, and sent by a server. */
const BODY_MS = 5_000
/** Signed requests that are recorded at once. They have left their place among the bodies, which anybody can take. */
const RECORDING = { total: 4, each: 4, waitSeconds: 10, message: 'Too many reports are being recorded; try again.' }

const ORIGIN: Caller['origin'] = { request_id: null, ip: null, user_agent: null, source: 'MAIL_PROVIDER' }

/**
 * The events of a request that the provider has signed. Anybody can send one, so its headers must present a signature before a
 * byte of its body is read. Throws what `refuse` does for a request without the provider's signature, request.malformed_json for a
 * body that is no list of events, and service.unavailable where too many of this address are under way.
 */
function createReceiver(key: KeyObject, clock: () => Date) {
  const ofAddress = createFairShare(OF_ADDRESS)
  // In the order in which they have begun.
  const receiving = new Set<IncomingMessage>()

  return async function receive(
    request: IncomingMessage,
    address: string,
    refuse: (refused?: unknown) => Promise<never>,
  ): Promise<MailEvent[]> {
    const header = (name: string) => request.headersDistinct[name]?.[0]
    const headers = { signature: header(SIGNATURE_HEADER), timestamp: header(TIMESTAMP_HEADER) }
    const presented = presentedSignature(headers, clock())
    if (!presented) return refuse()
    const release = await ofAddress.take(address)
    const [oldest] = receiving
    if (oldest && receiving.size >= MOST_BODIES) {
      receiving.delete(oldest)
      oldest.socket.destroy()
    }
    receiving.add(request)
    try {
      const body = await readBody(request, MAX_EVENT_BYTES, BODY_MS).catch(refuse)
      receiving.delete(request)
      if (!isSigned(key, presented, body)) return await refuse()
      const events = readEvents(body)
      if (events === null) throw fault('request.malformed_json', { message: 'The body is no list of events.' })
      return events
    } finally {
      receiving.delete(request)
      release()
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

/**
 * Mounts the call; the provider sends a request again that is answered with an error. Requests without its signature count by the
 * address of their client, as those with an unknown token do (decisions §11). Without a key there is no such path.
 */
export function mountMailEvents(
  server: RestServer,
  unmatched: Unmatched,
  publicKey: string | null,
  {
    writeContext,
    limiter,
    throttle,
    addressOf,
  }: Pick<ServerContext, 'writeContext' | 'limiter' | 'throttle' | 'addressOf'>,
): void {
  const { clock } = writeContext
  const receive = publicKey === null ? null : createReceiver(eventKeyOf(publicKey), clock)
  const recording = createFairShare(RECORDING)

  mount(server, 'POST', MAIL_EVENTS_PATH, async (request, response) => {
    const address = addressBlock(addressOf(request) ?? 'unknown')
    let allowance = limiter.uncounted(clock())
    const refuse = async (refused: unknown = fault('auth.invalid_token', { message: UNSIGNED })): Promise<never> => {
      allowance = await limiter.count({ of: 'ADDRESS', key: address }, clock())
      if (allowance.allowed) throw refused
      await throttle()
      throw limitExceeded(allowance)
    }
    try {
      if (!receive) throw fault('not_found.route')
      const events = await receive(request, address, refuse)
      const release = await recording.take('provider')
      await record(writeContext, events).finally(release)
      sendBytes(response, 204, '', unmatched.headers())
    } catch (error) {
      // An organisation was changed meanwhile; the provider sends the request again.
      const meant = error instanceof CallerChanged ? fault('service.unavailable', { retryAfter: 5 }) : asFault(error)
      const reply = unmatched.replyTo(request, meant as Error)
      Object.assign(reply.headers, limitHeaders(allowance))
      discardRest(request)
      send(response, reply)
    }
  })
}

const UNSIGNED = "The request is not signed with the mail provider's key."
