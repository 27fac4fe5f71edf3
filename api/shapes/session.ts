// The JSON of sessions: who is signed in, where, and since when.
import { Type, type Static } from 'typebox'
import { ROLES } from '../../domain/roles.ts'
import type { OrganizationOfPerson, SessionRow } from '../../models/session.ts'
import { Id, nullable, Text, Timestamp } from './fields.ts'

export const SignIn = Type.Object({ email: Text(254), password: Text(1_000) })

const OrganizationRole = Type.Object({ org_id: Id, name: Type.String(), role: Type.Enum([...ROLES]) })

/** The signed-in person; `organization` is the one that the call is for, null where none is named and there are several. */
export const SignedInAnswer = Type.Object({
  user: Type.Object({ user_id: nullable(Id), email: Type.String(), name: nullable(Type.String()) }),
  organizations: Type.Array(OrganizationRole),
  organization: nullable(OrganizationRole),
})

export const showOrganizationOfPerson = ({
  org_id,
  name,
  role,
}: Pick<OrganizationOfPerson, 'org_id' | 'name' | 'role'>) => ({ org_id, name, role })

export const Session = Type.Object({
  session_id: Id,
  current: Type.Boolean(),
  created_time: Timestamp,
  last_used_time: Timestamp,
  ip: nullable(Type.String()),
  user_agent: nullable(Type.String()),
})

export function showSession(row: SessionRow, currentId: string): Static<typeof Session> {
  return {
    session_id: row.id,
    current: row.id === currentId,
    created_time: row.created_time.toISOString(),
    last_used_time: row.last_used_time.toISOString(),
    ip: row.ip,
    user_agent: row.user_agent,
  }
}
