// Who asks: the person or machine on whose behalf a command runs, within one organisation.
import type { OrganizationFacts } from '../../models/token.ts'
import type { Precondition } from '../../models/transaction.ts'

export type { OrganizationFacts }

export interface Caller {
  /** The token or partner key by which keyed answers and rate limits are counted. */
  subject: string
  kind: 'TOKEN' | 'OAUTH' | 'PARTNER' | 'SYSTEM'
  tier: 'DEFAULT' | 'PARTNER'
  scopes: string[]
  userId: string | null
  partnerId: string | null
  organization: OrganizationFacts | null
  /** What a transaction of theirs that begins now requires: they were identified before it, and may have waited since. */
  standing?(now: Date): Precondition
  /** Goes into the metadata of every activity entry. */
  origin: { request_id: string | null; ip: string | null; user_agent: string | null; source: string }
}
