// A webhook delivery: what is sent, each attempt with what the endpoint answered, and sending it again.
import { Anchor, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { call } from '../api/call.ts'
import { useMayWrite } from '../app/session.tsx'
import type { Delivery } from './endpoint.ts'
import { moment } from '../parts/dates.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Fact } from '../parts/fact.tsx'
import { PageHead, useWindowTitle } from '../parts/page-head.tsx'
import { Reading } from '../parts/reading.tsx'
import { Status } from '../parts/status.tsx'

interface Attempt {
  attempt: number
  started_at: string
  duration_ms: number | null
  status_code: number | null
  error: string | null
  response_body: string | null
  next_attempt_at: string | null
}

type WithAttempts = Delivery & { attempts: Attempt[] }

const RESENDABLE = ['FAILED', 'SKIPPED', 'RETRYING']
const REREAD_MS = 5_000

const pathOf = (id: string) => `/webhooks/deliveries/${encodeURIComponent(id)}`

export function Page() {
  const { id = '' } = useParams()
  const { data, error } = useQuery({
    queryKey: ['delivery', id],
    queryFn: async () => (await call<{ delivery: WithAttempts }>('GET', pathOf(id))).delivery,
    refetchInterval: ({ state }) => (['PENDING', 'RETRYING'].includes(state.data?.status ?? '') ? REREAD_MS : false),
  })
  useWindowTitle('Webhook delivery')
  return (
    <>
      <Anchor component={Link} to="/deliveries" size="sm">
        Webhook deliveries
      </Anchor>
      {data ? <Shown delivery={data} /> : <Reading error={error} />}
    </>
  )
}

function Shown({ delivery }: { delivery: WithAttempts }) {
  const mayWrite = useMayWrite()
  const [isAsked, setAsked] = useState(false)
  const { delivery_id, endpoint_id, event_type, status, url } = delivery
  return (
    <Stack gap="md">
      <PageHead
        title={
          <Group gap="xs" component="span">
            {event_type}
            <Status code={status} />
          </Group>
        }
        detail={
          <Anchor component={Link} to={`/endpoints/${endpoint_id}`} size="sm">
            {url}
          </Anchor>
        }
      >
        {mayWrite && RESENDABLE.includes(status) && <Button onClick={() => setAsked(true)}>Send again</Button>}
      </PageHead>
      <div className="card">
        <dl className="facts">
          <Fact label="Queued">{moment(delivery.created_time)}</Fact>
          <Fact label="Delivered">{moment(delivery.delivered_at) || 'Not yet'}</Fact>
          {delivery.next_attempt_at && <Fact label="Next attempt">{moment(delivery.next_attempt_at)}</Fact>}
        </dl>
      </div>
      <Attempts attempts={delivery.attempts} />
      <section className="card" aria-label="What is sent">
        <Text component="h2" className="caption">
          What is sent
        </Text>
        <Code block className="wrapping">
          {JSON.stringify(delivery.payload, null, 2)}
        </Code>
      </section>
      {isAsked && (
        <Dialog
          title="Send the delivery again"
          text="It is tried at once, and again with growing waits where that fails."
          does="Send again"
          send={(key) => call<{ message: string }>('POST', `${pathOf(delivery_id)}/retry`, { key })}
          onClose={() => setAsked(false)}
        />
      )}
    </Stack>
  )
}

function Attempts({ attempts }: { attempts: Attempt[] }) {
  return (
    <section className="card" aria-label="Attempts">
      <Text component="h2" className="caption">
        Attempts
      </Text>
      {attempts.length === 0 && (
        <Text size="sm" c="dimmed">
          It was not tried yet.
        </Text>
      )}
      <Stack gap="sm">
        {attempts.map((attempt) => (
          <article key={attempt.attempt} aria-label={`Attempt ${attempt.attempt}`}>
            <Text size="sm">
              <strong>{attempt.attempt}.</strong> {moment(attempt.started_at)}: {resultOf(attempt)}
              {attempt.duration_ms === null ? '' : `, after ${attempt.duration_ms} ms`}
            </Text>
            {attempt.response_body && (
              <Code block className="wrapping" mt={4}>
                {attempt.response_body}
              </Code>
            )}
          </article>
        ))}
      </Stack>
    </section>
  )
}

const resultOf = ({ status_code, error, duration_ms }: Attempt): string =>
  status_code === null ? (error ?? (duration_ms === null ? 'under way' : 'no answer')) : `answered ${status_code}`
