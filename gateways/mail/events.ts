// The provider's reports of what became of mails: whether a request is signed by it, and what it says.
import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { stateOfEvent, type MailReported } from '../../domain/mail-delivery.ts'

/** The headers of SendGrid's signed event webhook, in lower case. */
export const SIGNATURE_HEADER = 'x-twilio-email-event-webhook-signature'
export const TIMESTAMP_HEADER = 'x-twilio-email-event-webhook-timestamp'

/** A request whose timestamp is further away than this is refused: it was recorded and sent again. */
export const TOLERANCE_SECONDS = 600

/** The most events of a request, and the most bytes; the provider sends fewer. */
export const MAX_EVENTS = 5_000
export const MAX_EVENT_BYTES = 4 * 1024 * 1024

/** What the headers of a request present as its signature. */
export interface PresentedSignature {
  signature: Buffer
  timestamp: string
}

/** What one event says of one recipient of one mail; the ids are those that were sent with the mail, in its custom arguments. */
export interface MailEvent extends MailReported {
  orgId: string
  emailId: string
}

/** The provider's public key, in base64 of DER, as its settings show it. Throws an Error where it is none of its curve. */
export function eventKeyOf(text: string): KeyObject {
  const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new Error('the key of the event webhook must be an ECDSA key of the curve P-256')
  }
  return key
}

/** The signature that a request presents; null where it is missing, has not the form of one, or is not of this time. */
export function presentedSignature(
  { signature, timestamp }: { signature: string | undefined; timestamp: string | undefined },
  now: Date,
): PresentedSignature | null {
  if (!signature || !timestamp || !/^\d{1,12}$/.test(timestamp) || !/^[A-Za-z0-9+/]{10,96}={0,2}$/.test(signature))
    return null
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return null
  return { signature: Buffer.from(signature, 'base64'), timestamp }
}

/** Whether it is a signature with the key, over its timestamp and the bytes of the body. */
export function isSigned(key: KeyObject, { signature, timestamp }: PresentedSignature, body: Buffer): boolean {
  try {
    return verify('sha256', Buffer.concat([Buffer.from(timestamp), body]), key, signature)
  } catch {
    return false
  }
}

/** The events of a body that are ours and say something; null where the body is no list of events. */
export function readEvents(body: Buffer): MailEvent[] | null {
  let list: unknown
  try {
    list = JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
  if (!Array.isArray(list) || list.length > MAX_EVENTS) return null
  return list.flatMap((one) => eventOf(one) ?? [])
}

const LONGEST_REASON = 500

function eventOf(one: unknown): MailEvent | null {
  if (typeof one !== 'object' || one === null) return null
  const { event, org_id, email_id, email, timestamp, reason, response } = one as Record<string, unknown>
  const state = typeof event === 'string' ? stateOfEvent(event) : null
  const texts = [org_id, email_id, email]
  if (state === null || !texts.every((text) => typeof text === 'string' && text !== '' && text.length <= 400))
    return null
  if (typeof timestamp !== 'number' || !Number.isInteger(timestamp) || Math.abs(timestamp) > 1e11) return null
  const told = [reason, response].find((text) => typeof text === 'string' && text !== '') as string | undefined
  return {
    orgId: org_id as string,
    emailId: email_id as string,
    address: email as string,
    report: state,
    at: new Date(timestamp * 1000),
    words: told ? told.replaceAll(/\p{Cc}/gu, ' ').slice(0, LONGEST_REASON) : null,
  }
}
