// The person's own sessions, and their password.
import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { callOfPeople } from '../api/call.ts'
import { useSession } from '../app/session.tsx'
import type { Column } from '../parts/column.ts'
import { moment } from '../parts/dates.ts'
import { Dialog } from '../parts/dialog.tsx'
import { RecordList } from '../parts/record-list.tsx'
import { RowButton } from '../parts/row-button.tsx'
import { Status } from '../parts/status.tsx'

interface OwnSession {
  session_id: string
  current: boolean
  created_time: string
  last_used_time: string
  ip: string | null
  user_agent: string | null
}

interface Done {
  message: string
}

export function Page() {
  const { user } = useSession()
  const [ended, setEnded] = useState<OwnSession | null>(null)
  const [isReset, setReset] = useState(false)
  return (
    <>
      <RecordList<OwnSession>
        title="Your sessions"
        detail={`Where ${user.email} is signed in. A session ends after 12 hours without use.`}
        path="/sessions"
        isOfPeople
        paging="none"
        listKey="sessions"
        filters={[]}
        columns={columns(setEnded)}
        idOf={({ session_id }) => session_id}
        linkOf={() => null}
        isFor="Each browser that you sign in with has a session."
      />
      <section className="card" aria-label="Password" style={{ marginTop: 16 }}>
        <Text component="h2" className="caption">
          Password
        </Text>
        <Text size="sm" mb="sm">
          A link in a mail to {user.email} sets a new one. Every session of yours then ends, this one too.
        </Text>
        <Button variant="default" onClick={() => setReset(true)}>
          Set a new password
        </Button>
      </section>
      {ended && (
        <Dialog
          title="End the session"
          text={`It was last used ${moment(ended.last_used_time)}. Who uses it has to sign in again.`}
          does="End it"
          isDangerous
          send={() => callOfPeople<Done>('DELETE', `/sessions/${ended.session_id}`, { ofPerson: true })}
          onClose={() => setEnded(null)}
        />
      )}
      {isReset && (
        <Dialog
          title="Set a new password"
          text={`A mail with a link goes to ${user.email}. The link works once, for 30 minutes.`}
          does="Send the mail"
          send={(key) =>
            callOfPeople<Done>('POST', '/password_resets', { key, body: { email: user.email }, ofPerson: true })
          }
          onClose={() => setReset(false)}
        />
      )}
    </>
  )
}

const columns = (end: (session: OwnSession) => void): Column<OwnSession>[] => [
  { title: 'Browser', of: ({ user_agent }) => browserOf(user_agent), width: '2fr', narrow: 'title' },
  { title: 'Address', of: ({ ip }) => ip, width: '140px', narrow: 'aside' },
  { title: 'Since', of: ({ created_time }) => moment(created_time), width: '160px' },
  { title: 'Last used', of: ({ last_used_time }) => moment(last_used_time), width: '160px', narrow: 'detail' },
  {
    title: 'End',
    of: (session) =>
      session.current ? (
        <Status code="THIS_ONE" />
      ) : (
        <RowButton does="End" to={browserOf(session.user_agent)} isDangerous onClick={() => end(session)} />
      ),
    width: '90px',
    narrow: 'state',
  },
]

const BROWSERS: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** Firefox on Linux; what it says of itself where it is none of these. */
function browserOf(agent: string | null): string {
  if (agent === null) return 'Unknown'
  const browser = BROWSERS.find(([form]) => form.test(agent))?.[1]
  const system = SYSTEMS.find(([form]) => form.test(agent))?.[1]
  return browser && system ? `${browser} on ${system}` : agent
}
