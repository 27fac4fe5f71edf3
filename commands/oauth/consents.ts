// What people allow OAuth clients: given, ended with a membership, withdrawn.
import { fault, notFound } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import { activity } from '../../models/activity.ts'
import {
  consentOrganizations,
  consentsSince,
  lockConsent,
  lockConsentsFor,
  lockConsentsOfUser,
  lockMemberships,
  oauthConsents,
  organizationsOfConsent,
  type OAuthConsentRow,
} from '../../models/oauth-consent.ts'
import type { Books } from '../books/books.ts'
import { activityOf, type ActivityEntry } from '../books/entries.ts'

/** The most consents of a person for one client; a further one ends the oldest. */
const MAX_CONSENTS = 20
/** The most consents of a person in 24 hours: each leaves entries in the activity log of every chosen organisation. */
const MAX_OF_A_DAY = 100
const DAY_MS = 24 * 60 * 60 * 1_000
/** The most organisations that a consent is for, and that a person is shown. */
export const MAX_ORGANIZATIONS = 200

export interface ConsentInput {
  personId: string
  clientId: string
  scopes: string[]
  /** The organisations that the person has chosen. */
  orgIds: string[]
}

/**
 * Keeps that the person allows the client these scopes in these organisations. Throws not_found.resource for an organisation that
 * they do not belong to or that is suspended, validation.required_field without one,
 * and conflict.limit_reached beyond MAX_OF_A_DAY.
 */
export async function giveConsent(
  books: Books,
  { personId, clientId, scopes, orgIds }: ConsentInput,
): Promise<OAuthConsentRow> {
  const chosen = [...new Set(orgIds)]
  if (chosen.length === 0)
    throw fault('validation.required_field', { field: 'organization', message: 'Choose an organisation.' })
  if (chosen.length > MAX_ORGANIZATIONS || !chosen.every(isId)) throw notFound('organisation')
  const memberships = await lockMemberships(books.connection, personId, chosen)
  if (memberships.length < chosen.length) throw notFound('organisation')
  if ((await consentsSince(books.connection, personId, new Date(books.now.getTime() - DAY_MS))) >= MAX_OF_A_DAY) {
    const message = `You have allowed apps ${MAX_OF_A_DAY} times in the last 24 hours; allow others tomorrow.`
    throw fault('conflict.limit_reached', { message, details: { limit: MAX_OF_A_DAY } })
  }
  const former = await lockConsentsFor(books.connection, personId, clientId)
  for (const oldest of former.slice(MAX_CONSENTS - 1)) await withdraw(books, oldest)
  const consent = books.insertAbove(oauthConsents, {
    id: books.newId(),
    person_id: personId,
    client_id: clientId,
    scopes,
    created_time: books.now,
    withdrawn_time: null,
  })
  for (const { org_id, user_id } of memberships) {
    books.insertAbove(consentOrganizations, { org_id, consent_id: consent.id, user_id, ended_time: null })
    record(books, 'OAUTH_CONSENT_GIVEN', consent, { orgId: org_id, userId: user_id })
  }
  return consent
}

/** Withdraws a consent of a person: codes and tokens that it gave work no more. Throws not_found.resource. */
export async function withdrawConsent(books: Books, personId: string, id: string): Promise<void> {
  const consent = isId(id) ? await lockConsent.first(books.connection, personId, id) : null
  if (!consent || consent.withdrawn_time !== null) throw notFound('consent')
  await withdraw(books, consent)
}

async function withdraw(books: Books, consent: OAuthConsentRow): Promise<void> {
  for (const { org_id, user_id } of await organizationsOfConsent(books.connection, consent.id)) {
    record(books, 'OAUTH_CONSENT_WITHDRAWN', consent, { orgId: org_id, userId: user_id })
  }
  books.update(oauthConsents, consent, { withdrawn_time: books.now })
}

/** Ends what a member who is being removed has allowed in the organisation, for good: also if they join it again. */
export async function endConsentsOfMember(books: Books, userId: string, time: Date): Promise<void> {
  for (const one of await lockConsentsOfUser(books, userId))
    books.update(consentOrganizations, one, { ended_time: time })
}

// What a person does themselves may concern several organisations, and is in the log of each.
function record(
  books: Books,
  action: string,
  { id, client_id, scopes }: OAuthConsentRow,
  { orgId, userId }: { orgId: string; userId: string },
): void {
  const metadata = { consent_id: id, client_id, scopes }
  const entry: ActivityEntry = {
    action,
    entityType: 'USER',
    entityId: userId,
    entityRef: null,
    actorUserId: userId,
    metadata,
  }
  books.insertAbove(activity, { ...activityOf(entry, books.newId(), books.caller, books.now), org_id: orgId })
}
