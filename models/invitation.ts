// Invitations: who may join an organisation by the link in a mail, and with which role.
import { col, fn, Op, where } from 'sequelize'
import type { Role } from '../domain/roles.ts'
import type { Statement } from './connection.ts'
import { finder, is, type Scope } from './find.ts'
import { model, TEXT, textOf, TIME, UUID, type RowOf } from './model.ts'

export const invitations = model('invitations', {
  org_id: UUID,
  id: UUID,
  email: TEXT,
  role: textOf<Role>(),
  invited_by: UUID,
  created_time: TIME,
  expires_time: TIME,
})
export type InvitationRow = RowOf<typeof invitations>

/** The invitations that can be accepted, the newest first. */
export const findInvitations = finder<InvitationRow, [now: Date]>(invitations, (now) => ({
  where: { expires_time: { [Op.gt]: now } },
  order: [
    ['created_time', 'DESC'],
    ['id', 'DESC'],
  ],
}))

/** Every invitation of an address, in upper or lower case, locked. */
export const lockInvitationsOf = finder<InvitationRow, [email: string]>(invitations, (email) => ({
  where: where(fn('lower', col('email')), fn('lower', email)),
  order: ['id'],
  lock: true,
}))

/** Some that nobody has accepted in time, locked. */
export const lockEndedInvitations = finder<InvitationRow, [now: Date]>(invitations, (now) => ({
  where: { expires_time: { [Op.lte]: now } },
  order: ['id'],
  limit: 100,
  lock: true,
}))

/** Those that this user has made, locked. */
export const lockInvitationsBy = finder<InvitationRow, [userId: string]>(invitations, (userId) => ({
  where: { invited_by: is(userId) },
  order: ['id'],
  lock: true,
}))

export const lockInvitation = finder<InvitationRow, [id: string]>(invitations, (id) => ({
  where: { id: is(id) },
  lock: true,
}))

/** How many invitations the organisation has mailed since this time, and how many of them to this address. By the index emails_by_time. */
export async function countInvitationMails(
  { connection, orgId }: Scope,
  since: Date,
  address: string,
): Promise<{ mails: number; toAddress: number }> {
  const [row] = await connection.run<{ mails: number; to_address: number }>(INVITATIONS, [orgId, since, address])
  return { mails: row!.mails, toAddress: row!.to_address }
}

const INVITATIONS: Statement = {
  name: 'count invitation mails',
  text: `SELECT count(*)::integer AS mails, count(*) FILTER (WHERE EXISTS (SELECT FROM email_recipients AS r
           WHERE r.org_id = e.org_id AND r.email_id = e.id AND lower(r.address) = lower($3)))::integer AS to_address
         FROM emails AS e WHERE e.org_id = $1 AND e.created_time >= $2 AND e.purpose = 'NOTICE' AND e.entity_type = 'INVITATION'`,
  takesNoLock: true,
}
