// The tokens that programs use the organisation's books by.
import { Anchor, Button } from '@mantine/core'
import { useState } from 'react'
import { callOfPeople } from '../api/call.ts'
import { TokenDialog } from './token-dialog.tsx'
import type { Column } from '../parts/column.ts'
import { day, moment } from '../parts/dates.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { RecordList } from '../parts/record-list.tsx'
import { RowButton } from '../parts/row-button.tsx'
import { SecretDialog } from '../parts/secret.tsx'

interface Token {
  token_id: string
  name: string | null
  scopes: string[]
  expires_at: string | null
  created_time: string
  partner: string | null
  last_used_time: string | null
}

const FULL_ACCESS = 'Svc.fullaccess.all'

const nameOf = ({ name, partner }: Token) => name ?? (partner ? `Of ${partner}` : 'Without a name')

export function Page() {
  const [isNew, setNew] = useState(false)
  const [made, setMade] = useState<string | null>(null)
  const [revoked, setRevoked] = useState<Token | null>(null)
  return (
    <>
      <RecordList<Token>
        title="Tokens"
        detail={
          <>
            A program sends one as a bearer token. What it can ask is in the{' '}
            <Anchor href="/docs" target="_blank" rel="noreferrer" size="sm" underline="always">
              API reference
            </Anchor>
            .
          </>
        }
        path="/tokens"
        isOfPeople
        paging="none"
        listKey="tokens"
        filters={[]}
        columns={columns(setRevoked)}
        idOf={({ token_id }) => token_id}
        linkOf={() => null}
        isFor="A token lets a program read or change these books, within its scopes."
        actions={
          <Button leftSection={<Icon name="plus" />} onClick={() => setNew(true)}>
            New token
          </Button>
        }
      />
      {isNew && <TokenDialog onMade={setMade} onClose={() => setNew(false)} />}
      {made !== null && (
        <SecretDialog title="The new token" secrets={[{ label: 'Token', value: made }]} onClose={() => setMade(null)} />
      )}
      {revoked && (
        <Dialog
          title={`Revoke ${nameOf(revoked)}`}
          text="The next call with this token is refused. This cannot be undone."
          does="Revoke"
          isDangerous
          send={() => callOfPeople<{ message: string }>('DELETE', `/tokens/${revoked.token_id}`)}
          onClose={() => setRevoked(null)}
        />
      )}
    </>
  )
}

const columns = (revoke: (token: Token) => void): Column<Token>[] => [
  { title: 'Name', of: nameOf, width: '1.4fr', narrow: 'title' },
  { title: 'Scopes', of: scopesOf, width: '2fr', narrow: 'detail' },
  { title: 'Made', of: ({ created_time }) => day(created_time), width: '104px' },
  { title: 'Last used', of: ({ last_used_time }) => moment(last_used_time) || 'Never', width: '160px' },
  { title: 'Expires', of: ({ expires_at }) => day(expires_at) || 'Never', width: '104px', narrow: 'aside' },
  {
    title: 'Revoke',
    of: (token) => <RowButton does="Revoke" to={nameOf(token)} isDangerous onClick={() => revoke(token)} />,
    width: '84px',
    narrow: 'state',
  },
]

const scopesOf = ({ scopes }: Token) =>
  scopes.includes(FULL_ACCESS) ? 'Everything' : scopes.map((scope) => scope.replace(/^Svc\./, '')).join(', ')
