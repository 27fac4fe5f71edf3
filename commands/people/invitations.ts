// Invitations to an organisation: sent by mail, accepted once, withdrawn.
import { fault, notFound } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import { mailAddress } from '../../domain/mail-address.ts'
import { LINK_MS } from '../../domain/mail-link.ts'
import type { Role } from '../../domain/roles.ts'
import type { Connection } from '../../models/connection.ts'
import { findRow } from '../../models/find.ts'
import {
  countInvitationMails,
  findInvitations,
  invitations,
  lockEndedInvitations,
  lockInvitation,
  lockInvitationsOf,
  type InvitationRow,
} from '../../models/invitation.ts'
import { findOrganization, lockOrganization, type OrganizationRow } from '../../models/organization.ts'
import { findPersonByEmail, lockPerson, people, type PersonRow } from '../../models/person.ts'
import type { Books } from '../books/books.ts'
import { queueLinkMail } from '../mail/notices.ts'
import { linkEnded, type MailLinks } from './mail-links.ts'
import { joinMember, refuseMember } from './members.ts'
import { checkPassword, hashOfPassword } from './passwords.ts'
import { NO_ADDRESS } from './persons.ts'

/** The most invitations of an organisation that nobody has accepted yet. */
const MAX_OPEN = 100
/** An address is invited again after so long at the earliest. */
const AGAIN_MS = 60_000
/** The most invitations that an organisation mails in 24 hours, and of those to one address; withdrawn ones count too. */
const MAX_OF_A_DAY = { mails: 200, toAddress: 5 }
const DAY_MS = 24 * 60 * 60 * 1_000

const ROLE_WORDS: Record<Role, string> = { OWNER: 'an owner', ACCOUNTANT: 'an accountant', VIEWER: 'a viewer' }

/**
 * Invites an address; an earlier invitation of it works no more. Throws validation.duplicate_resource for a member,
 * validation.invalid_value for an address that mail cannot reach, conflict.limit_reached beyond MAX_OPEN and MAX_OF_A_DAY, and
 * rate_limit.exceeded where the address was invited within AGAIN_MS.
 */
export async function invite(
  books: Books,
  { email, role, site }: { email: string; role: Role; site: string },
): Promise<InvitationRow> {
  const address = mailAddress(email)
  if (!address || address.toLowerCase() === NO_ADDRESS)
    throw fault('validation.invalid_value', { field: 'email', message: 'Mail cannot be sent to this address.' })
  // So that it is counted what others invite.
  await lockOrganization(books.connection, books.orgId)
  await refuseMember(books, address)
  for (const ended of await lockEndedInvitations(books, books.now)) books.delete(invitations, ended)
  const earlier = (await lockInvitationsOf(books, address)).filter(({ expires_time }) => expires_time > books.now)
  const again = earlier.find(({ created_time }) => books.now.getTime() - created_time.getTime() < AGAIN_MS)
  if (again) throw tooSoon(again, books.now)
  const open = await findInvitations(books, books.now)
  if (open.length - earlier.length >= MAX_OPEN) {
    const message = `${MAX_OPEN} invitations are open; withdraw some that are not needed any more.`
    throw fault('conflict.limit_reached', { message, details: { limit: MAX_OPEN } })
  }
  await refuseTooMany(books, address)
  for (const one of earlier) books.delete(invitations, one)
  const invitation = books.insert(invitations, {
    id: books.newId(),
    email: address,
    role,
    invited_by: books.caller.userId!,
    created_time: books.now,
    expires_time: new Date(books.now.getTime() + LINK_MS.INVITATION),
  })
  mailInvitation(books, invitation, site)
  record(books, 'MEMBER_INVITED', invitation)
  return invitation
}

async function refuseTooMany(books: Books, address: string): Promise<void> {
  const since = new Date(books.now.getTime() - DAY_MS)
  const mailed = await countInvitationMails(books, since, address)
  const limit = mailed.toAddress >= MAX_OF_A_DAY.toAddress ? MAX_OF_A_DAY.toAddress : MAX_OF_A_DAY.mails
  if (mailed.toAddress < MAX_OF_A_DAY.toAddress && mailed.mails < MAX_OF_A_DAY.mails) return
  const what = limit === MAX_OF_A_DAY.toAddress ? 'to this address' : 'of this organisation'
  const message = `${limit} invitations ${what} were mailed in the last 24 hours; invite again tomorrow.`
  throw fault('conflict.limit_reached', { message, details: { limit } })
}

