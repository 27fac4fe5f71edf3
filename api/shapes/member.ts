// Members and invitations of an organisation as JSON.
import { Type, type Static } from 'typebox'
import { ROLES } from '../../domain/roles.ts'
import type { InvitationRow } from '../../models/invitation.ts'
import type { UserRow } from '../../models/organization.ts'
import { Email, Id, nullable, optional, Text, Timestamp } from './fields.ts'

const Role = Type.Enum([...ROLES])

export const Member = Type.Object({
  user_id: Id,
  email: Type.String(),
  name: nullable(Type.String()),
  role: Role,
})

export const showMember = ({ id, email, name, role }: UserRow): Static<typeof Member> => ({
  user_id: id,
  email,
  name,
  role,
})

export const MemberChanges = Type.Object({ role: Role })

export const Invitation = Type.Object({
  invitation_id: Id,
  email: Type.String(),
  role: Role,
  invited_by: Id,
  created_time: Timestamp,
  expires_time: Timestamp,
})

export const NewInvitation = Type.Object({ email: Email, role: Role })

/** Who has a password already needs neither name nor password. */
export const InvitationAcceptance = Type.Object({
  token: Text(200),
  name: optional(Text(200)),
  password: optional(Text(1_000)),
})

export const showInvitation = (row: InvitationRow): Static<typeof Invitation> => ({
  invitation_id: row.id,
  email: row.email,
  role: row.role,
  invited_by: row.invited_by,
  created_time: row.created_time.toISOString(),
  expires_time: row.expires_time.toISOString(),
})
