// Verifies a webhook: that it was signed with a secret of the endpoint, and lately.
import { SignatureError } from './errors.ts'
import type { webhooks } from './schema.ts'

type DeliveryOf<Type extends keyof webhooks> = webhooks[Type]['post']['requestBody']['content']['application/json']

/** What a webhook delivers: `event_type` says which `data` it has. */
export type WebhookEvent =
  | { [Type in keyof webhooks]: DeliveryOf<Type> }[keyof webhooks]
  | { event_type: 'webhook.test'; delivery_id: string; occurred_at: string; org_id: string; data: { id: string } }

/** The headers of a request, as fetch or node:http have them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

export interface VerifyOptions {
  /** By how many seconds the time of the signature may differ from the clock: 300 unless said. */
  toleranceSeconds?: number
  /** The time in milliseconds, now unless said. */
  now?: number
}

/** Signatures beyond these are not looked at; the service sends one for each secret, five at most. */
const MOST_SIGNATURES = 10

/**
 * The event of a webhook whose `body`, the raw bytes or text as it arrived, was signed with one of `secrets` (`svc_whsec_...`).
 * Throws a SignatureError for any other.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const { time, signatures } = signedIn(headerOf(headers, 'x-svc-signature'))
  // A tolerance or a clock that is no number refuses, too.
  if (!(Math.abs(now / 1000 - Number(time)) <= toleranceSeconds))
    throw new SignatureError(`The webhook was signed at ${time}, more than ${toleranceSeconds} seconds from now.`)
  const bytes = bytesOf(body)
  const signed = joined(new TextEncoder().encode(`${time}.`), bytes)
  const known = [secrets].flat().filter((secret) => secret !== '')
  if (known.length === 0) throw new SignatureError('There is no secret to verify the webhook with.')
  const checks = known.flatMap((secret) => signatures.map((signature) => isSigned(secret, signature, signed)))
  if (!(await Promise.all(checks)).includes(true))
    throw new SignatureError('The webhook was not signed with any of these secrets, or its body is not as it was sent.')
  return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent
}

/** Compares in constant time, as WebCrypto does. */
async function isSigned(secret: string, signature: Bytes, signed: Bytes): Promise<boolean> {
  const encoded = new TextEncoder().encode(secret)
  const key = await crypto.subtle.importKey('raw', encoded, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  return crypto.subtle.verify('HMAC', key, signature, signed)
}

type Bytes = Uint8Array<ArrayBuffer>

/** `t=1795253400,v1=5f0c...,v1=...`: the time as it was signed, and the signatures that can be ones. */
function signedIn(header: string | null): { time: string; signatures: Bytes[] } {
  const parts = (header ?? '').split(',', MOST_SIGNATURES + 1).map((part) => part.trim().split('=', 2))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  const given = parts.filter(([name, value = '']) => name === 'v1' && /^[0-9a-f]{64}$/i.test(value))
  if (!/^\d{1,15}$/.test(time) || given.length === 0) throw new SignatureError('The webhook has no X-Svc-Signature.')
  return {
    time,
    signatures: given.map(([, hex = '']) => Uint8Array.from(hex.match(/../g)!, (byte) => Number.parseInt(byte, 16))),
  }
}

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name)
  const found = Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
  return [found].flat()[0] ?? null
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  return typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body as ArrayBuffer)
}

function joined(first: Uint8Array, second: Uint8Array): Bytes {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}
