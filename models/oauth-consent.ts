// What people allow OAuth clients: scopes, in the organisations that they choose.
import type { Connection, Statement } from './connection.ts'
import { finder, finderAbove, is } from './find.ts'
import { TEXTS, TIME, UUID, model, orNull, type RowOf } from './model.ts'

export const oauthConsents = model(
  'oauth_consents',
  {
    id: UUID,
    person_id: UUID,
    client_id: UUID,
    scopes: TEXTS,
    created_time: TIME,
    withdrawn_time: orNull(TIME),
  },
  { key: ['id'] },
)
export type OAuthConsentRow = RowOf<typeof oauthConsents>

export const consentOrganizations = model(
  'oauth_consent_organizations',
  {
    org_id: UUID,
    consent_id: UUID,
    user_id: UUID,
    /** Set when the person is removed from the organisation. */
    ended_time: orNull(TIME),
  },
  { key: ['org_id', 'consent_id'] },
)
export type ConsentOrganizationRow = RowOf<typeof consentOrganizations>

/** The organisations of consents of a user, who is being removed, locked. */
export const lockConsentsOfUser = finder<ConsentOrganizationRow, [userId: string]>(consentOrganizations, (userId) => ({
  where: { user_id: is(userId), ended_time: null },
  order: ['consent_id'],
  lock: true,
}))

/** The consents of a person for a client that are not withdrawn, the newest first, locked. */
export const lockConsentsFor = finderAbove<OAuthConsentRow, [personId: string, clientId: string]>(
  oauthConsents,
  (personId, clientId) => ({
    where: { person_id: is(personId), client_id: is(clientId), withdrawn_time: null },
    order: [
      ['created_time', 'DESC'],
      ['id', 'DESC'],
    ],
    lock: true,
  }),
)

/**
 * The memberships of a person in those of these organisations that are active, locked against being ended. Consents of the person
 * come one after another, so that each counts the others.
 */
export async function lockMemberships(
  connection: Connection,
  personId: string,
  orgIds: string[],
): Promise<OrganizationOfConsent[]> {
  await connection.run(LOCK_CONSENTS, [personId])
  return connection.run<OrganizationOfConsent>(LOCK_MEMBERSHIPS, [personId, orgIds])
}

