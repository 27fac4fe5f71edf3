// Who belongs to the organisation, and who is invited to.
import { Button, NativeSelect, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callOfPeople } from '../api/call.ts'
import { useSession, type Role } from '../app/session.tsx'
import type { Column } from '../parts/column.ts'
import { moment } from '../parts/dates.ts'
import { Dialog } from '../parts/dialog.tsx'
import { fieldsOf } from '../parts/fields.ts'
import { Icon } from '../parts/icon.tsx'
import { RecordList } from '../parts/record-list.tsx'
import { RowButton } from '../parts/row-button.tsx'
import { inWords } from '../parts/status.tsx'

interface Member {
  user_id: string
  email: string
  name: string | null
  role: Role
}

interface Invitation {
  invitation_id: string
  email: string
  role: Role
  expires_time: string
}

interface Done {
  message: string
}

type Asked = { is: 'invite' } | { is: 'role' | 'remove'; member: Member } | { is: 'withdraw'; invitation: Invitation }

export function Page() {
  const [asked, setAsked] = useState<Asked | null>(null)
  return (
    <>
      <RecordList<Member>
        title="Members"
        path="/members"
        isOfPeople
        paging="none"
        listKey="members"
        filters={[]}
        columns={columns(setAsked)}
        idOf={({ user_id }) => user_id}
        linkOf={() => null}
        isFor="People who sign in and work with these books."
        actions={
          <Button leftSection={<Icon name="plus" />} onClick={() => setAsked({ is: 'invite' })}>
            Invite
          </Button>
        }
      />
      <Invitations onWithdraw={(invitation) => setAsked({ is: 'withdraw', invitation })} />
      {asked && <Question asked={asked} onClose={() => setAsked(null)} />}
    </>
  )
}

const columns = (ask: (asked: Asked) => void): Column<Member>[] => [
  { title: 'E-mail address', of: ({ email }) => email, width: '2fr', narrow: 'title' },
  { title: 'Name', of: ({ name }) => name, width: '1.4fr' },
  { title: 'Role', of: ({ role }) => inWords(role), width: '110px', narrow: 'aside' },
  {
    title: 'Actions',
    of: (member) => (
      <>
        <RowButton does="Role" to={member.email} onClick={() => ask({ is: 'role', member })} />{' '}
        <RowButton does="Remove" to={member.email} isDangerous onClick={() => ask({ is: 'remove', member })} />
      </>
    ),
    width: '150px',
    narrow: 'detail',
  },
]

function Invitations({ onWithdraw }: { onWithdraw: (invitation: Invitation) => void }) {
  const { data = [] } = useQuery({
    queryKey: ['invitations'],
    queryFn: async () => (await callOfPeople<{ invitations: Invitation[] }>('GET', '/invitations')).invitations,
    enabled: useSession().organization.role === 'OWNER',
  })
  if (data.length === 0) return null
  return (
    <section className="card scroll-x" aria-label="Invitations" tabIndex={0} style={{ marginTop: 16 }}>
      <Text component="h2" className="caption">
        Invitations
      </Text>
      <table className="figures">
        <thead>
          <tr>
            <th scope="col">E-mail address</th>
            <th scope="col">Role</th>
            <th scope="col">Good until</th>
            <th scope="col">Withdraw</th>
          </tr>
        </thead>
        <tbody>
          {data.map((invitation) => (
            <tr key={invitation.invitation_id}>
              <td>{invitation.email}</td>
              <td>{inWords(invitation.role)}</td>
              <td>{moment(invitation.expires_time)}</td>
              <td>
                <RowButton does="Withdraw" to={invitation.email} onClick={() => onWithdraw(invitation)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Question({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  switch (asked.is) {
    case 'invite':
      return <InviteDialog onClose={onClose} />
    case 'role':
      return <RoleDialog member={asked.member} onClose={onClose} />
    case 'remove':
      return (
        <Dialog
          title={`Remove ${asked.member.email}`}
          text="They lose these books at once, with the tokens that were made for them. What they have done stays under their name."
          does="Remove"
          isDangerous
          send={() => callOfPeople<Done>('DELETE', `/members/${asked.member.user_id}`)}
          onClose={onClose}
        />
      )
    case 'withdraw':
      return (
        <Dialog
          title={`Withdraw the invitation of ${asked.invitation.email}`}
          text="The link in the mail works no longer."
          does="Withdraw"
          send={() => callOfPeople<Done>('DELETE', `/invitations/${asked.invitation.invitation_id}`)}
          onClose={onClose}
        />
      )
  }
}

const ROLES = [
  { value: 'VIEWER', label: 'Viewer: reads the books' },
  { value: 'ACCOUNTANT', label: 'Accountant: keeps the books, schedules and webhooks' },
  { value: 'OWNER', label: 'Owner: everything, members and tokens too' },
]

function InviteDialog({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState({ email: '', role: 'VIEWER' })
  return (
    <Dialog
      title="Invite somebody"
      text="They get a mail with a link that works once, for seven days."
      does="Invite"
      send={(key) => callOfPeople<Done>('POST', '/invitations', { key, body: form })}
      onClose={onClose}
    >
      {(errors) => {
        const field = fieldsOf(form, setForm, errors)
        return (
          <>
            <TextInput {...field('email', 'E-mail address')} type="email" required data-autofocus />
            <NativeSelect {...field('role', 'Role')} data={ROLES} />
          </>
        )
      }}
    </Dialog>
  )
}

function RoleDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const [form, setForm] = useState({ role: member.role as string })
  return (
    <Dialog
      title={`The role of ${member.email}`}
      text="It holds from their next call on, in open sessions too."
      does="Save"
      send={() => callOfPeople<Done>('PUT', `/members/${member.user_id}`, { body: form })}
      onClose={onClose}
    >
      {(errors) => <NativeSelect {...fieldsOf(form, setForm, errors)('role', 'Role')} data={ROLES} data-autofocus />}
    </Dialog>
  )
}
