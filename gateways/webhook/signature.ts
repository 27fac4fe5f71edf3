// The signature by which a receiver verifies that a webhook comes from this service.
import { createHmac } from 'node:crypto'
import { standardSecret } from '../../domain/standard-secret.ts'

/**
 * The value of X-Svc-Signature: HMAC-SHA256 over the timestamp, a dot and the raw body, in hex, one `v1` for each
 * secret (two or more while former secrets are still good). `timestamp` is in unix seconds (specification, "Signature
 * verification").
 */
export function signature(secrets: readonly string[], timestamp: number, body: Buffer): string {
  const signed = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex'),
  )
  return [`t=${timestamp}`, ...signed.map((hex) => `v1=${hex}`)].join(',')
}

/**
 * The value of webhook-signature (Standard Webhooks): HMAC-SHA256 over the message's id, the timestamp and the raw body, with
 * dots between them, in base64, one `v1` for each secret. The key is that of standardSecret.
 */
function standardSignature(secrets: readonly string[], id: string, timestamp: number, body: Buffer): string {
  const signed = secrets.map((secret) =>
    createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest('base64'),
  )
  return signed.map((base64) => `v1,${base64}`).join(' ')
}

const keyOf = (secret: string) => Buffer.from(standardSecret(secret).slice('whsec_'.length), 'base64')

export interface SignedWebhook {
  deliveryId: string
  eventType: string
  body: Buffer
  secrets: readonly string[]
  /** Whether to add the headers of Standard Webhooks. */
  standardWebhooks: boolean
}

/** The headers of one attempt at a delivery (specification, "Webhook events"). `now` gives its timestamp. */
export function deliveryHeaders(
  { deliveryId, eventType, body, secrets, standardWebhooks }: SignedWebhook,
  now: Date,
): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1_000)
  const standard = standardWebhooks && {
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardSignature(secrets, deliveryId, timestamp, body),
  }
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Bahi-Webhooks/1',
    'X-Svc-Event': eventType,
    'X-Svc-Delivery': deliveryId,
    'X-Svc-Timestamp': String(timestamp),
    'X-Svc-Signature': signature(secrets, timestamp, body),
    ...standard,
  }
}
