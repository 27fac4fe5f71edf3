// The routes of an organisation's members, and of the invitations by which they join.
import { Type } from 'typebox'
import {
  acceptInvitation,
  invite,
  withdrawInvitation,
  type PreparedAcceptance,
} from '../../commands/people/invitations.ts'
import { changeRole, removeMember } from '../../commands/people/members.ts'
import { fault } from '../../domain/faults.ts'
import { findInvitations } from '../../models/invitation.ts'
import { findMembers } from '../../models/organization.ts'
import { route } from '../http/route.ts'
import { one } from '../shapes/fields.ts'
import {
  Invitation,
  InvitationAcceptance,
  Member,
  MemberChanges,
  NewInvitation,
  showInvitation,
  showMember,
} from '../shapes/member.ts'

const tag = 'Members'
const reading = { tag, by: 'session', method: 'GET', scope: 'members.READ' } as const
const changing = { tag, by: 'session', scope: 'members.UPDATE' } as const

export const memberRoutes = [
  route({
    ...reading,
    path: '/members',
    does: 'List the members of the organisation',
    answer: Type.Object({ members: Type.Array(Member) }),
    read: async (context) => ({ members: (await findMembers(context)).map(showMember) }),
  }),
  route({
    ...changing,
    method: 'PUT',
    path: '/members/{user_id}',
    does: 'Change the role of a member',
    changesMembers: true,
    body: MemberChanges,
    answer: one('member', Member),
    write: async (books, { params, body }) => ({
      message: 'Member updated.',
      member: showMember(await changeRole(books, params.user_id!, body.role)),
    }),
  }),
  route({
    ...changing,
    method: 'DELETE',
    path: '/members/{user_id}',
    does: 'Remove a member',
    changesMembers: true,
    answer: Type.Object({}),
    async write(books, { params }) {
      await removeMember(books, params.user_id!)
      return { message: 'Member removed.' }
    },
  }),
  route({
    ...reading,
    path: '/invitations',
    does: 'List the invitations that can be accepted',
    answer: Type.Object({ invitations: Type.Array(Invitation) }),
    read: async (context) => ({ invitations: (await findInvitations(context, context.now)).map(showInvitation) }),
  }),
  route({
    ...changing,
    method: 'POST',
    path: '/invitations',
    does: 'Invite an e-mail address to the organisation',
    changesOrganization: true,
    status: 201,
    body: NewInvitation,
    answer: one('invitation', Invitation),
    async write(books, { body }, { site, mail }) {
      if (!mail) throw fault('service.unavailable', { message: 'Mail is off in this installation.' })
      const invitation = await invite(books, { ...body, site: site.origin })
      return { message: 'Invitation sent.', invitation: showInvitation(invitation) }
    },
  }),
  route({
    ...changing,
    method: 'DELETE',
    path: '/invitations/{invitation_id}',
    does: 'Withdraw an invitation',
    answer: Type.Object({}),
    async write(books, { params }) {
      await withdrawInvitation(books, params.invitation_id!)
      return { message: 'Invitation withdrawn.' }
    },
  }),
  route({
    tag,
    by: 'visitor',
    scope: null,
    method: 'POST',
    path: '/invitations/accept',
    does: 'Accept an invitation by the link in the mail',
    bodyLimit: 16_384,
    body: InvitationAcceptance,
    answer: Type.Object({
      organization: Type.Object({ org_id: Type.String(), name: Type.String(), role: Type.String() }),
    }),
    prepare: ({ body }, { signIns, links }, { origin }) => signIns.prepareAcceptance(links, body, origin.ip),
    async write(books, _input, _gateways, prepared) {
      const { organization, role } = await acceptInvitation(books, prepared() as PreparedAcceptance)
      return {
        message: `You have joined ${organization.name}. Sign in with your password.`,
        organization: { org_id: organization.id, name: organization.name, role },
      }
    },
  }),
]
