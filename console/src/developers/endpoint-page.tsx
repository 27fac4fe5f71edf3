// A webhook endpoint: what it gets, how it does, and what can be done with it.
import { Alert, Anchor, Button, Group, Menu, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { call } from '../api/call.ts'
import { useMayWrite } from '../app/session.tsx'
import { EndpointActionDialog, type EndpointAction } from './endpoint-actions.tsx'
import { EndpointSecret } from './endpoint-secret.tsx'
import { endpointPath, stateOf, type Delivery, type Endpoint, type WithSecret } from './endpoint.ts'
import { moment } from '../parts/dates.ts'
import { Fact } from '../parts/fact.tsx'
import { Icon } from '../parts/icon.tsx'
import { PageHead, useWindowTitle } from '../parts/page-head.tsx'
import { Reading } from '../parts/reading.tsx'
import { Status } from '../parts/status.tsx'

export function Page() {
  const { id = '' } = useParams()
  const { data, error } = useQuery({
    queryKey: ['endpoint', id],
    queryFn: async () => (await call<{ endpoint: Endpoint }>('GET', endpointPath(id))).endpoint,
  })
  useWindowTitle('Webhook endpoint')
  return (
    <>
      <Anchor component={Link} to="/endpoints" size="sm">
        Webhook endpoints
      </Anchor>
      {data ? <Shown endpoint={data} /> : <Reading error={error} />}
    </>
  )
}

function Shown({ endpoint }: { endpoint: Endpoint }) {
  const mayWrite = useMayWrite()
  const [action, setAction] = useState<EndpointAction | null>(null)
  const [secret, setSecret] = useState<WithSecret['endpoint'] | null>(null)
  return (
    <Stack gap="md">
      <PageHead
        title={
          <Group gap="xs" component="span">
            {endpoint.url}
            <Status code={stateOf(endpoint)} />
          </Group>
        }
        detail={endpoint.description}
      >
        {mayWrite && <Actions endpoint={endpoint} onChoose={setAction} />}
      </PageHead>
      <Trouble endpoint={endpoint} />
      <div className="card">
        <dl className="facts">
          <Fact label="Registered">{moment(endpoint.created_time)}</Fact>
          <Fact label="Standard Webhooks">{endpoint.standard_webhooks ? 'Signed so too' : 'No'}</Fact>
          {endpoint.former_secret_until && (
            <Fact label="Old secret signs until">{moment(endpoint.former_secret_until)}</Fact>
          )}
        </dl>
        <Text size="sm" mt="sm" className="plain-text">
          {endpoint.events.join(', ')}
        </Text>
      </div>
      <Latest id={endpoint.endpoint_id} />
      {action && (
        <EndpointActionDialog
          action={action}
          endpoint={endpoint}
          onSecret={setSecret}
          onClose={() => setAction(null)}
        />
      )}
      {secret && <EndpointSecret endpoint={secret} onClose={() => setSecret(null)} />}
    </Stack>
  )
}

function Trouble({ endpoint: { status, circuit, failing_since, next_try_at } }: { endpoint: Endpoint }) {
  if (status === 'DISABLED')
    return (
      <Alert color="yellow" title="Disabled">
        Nothing is sent until it is enabled.
      </Alert>
    )
  if (circuit !== 'CLOSED')
    return (
      <Alert color="red" title="It has failed many times in a row">
        Its deliveries wait, except for one now and then; the first that arrives lets the others go.{' '}
        {next_try_at && `The next try is at ${moment(next_try_at)}.`}
      </Alert>
    )
  return failing_since ? (
    <Alert color="yellow" title={`It fails since ${moment(failing_since)}`}>
      Each delivery is tried again, with growing waits. Its attempts say what the endpoint answered.
    </Alert>
  ) : null
}

const OTHERS: [EndpointAction, string][] = [
  ['change', 'Change'],
  ['rotate', 'Rotate the secret'],
  ['recover', 'Send failed deliveries again'],
  ['delete', 'Delete'],
]

function Actions({ endpoint, onChoose }: { endpoint: Endpoint; onChoose: (action: EndpointAction) => void }) {
  const isEnabled = endpoint.status === 'ENABLED'
  const others = isEnabled ? [['disable', 'Disable'] as [EndpointAction, string], ...OTHERS] : OTHERS
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <Button variant="default" rightSection={<Icon name="down" />}>
            Actions
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {others.map(([action, label]) => (
            <Menu.Item key={action} onClick={() => onChoose(action)} className={action === 'delete' ? 'dangerous' : ''}>
              {label}…
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button onClick={() => onChoose(isEnabled ? 'test' : 'enable')}>{isEnabled ? 'Test' : 'Enable'}</Button>
    </>
  )
}

const LATEST = 10
const REREAD_MS = 5_000

function Latest({ id }: { id: string }) {
  const { data, error } = useQuery({
    queryKey: ['deliveries of', id],
    queryFn: async () =>
      (
        await call<{ deliveries: Delivery[] }>('GET', '/webhooks/deliveries', {
          query: { endpoint_id: id, per_page: LATEST },
        })
      ).deliveries,
    // What is under way is looked at again.
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'PENDING' || status === 'RETRYING') ? REREAD_MS : false,
  })
  if (!data) return <Reading error={error} />
  return (
    <section className="card scroll-x" aria-label="Latest deliveries" tabIndex={0}>
      <Text component="h2" className="caption">
        Latest deliveries
      </Text>
      {data.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing was sent to it yet.
        </Text>
      ) : (
        <table className="figures">
          <thead>
            <tr>
              <th scope="col">Event</th>
              <th scope="col">Time</th>
              <th scope="col">Status</th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ delivery_id, event_type, created_time, status }) => (
              <tr key={delivery_id}>
                <td>
                  <Anchor component={Link} to={`/deliveries/${delivery_id}`} size="sm">
                    {event_type}
                  </Anchor>
                </td>
                <td>{moment(created_time)}</td>
                <td>
                  <Status code={status} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Anchor component={Link} to={`/deliveries?endpoint_id=${id}`} size="sm" mt="sm" display="inline-block">
        All of its deliveries
      </Anchor>
    </section>
  )
}
