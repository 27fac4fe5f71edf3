// The log of webhook deliveries.
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { useEventTypes, type Delivery, type Endpoint } from './endpoint.ts'
import type { Column } from '../parts/column.ts'
import { moment } from '../parts/dates.ts'
import type { Filter } from '../parts/filters.tsx'
import { RecordList } from '../parts/record-list.tsx'
import { Status } from '../parts/status.tsx'

const STATUSES = ['PENDING', 'RETRYING', 'DELIVERED', 'FAILED', 'SKIPPED']
const MOST_ENDPOINTS = 200

export function Page() {
  const { data: types = [] } = useEventTypes()
  const { data: endpoints = [] } = useQuery({
    queryKey: ['endpoints'],
    queryFn: async () => {
      const query = { per_page: MOST_ENDPOINTS }
      return (await call<{ endpoints: Endpoint[] }>('GET', '/webhooks/endpoints', { query })).endpoints
    },
  })
  const filters: Filter[] = [
    { is: 'choice', name: 'status', label: 'Status', choices: STATUSES },
    {
      is: 'pick',
      name: 'endpoint_id',
      label: 'Endpoint',
      choices: endpoints.map(({ endpoint_id, url }) => ({ value: endpoint_id, label: url })),
    },
    {
      is: 'pick',
      name: 'event_type',
      label: 'Event',
      choices: types.map((type) => ({ value: type, label: type })),
    },
    { is: 'text', name: 'entity_id', label: 'Record id' },
    { is: 'date', name: 'since', label: 'Since' },
    { is: 'date', name: 'until', label: 'Until' },
  ]
  return (
    <RecordList<Delivery>
      title="Webhook deliveries"
      path="/webhooks/deliveries"
      listKey="deliveries"
      filters={filters}
      columns={COLUMNS}
      idOf={({ delivery_id }) => delivery_id}
      linkOf={({ delivery_id }) => `/deliveries/${delivery_id}`}
      keep={(delivery) => ({ ...delivery, payload: {} })}
      isFor="Each event that an endpoint is sent is a delivery."
    />
  )
}

const COLUMNS: Column<Delivery>[] = [
  { title: 'Event', of: ({ event_type }) => event_type, width: '1.4fr', narrow: 'title' },
  { title: 'Time', of: ({ created_time }) => moment(created_time), width: '158px' },
  { title: 'Endpoint', of: ({ url }) => url, width: '2fr', narrow: 'detail' },
  { title: 'Attempts', of: ({ attempts_made }) => attempts_made, width: '80px', isAmount: true },
  { title: 'Next attempt', of: ({ next_attempt_at }) => moment(next_attempt_at), width: '158px' },
  { title: 'Status', of: ({ status }) => <Status code={status} />, width: '104px', narrow: 'state' },
]