const LOCK_CONSENTS: Statement = {
  name: 'lock consents of person',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('consents of ' || $1::text, 0))`,
}
const LOCK_MEMBERSHIPS: Statement = {
  name: 'lock memberships of person',
  text: `SELECT u.org_id, u.id AS user_id FROM users AS u JOIN organizations AS o ON o.id = u.org_id
         WHERE u.person_id = $1 AND u.org_id = ANY($2::uuid[]) AND o.status = 'ACTIVE' ORDER BY u.org_id FOR SHARE OF u`,
}

/** How many consents a person has given since this time, withdrawn ones too, which stay for a day. */
export async function consentsSince(connection: Connection, personId: string, since: Date): Promise<number> {
  const [{ count } = { count: 0n }] = await connection.run<{ count: bigint }>(COUNT_SINCE, [personId, since])
  return Number(count)
}

const COUNT_SINCE: Statement = {
  name: 'count oauth consents of person',
  text: 'SELECT count(*) FROM oauth_consents WHERE person_id = $1 AND created_time > $2',
  takesNoLock: true,
}

/** A consent of a person, locked. */
export const lockConsent = finderAbove<OAuthConsentRow, [personId: string, id: string]>(
  oauthConsents,
  (personId, id) => ({ where: { person_id: is(personId), id: is(id) }, lock: true }),
)

/** The organisations in which a consent holds now: the person chose them and still belongs to them. */
export interface OrganizationOfConsent {
  org_id: string
  user_id: string
}

export const organizationsOfConsent = (connection: Connection, consentId: string): Promise<OrganizationOfConsent[]> =>
  connection.run<OrganizationOfConsent>(ORGANIZATIONS, [consentId])

const HOLDS = `JOIN users AS u ON u.org_id = m.org_id AND u.id = m.user_id AND u.person_id = c.person_id AND m.ended_time IS NULL`

const ORGANIZATIONS: Statement = {
  name: 'organizations of oauth consent',
  text: `SELECT m.org_id, m.user_id FROM oauth_consents AS c JOIN oauth_consent_organizations AS m ON m.consent_id = c.id ${HOLDS}
         WHERE c.id = $1 AND c.withdrawn_time IS NULL ORDER BY m.org_id`,
  takesNoLock: true,
}

/** An organisation that a person may choose; `matching` are all from which it is taken, also those that are not shown. */
export interface ChoiceOfConsent {
  org_id: string
  name: string
  role: string
  matching: bigint
}

/** The active organisations of a person that have `named` in their names, and those that they have chosen, by their names. */
export const choicesOfPerson = (
  connection: Connection,
  { personId, named, chosen, most }: { personId: string; named: string; chosen: string[]; most: number },
): Promise<ChoiceOfConsent[]> => connection.run<ChoiceOfConsent>(CHOICES, [personId, named, chosen, most])

const CHOICES: Statement = {
  name: 'choices of oauth consent',
  // Of too many, those that the person belongs to longest: ids are in the order of time.
  text: `SELECT first.* FROM (
           SELECT u.org_id, o.name, u.role, count(*) OVER () AS matching FROM users AS u JOIN organizations AS o ON o.id = u.org_id
           WHERE u.person_id = $1 AND o.status = 'ACTIVE' AND (strpos(lower(o.name), lower($2)) > 0 OR u.org_id = ANY($3::uuid[]))
           ORDER BY u.org_id = ANY($3::uuid[]) DESC, u.id LIMIT $4::integer) AS first ORDER BY first.name, first.org_id`,
  takesNoLock: true,
}

/** The newest consent of the person for the client that allows all of these scopes in some organisation; null where none does. */
export async function rememberedConsent(
  connection: Connection,
  { personId, clientId, scopes }: { personId: string; clientId: string; scopes: string[] },
): Promise<string | null> {
  const [found] = await connection.run<{ id: string }>(REMEMBERED, [personId, clientId, scopes])
  return found?.id ?? null
}

const REMEMBERED: Statement = {
  name: 'remembered oauth consent',
  text: `SELECT c.id FROM oauth_consents AS c WHERE c.person_id = $1 AND c.client_id = $2 AND c.withdrawn_time IS NULL AND c.scopes @> $3::text[]
           AND EXISTS (SELECT FROM oauth_consent_organizations AS m ${HOLDS} WHERE m.consent_id = c.id)
         ORDER BY c.created_time DESC, c.id DESC LIMIT 1`,
  takesNoLock: true,
}

/** A consent as its person sees it. */
export interface ListedConsent {
  id: string
  client_id: string
  client: string
  scopes: string[]
  created_time: Date
  organizations: { org_id: string; name: string }[]
  /** To the hour. */
  last_used_time: Date | null
}

/** The consents of a person that hold, the newest first, at most 500. */
export const consentsOfPerson = (connection: Connection, personId: string): Promise<ListedConsent[]> =>
  connection.run<ListedConsent>(LISTED, [personId])

const LISTED: Statement = {
  name: 'oauth consents of person',
  text: `SELECT c.id, c.client_id, k.name AS client, c.scopes, c.created_time, held.organizations,
           (SELECT max(l.last_used_time) FROM oauth_grants AS g JOIN last_uses AS l ON l.subject = g.id WHERE g.consent_id = c.id) AS last_used_time
         FROM oauth_consents AS c JOIN oauth_clients AS k ON k.id = c.client_id AND k.revoked_time IS NULL
         CROSS JOIN LATERAL (SELECT jsonb_agg(jsonb_build_object('org_id', o.id, 'name', o.name) ORDER BY o.name, o.id) AS organizations
           FROM oauth_consent_organizations AS m ${HOLDS} JOIN organizations AS o ON o.id = m.org_id WHERE m.consent_id = c.id) AS held
         WHERE c.person_id = $1 AND c.withdrawn_time IS NULL AND held.organizations IS NOT NULL
         ORDER BY c.created_time DESC, c.id DESC LIMIT 500`,
  takesNoLock: true,
}
