// The apps that the person has allowed to act for them.
import { useState } from 'react'
import { callOfPeople } from '../api/call.ts'
import type { Column } from '../parts/column.ts'
import { day, moment } from '../parts/dates.ts'
import { Dialog } from '../parts/dialog.tsx'
import { RecordList } from '../parts/record-list.tsx'
import { RowButton } from '../parts/row-button.tsx'

interface Consent {
  consent_id: string
  client: { name: string }
  scopes: string[]
  organizations: { name: string }[]
  created_time: string
  last_used_time: string | null
}

export function Page() {
  const [withdrawn, setWithdrawn] = useState<Consent | null>(null)
  return (
    <>
      <RecordList<Consent>
        title="Allowed apps"
        detail="What you have allowed, in all of your organisations. An app never may more than you may."
        path="/consents"
        isOfPeople
        paging="none"
        listKey="consents"
        filters={[]}
        columns={columns(setWithdrawn)}
        idOf={({ consent_id }) => consent_id}
        linkOf={() => null}
        isFor="An app that asks you for access, and that you allow it, is listed here."
      />
      {withdrawn && (
        <Dialog
          title={`Withdraw from ${withdrawn.client.name}`}
          text="The app loses its access at once, with every token that it got by this consent."
          does="Withdraw"
          isDangerous
          send={() => callOfPeople<{ message: string }>('DELETE', `/consents/${withdrawn.consent_id}`)}
          onClose={() => setWithdrawn(null)}
        />
      )}
    </>
  )
}

const columns = (withdraw: (consent: Consent) => void): Column<Consent>[] => [
  { title: 'App', of: ({ client }) => client.name, width: '1.2fr', narrow: 'title' },
  {
    title: 'Organisations',
    of: ({ organizations }) => organizations.map(({ name }) => name).join(', '),
    width: '1.4fr',
    narrow: 'detail',
  },
  {
    title: 'Scopes',
    of: ({ scopes }) => scopes.map((scope) => scope.replace(/^Svc\./, '')).join(', '),
    width: '2fr',
  },
  { title: 'Allowed', of: ({ created_time }) => day(created_time), width: '104px', narrow: 'aside' },
  { title: 'Last used', of: ({ last_used_time }) => moment(last_used_time) || 'Never', width: '160px' },
  {
    title: 'Withdraw',
    of: (consent) => (
      <RowButton does="Withdraw" to={consent.client.name} isDangerous onClick={() => withdraw(consent)} />
    ),
    width: '98px',
    narrow: 'state',
  },
]
