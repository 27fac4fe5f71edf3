// The signature by which a receiver verifies that a webhook comes from this service.
import { createHmac } from 'node:crypto'

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

export interface SignedWebhook {
  deliveryId: string
  eventType: string
  body: Buffer
  secrets: readonly string[]
}

/** The headers of one attempt at a delivery (specification, "Webhook events"). `now` gives its timestamp. */
export function deliveryHeaders(
  { deliveryId, eventType, body, secrets }: SignedWebhook,
  now: Date,
): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1_000)
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Bahi-Webhooks/1',
    'X-Svc-Event': eventType,
    'X-Svc-Delivery': deliveryId,
    'X-Svc-Timestamp': String(timestamp),
    'X-Svc-Signature': signature(secrets, timestamp, body),
  }
}
