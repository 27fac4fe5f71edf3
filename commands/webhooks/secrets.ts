// Replaces the secret of a webhook endpoint, while deliveries go on being signed with the former one for some time.
import { fault } from '../../domain/faults.ts'
import { formerAfter, MAX_SECRETS, OVERLAP_SECONDS } from '../../domain/webhook-secrets.ts'
import type { Sealer } from '../../models/sealed.ts'
import { mintSecret, PREFIXES } from '../../models/token.ts'
import { webhookEndpoints } from '../../models/webhook.ts'
import type { Books } from '../books/books.ts'
import { endpointOf, withCircuits, type EndpointWithCircuit } from './endpoints.ts'

export interface RotatedEndpoint extends EndpointWithCircuit {
  /** The new signing secret: returned once, stored sealed. */
  secret: string
}

/**
 * Gives an endpoint a new secret. Deliveries are signed with the former ones too for `overlapSeconds`, and with none of them
 * for longer. Throws not_found.resource, and conflict.limit_reached where more than MAX_SECRETS would be good at once.
 */
export async function rotateSecret(
  books: Books,
  id: string,
  overlapSeconds: number | null | undefined,
  sealer: Sealer,
): Promise<RotatedEndpoint> {
  const endpoint = await endpointOf(books, id, 'FOR UPDATE')
  const overlap = overlapSeconds ?? OVERLAP_SECONDS.default
  const former = formerAfter(endpoint.secret_sealed, endpoint.former_secrets, books.now, overlap)
  if (former.length >= MAX_SECRETS) {
    throw fault('conflict.limit_reached', {
      message: `At most ${MAX_SECRETS} secrets of an endpoint are good at once; wait until one ends, or rotate with overlap_seconds 0.`,
      details: { limit: MAX_SECRETS },
    })
  }
  const secret = mintSecret(PREFIXES.webhookSecret)
  const [before] = await withCircuits(books, [endpoint])
  books.record({
    action: 'WEBHOOK_ENDPOINT_SECRET_ROTATED',
    entityType: 'WEBHOOK_ENDPOINT',
    entityId: id,
    entityRef: endpoint.url,
    metadata: { overlap_seconds: overlap },
  })
  const rotated = books.update(webhookEndpoints, endpoint, {
    secret_sealed: sealer.seal(secret),
    former_secrets: former,
    last_modified_time: books.now,
  })
  return { endpoint: rotated, circuit: before!.circuit, secret }
}