function tooSoon({ created_time }: InvitationRow, now: Date) {
  const seconds = Math.ceil((created_time.getTime() + AGAIN_MS - now.getTime()) / 1_000)
  const message = 'This address was invited a moment ago; wait for the number of seconds in Retry-After.'
  return fault('rate_limit.exceeded', { message, retryAfter: seconds, details: { limit: 1, retry_after: seconds } })
}

function mailInvitation(books: Books, { id, email, role }: InvitationRow, site: string): void {
  const { name } = books.organization
  queueLinkMail(books, {
    to: [email],
    subject: `Invitation to ${name}`,
    before: `You are invited to the books of ${name} as ${ROLE_WORDS[role]}. This link accepts it, once, within 7 days:`,
    link: `${site}/console/invitation?token=`,
    after: 'If you do not know them, leave it.',
    about: { entityType: 'INVITATION', entityId: id },
  })
}

/** Withdraws an invitation. Throws not_found.resource. */
export async function withdrawInvitation(books: Books, id: string): Promise<void> {
  const invitation = isId(id) ? await lockInvitation.first(books, id) : null
  if (!invitation) throw notFound('invitation')
  books.delete(invitations, invitation)
  record(books, 'INVITATION_WITHDRAWN', invitation)
}

export interface Acceptance {
  token: string
  name?: string | null
  password?: string | null
}

/** An invitation that can be accepted; `hash` is that of the new password, null for a person who has one. */
export interface PreparedAcceptance {
  orgId: string
  id: string
  name: string | null
  hash: string | null
}

/**
 * Checks link and password before the transaction, because the hash takes long. Throws validation.invalid_value for a link that
 * does not work, with the field `token`; and for who has no password yet, validation.required_field without one, and
 * validation.invalid_value for one that is refused: the link then still works.
 */
export async function prepareAcceptance(
  connection: Connection,
  links: MailLinks,
  { token, name = null, password = null }: Acceptance,
  now: Date,
): Promise<PreparedAcceptance> {
  const [orgId, id] = links.idsOf('INVITATION', token) ?? []
  if (orgId === undefined || id === undefined) throw linkEnded()
  const invitation = await findRow({ connection, orgId }, invitations, id)
  if (!invitation || invitation.expires_time <= now) throw linkEnded()
  const person = await findPersonByEmail(connection, invitation.email)
  const accepted = { orgId, id, name: name?.trim() || null }
  if (person && person.password !== null) return { ...accepted, hash: null }
  if (password === null) throw withoutPassword()
  checkPassword(password, invitation.email)
  return { ...accepted, hash: await hashOfPassword(password) }
}

/**
 * Makes the person of the invitation a member, who gets the password unless they have one (decisions §12). Throws
 * validation.invalid_value where the link has been used meanwhile, authz.organization_suspended.
 */
export async function acceptInvitation(
  books: Books,
  { orgId, id, name, hash }: PreparedAcceptance,
): Promise<{ organization: OrganizationRow; role: Role }> {
  books.enter(orgId)
  const organization = await findOrganization(books.connection, orgId)
  const invitation = await lockInvitation.first(books, id)
  if (!organization || !invitation || invitation.expires_time <= books.now) throw linkEnded()
  if (organization.status === 'SUSPENDED') throw fault('authz.organization_suspended')
  for (const one of await lockInvitationsOf(books, invitation.email)) books.delete(invitations, one)
  const person = await withPassword(books, invitation.email, hash)
  const user = await joinMember(books, { email: person.email, name, role: invitation.role }, person)
  books.record({
    action: 'MEMBER_JOINED',
    entityType: 'USER',
    entityId: user.id,
    entityRef: user.email,
    actorUserId: user.id,
    metadata: { role: user.role },
  })
  return { organization, role: user.role }
}

// The person of this address, who gets the password unless they have one.
async function withPassword(books: Books, email: string, hash: string | null): Promise<PersonRow> {
  const known = await findPersonByEmail(books.connection, email)
  const person = known && (await lockPerson(books.connection, known.id))
  if (person && person.password !== null) return person
  if (hash === null) throw withoutPassword()
  const password = { password: hash, password_set_time: books.now }
  if (person) return books.update(people, person, password)
  return books.insertAbove(people, { id: books.newId(), email, created_time: books.now, ...password })
}

const withoutPassword = () =>
  fault('validation.required_field', { field: 'password', message: 'password is required: this person has none yet.' })

function record(books: Books, action: string, { id, email, role }: InvitationRow): void {
  const metadata = { invitation_id: id, role }
  books.record({ action, entityType: 'USER', entityId: id, entityRef: email, metadata })
}
