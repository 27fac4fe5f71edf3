// Registers a webhook endpoint, or changes one.
import { Checkbox, Group, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { Dialog } from '../parts/dialog.tsx'
import { fieldsOf } from '../parts/fields.ts'
import '../parts/forms.css'
import { endpointPath, useEventTypes, type Endpoint, type WithSecret } from './endpoint.ts'

interface EndpointDialogProps {
  /** The one that is changed; without it a new one. */
  endpoint?: Endpoint
  onCreated?(created: WithSecret['endpoint']): void
  onClose(): void
}

export function EndpointDialog({ endpoint, onCreated, onClose }: EndpointDialogProps) {
  const [form, setForm] = useState({ url: endpoint?.url ?? '', description: endpoint?.description ?? '' })
  const [events, setEvents] = useState(endpoint?.events ?? [])
  const [isStandard, setStandard] = useState(endpoint?.standard_webhooks ?? false)
  const body = { ...form, description: form.description || null, events, standard_webhooks: isStandard }
  return (
    <Dialog
      title={endpoint ? 'Change the endpoint' : 'New endpoint'}
      text="Each event that you choose is sent there, signed with the secret of the endpoint."
      does={endpoint ? 'Save' : 'Register'}
      send={(key) =>
        endpoint
          ? call<WithSecret>('PUT', endpointPath(endpoint.endpoint_id), { body })
          : call<WithSecret>('POST', '/webhooks/endpoints', { key, body })
      }
      onDone={(answer) => onCreated?.(answer.endpoint)}
      onClose={onClose}
    >
      {(errors) => {
        const field = fieldsOf(form, setForm, errors)
        return (
          <>
            <TextInput
              {...field('url', 'URL')}
              type="url"
              required
              placeholder="https://example.com/bahi"
              data-autofocus
            />
            <TextInput {...field('description', 'Description')} maxLength={500} />
            <Events value={events} onChange={setEvents} error={errors['events']} />
            <Switch
              label="Also sign by Standard Webhooks"
              checked={isStandard}
              onChange={({ currentTarget }) => setStandard(currentTarget.checked)}
            />
          </>
        )
      }}
    </Dialog>
  )
}

interface EventsProps {
  value: string[]
  onChange(events: string[]): void
  error?: string | undefined
}

function Events({ value, onChange, error }: EventsProps) {
  const { data = [] } = useEventTypes()
  const isAll = data.length > 0 && data.every((type) => value.includes(type))
  return (
    <fieldset className="scopes">
      <legend>Events</legend>
      <Stack gap="xs">
        <Group>
          <Checkbox
            label="All events that there are now"
            checked={isAll}
            indeterminate={!isAll && value.length > 0}
            onChange={() => onChange(isAll ? [] : data)}
          />
        </Group>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing={6}>
          {data.map((type) => (
            <Checkbox
              key={type}
              label={type}
              checked={value.includes(type)}
              onChange={({ currentTarget }) =>
                onChange(currentTarget.checked ? [...value, type] : value.filter((one) => one !== type))
              }
            />
          ))}
        </SimpleGrid>
        {error && (
          <Text size="sm" c="var(--mantine-color-error)">
            {error}
          </Text>
        )}
      </Stack>
    </fieldset>
  )
}
