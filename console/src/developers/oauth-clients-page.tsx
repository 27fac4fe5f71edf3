// The OAuth clients that the organisation has registered: its apps, which other people allow to act for them.
import { Anchor, Button, Switch, TextInput, Textarea } from '@mantine/core'
import { useState } from 'react'
import { callOfPeople } from '../api/call.ts'
import type { Column } from '../parts/column.ts'
import { day } from '../parts/dates.ts'
import { Dialog } from '../parts/dialog.tsx'
import { fieldsOf } from '../parts/fields.ts'
import { Icon } from '../parts/icon.tsx'
import { RecordList } from '../parts/record-list.tsx'
import { RowButton } from '../parts/row-button.tsx'
import { SecretDialog, type Secret } from '../parts/secret.tsx'

interface Client {
  client_id: string
  name: string
  redirect_uris: string[]
  public: boolean
  created_time: string
}

type Registered = Client & { client_secret: string | null }

export function Page() {
  const [isNew, setNew] = useState(false)
  const [registered, setRegistered] = useState<Registered | null>(null)
  const [revoked, setRevoked] = useState<Client | null>(null)
  return (
    <>
      <RecordList<Client>
        title="OAuth clients"
        detail={
          <>
            Apps of yours that other people allow to act for them, by OAuth 2.0: see the{' '}
            <Anchor href="/docs" target="_blank" rel="noreferrer" size="sm" underline="always">
              API reference
            </Anchor>
            .
          </>
        }
        path="/oauth_clients"
        isOfPeople
        paging="none"
        listKey="oauth_clients"
        filters={[]}
        columns={columns(setRevoked)}
        idOf={({ client_id }) => client_id}
        linkOf={() => null}
        isFor="A client lets your app ask other people for access to their books."
        actions={
          <Button leftSection={<Icon name="plus" />} onClick={() => setNew(true)}>
            New client
          </Button>
        }
      />
      {isNew && <ClientDialog onDone={setRegistered} onClose={() => setNew(false)} />}
      {registered && (
        <SecretDialog title={registered.name} secrets={secretsOf(registered)} onClose={() => setRegistered(null)} />
      )}
      {revoked && (
        <Dialog
          title={`Revoke ${revoked.name}`}
          text="Every token that the app has ends at once, for all who have allowed it. This cannot be undone."
          does="Revoke"
          isDangerous
          send={() => callOfPeople<{ message: string }>('DELETE', `/oauth_clients/${revoked.client_id}`)}
          onClose={() => setRevoked(null)}
        />
      )}
    </>
  )
}

const secretsOf = ({ client_id, client_secret }: Registered): Secret[] => [
  { label: 'client_id', value: client_id },
  ...(client_secret === null ? [] : [{ label: 'client_secret', value: client_secret }]),
]

const columns = (revoke: (client: Client) => void): Column<Client>[] => [
  { title: 'Name', of: ({ name }) => name, width: '1.2fr', narrow: 'title' },
  { title: 'client_id', of: ({ client_id }) => <code>{client_id}</code>, width: '2fr' },
  { title: 'Redirects to', of: ({ redirect_uris }) => redirect_uris.join(', '), width: '2fr', narrow: 'detail' },
  { title: 'Kind', of: (client) => (client.public ? 'Public' : 'Confidential'), width: '100px', narrow: 'aside' },
  { title: 'Registered', of: ({ created_time }) => day(created_time), width: '104px' },
  {
    title: 'Revoke',
    of: (client) => <RowButton does="Revoke" to={client.name} isDangerous onClick={() => revoke(client)} />,
    width: '84px',
    narrow: 'state',
  },
]

function ClientDialog({ onDone, onClose }: { onDone: (client: Registered) => void; onClose: () => void }) {
  const [form, setForm] = useState({ name: '', redirect_uris: '' })
  const [isPublic, setPublic] = useState(false)
  const body = { name: form.name, redirect_uris: form.redirect_uris.split(/\s+/).filter(Boolean), public: isPublic }
  return (
    <Dialog
      title="New OAuth client"
      text="People who use the app sign in here, choose organisations and consent; the app then acts with their roles."
      does="Register"
      send={(key) =>
        callOfPeople<{ message: string; oauth_client: Registered }>('POST', '/oauth_clients', { key, body })
      }
      onDone={({ oauth_client }) => onDone(oauth_client)}
      onClose={onClose}
    >
      {(errors) => {
        const field = fieldsOf(form, setForm, errors)
        return (
          <>
            <TextInput
              {...field('name', 'Name')}
              description="People read it when they are asked."
              required
              maxLength={100}
              data-autofocus
            />
            <Textarea
              {...field('redirect_uris', 'Redirect addresses')}
              error={errors['redirect_uris'] ?? errors['redirect_uris.0']}
              description="One in each line; each must be named exactly."
              placeholder="https://app.example/callback"
              required
            />
            <Switch
              label="Public: an app on the devices of its users, which can keep no secret"
              checked={isPublic}
              onChange={({ currentTarget }) => setPublic(currentTarget.checked)}
            />
          </>
        )
      }}
    </Dialog>
  )
}
