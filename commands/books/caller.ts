// The caller: the person or program that a command runs for, within one organisation.
import type { Role } from '../../domain/roles.ts'
import type { SignedIn } from '../../models/session.ts'
import type { OrganizationFacts } from '../../models/token.ts'
import type { Precondition } from '../../models/transaction.ts'

export type { OrganizationFacts }

/** Where a call came from; `bulk_id` where it is a row of a bulk. */
export interface Origin {
  request_id: string | null
  ip: string | null
  user_agent: string | null
  source: string
  bulk_id?: string
}

export interface Caller {
  /** The id of the token, partner key or session; of an app's call, of its grant. */
  subject: string
  /** Of an app that acts for a person: its OAuth client. */
  clientId?: string
  kind: 'TOKEN' | 'OAUTH' | 'PARTNER' | 'SYSTEM' | 'SESSION'
  tier: 'DEFAULT' | 'PARTNER'
  scopes: string[]
  userId: string | null
  partnerId: string | null
  organization: OrganizationFacts | null
  /** Of a signed-in person; name and role are those in the organisation, null without one. */
  session?: SignedIn & { name: string | null; role: Role | null }
  /** The precondition of a transaction that begins at `now`: the token is still valid. It was checked earlier, before the call waited. */
  precondition?(now: Date): Precondition
  /** Written into the metadata of every activity entry. */
  origin: Origin
}
