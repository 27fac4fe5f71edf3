// Who asks: the person or machine on whose behalf a command runs, within one organisation.
import type { OrganizationRow } from '../models/organization.ts'

/** What commands need to know of the organisation; read once with the token. */
export type OrganizationFacts = Pick<
  OrganizationRow,
  'id' | 'name' | 'status' | 'sandbox' | 'currency_code' | 'fiscal_year_start_month' | 'time_zone' | 'state_code' | 'preferences'
>

export interface Caller {
  /** The token or partner key by which keyed answers and rate limits are counted. */
  subject: string
  kind: 'TOKEN' | 'OAUTH' | 'PARTNER' | 'SYSTEM'
  tier: 'DEFAULT' | 'PARTNER'
  scopes: string[]
  userId: string | null
  partnerId: string | null
  organization: OrganizationFacts | null
  /** Goes into the metadata of every activity entry. */
  origin: { request_id: string | null; ip: string | null; user_agent: string | null; source: string }
}
