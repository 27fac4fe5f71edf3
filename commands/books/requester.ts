// The caller in whose name the worker carries out what was requested earlier, when it has no token any more.
import { organizationUnchanged, type OrganizationFacts } from '../../models/token.ts'
import type { Caller } from './caller.ts'

/** Who requested the work, as it is stored with the request. */
export interface Requester {
  /** The user who sent the request; null where the token has no user. */
  requested_by: string | null
  origin: Caller['origin']
}

/**
 * The caller for openBooks: entries of the activity log name the user and the origin of the request. The transaction
 * requires that the organisation is still as it was read by findOrganizationFacts, and throws CallerChanged otherwise.
 */
export function requesterOf(
  { requested_by, origin }: Requester,
  organization: OrganizationFacts & { version: string },
): Caller {
  return {
    subject: '',
    kind: 'SYSTEM',
    tier: 'DEFAULT',
    scopes: [],
    userId: requested_by,
    partnerId: null,
    organization,
    origin,
    precondition: () => organizationUnchanged(organization),
  }
}
