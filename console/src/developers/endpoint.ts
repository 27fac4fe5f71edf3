// Webhook endpoints and deliveries as the API answers them.
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'

export interface Endpoint {
  endpoint_id: string
  url: string
  events: string[]
  description: string | null
  standard_webhooks: boolean
  status: 'ENABLED' | 'DISABLED'
  failing_since: string | null
  former_secret_until: string | null
  circuit: 'CLOSED' | 'OPEN' | 'HALF_OPEN'
  next_try_at: string | null
  created_time: string
}

export interface WithSecret {
  message: string
  endpoint: Endpoint & { secret: string; standard_secret: string }
}

export interface Delivery {
  delivery_id: string
  endpoint_id: string
  event_type: string
  status: string
  attempts_made: number
  next_attempt_at: string | null
  created_time: string
  delivered_at: string | null
  url: string
  payload: Record<string, unknown>
}

export const endpointPath = (id: string) => `/webhooks/endpoints/${encodeURIComponent(id)}`

/** The state that concerns a person: whether it is tried at all, then whether it fails. */
export const stateOf = ({ status, circuit, failing_since }: Endpoint): string =>
  status === 'DISABLED' ? 'DISABLED' : circuit !== 'CLOSED' ? 'WAITING' : failing_since ? 'FAILING' : 'ENABLED'

/** The events that an endpoint can have. */
export const useEventTypes = () =>
  useQuery({
    queryKey: ['event-types'],
    queryFn: async () => {
      const answer = await call<{ event_types: { event_type: string; subscribable: boolean }[] }>(
        'GET',
        '/webhooks/event_types',
      )
      return answer.event_types.filter(({ subscribable }) => subscribable).map(({ event_type }) => event_type)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
