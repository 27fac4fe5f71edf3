// Proves that a form is from a page that we have made, for this session and this request: the protection of consent from forged forms.
import type { Sealer } from '../../models/sealed.ts'

const VALID_MS = 30 * 60_000

interface Proven {
  sessionId: string
  /** The query of the request. */
  request: string
  now: Date
}

export const proofOf = (sealer: Sealer, { sessionId, request, now }: Proven): string =>
  sealer.seal(JSON.stringify([sessionId, request, now.getTime() + VALID_MS]))

export function isProof(sealer: Sealer, proof: string, { sessionId, request, now }: Proven): boolean {
  try {
    const [ofSession, ofRequest, until] = JSON.parse(sealer.unseal(proof)) as [string, string, number]
    return ofSession === sessionId && ofRequest === request && until > now.getTime()
  } catch {
    return false
  }
}
