// The request log: the calls of the organisation in the last days.
import { useQuery } from '@tanstack/react-query'
import { callOfPeople } from '../api/call.ts'
import { useSession } from '../app/session.tsx'
import type { Column } from '../parts/column.ts'
import { moment } from '../parts/dates.ts'
import { RecordList } from '../parts/record-list.tsx'
import { Badge } from '@mantine/core'

interface LoggedRequest {
  request_id: string
  time: string
  method: string
  route: string
  status: number
  duration_ms: number
  token_id: string | null
}

export function Page() {
  const nameOf = useTokenNames()
  return (
    <RecordList<LoggedRequest>
      title="Requests"
      detail="The calls of the last days, without their bodies. An answer names its request in X-Request-Id."
      path="/requests"
      isOfPeople
      listKey="requests"
      filters={[
        { is: 'text', name: 'request_id', label: 'Request id' },
        { is: 'text', name: 'route', label: 'Route' },
        { is: 'text', name: 'status', label: 'Status' },
        { is: 'text', name: 'token_id', label: 'Token id' },
      ]}
      columns={columns(nameOf)}
      idOf={({ request_id }) => request_id}
      linkOf={() => null}
      isFor="Each call of the API about these books is here for some days."
    />
  )
}

const columns = (nameOf: (token: string | null) => string): Column<LoggedRequest>[] => [
  { title: 'Call', of: ({ method, route }) => `${method} ${route}`, width: '2.4fr', narrow: 'title' },
  { title: 'Time', of: ({ time }) => moment(time), width: '158px', narrow: 'detail' },
  { title: 'Status', of: ({ status }) => <HttpStatus status={status} />, width: '72px', narrow: 'state' },
  {
    title: 'Took',
    of: ({ duration_ms }) => `${Math.round(duration_ms)} ms`,
    width: '84px',
    isAmount: true,
    narrow: 'aside',
  },
  { title: 'By', of: ({ token_id }) => nameOf(token_id), width: '1fr' },
  { title: 'Request id', of: ({ request_id }) => <code>{request_id}</code>, width: '2fr' },
]

function HttpStatus({ status }: { status: number }) {
  const colour = status < 400 ? 'teal' : status < 500 ? 'yellow' : 'red'
  return (
    <Badge className="status" data-colour={colour} variant="default" radius="sm">
      {status}
    </Badge>
  )
}

/** Owners alone may read the names of tokens; others see ids. */
function useTokenNames() {
  const isOwner = useSession().organization.role === 'OWNER'
  const { data } = useQuery({
    queryKey: ['token-names'],
    queryFn: async () => {
      const answer = await callOfPeople<{ tokens: { token_id: string; name: string | null }[] }>('GET', '/tokens')
      return new Map(answer.tokens.map(({ token_id, name }) => [token_id, name]))
    },
    enabled: isOwner,
  })
  return (token: string | null) => (token === null ? 'A person' : (data?.get(token) ?? token))
}
