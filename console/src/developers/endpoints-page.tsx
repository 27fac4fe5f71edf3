// The webhook endpoints of the organisation.
import { Button } from '@mantine/core'
import { useState } from 'react'
import { useMayWrite } from '../app/session.tsx'
import { EndpointDialog } from './endpoint-dialog.tsx'
import { stateOf, type Endpoint, type WithSecret } from './endpoint.ts'
import { EndpointSecret } from './endpoint-secret.tsx'
import type { Column } from '../parts/column.ts'
import { moment } from '../parts/dates.ts'
import { Icon } from '../parts/icon.tsx'
import { RecordList } from '../parts/record-list.tsx'
import { Status } from '../parts/status.tsx'

export function Page() {
  const mayWrite = useMayWrite()
  const [isNew, setNew] = useState(false)
  const [created, setCreated] = useState<WithSecret['endpoint'] | null>(null)
  return (
    <>
      <RecordList<Endpoint>
        title="Webhook endpoints"
        path="/webhooks/endpoints"
        listKey="endpoints"
        filters={[]}
        columns={COLUMNS}
        idOf={({ endpoint_id }) => endpoint_id}
        linkOf={({ endpoint_id }) => `/endpoints/${endpoint_id}`}
        isFor="An endpoint is an address of a program of yours that is told what happens in these books."
        actions={
          mayWrite && (
            <Button leftSection={<Icon name="plus" />} onClick={() => setNew(true)}>
              New endpoint
            </Button>
          )
        }
      />
      {isNew && <EndpointDialog onCreated={setCreated} onClose={() => setNew(false)} />}
      {created && <EndpointSecret endpoint={created} onClose={() => setCreated(null)} />}
    </>
  )
}

const COLUMNS: Column<Endpoint>[] = [
  { title: 'URL', of: ({ url }) => url, width: '2.4fr', narrow: 'title' },
  { title: 'Description', of: ({ description }) => description, width: '1.4fr' },
  {
    title: 'Events',
    of: ({ events }) => (events.length === 1 ? events[0] : `${events.length} events`),
    width: '1.2fr',
    narrow: 'detail',
  },
  { title: 'Fails since', of: ({ failing_since }) => moment(failing_since), width: '158px' },
  { title: 'State', of: (endpoint) => <Status code={stateOf(endpoint)} />, width: '110px', narrow: 'state' },
]
