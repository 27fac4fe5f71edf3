// What can be done with a webhook endpoint, each after a question.
import { NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { call } from '../api/call.ts'
import { daysAgo } from '../parts/dates.ts'
import { Dialog } from '../parts/dialog.tsx'
import { EndpointDialog } from './endpoint-dialog.tsx'
import { endpointPath, type Endpoint, type WithSecret } from './endpoint.ts'

export type EndpointAction = 'test' | 'change' | 'rotate' | 'enable' | 'disable' | 'recover' | 'delete'

interface ActionProps {
  endpoint: Endpoint
  onClose(): void
}

interface EndpointActionProps extends ActionProps {
  action: EndpointAction
  onSecret(endpoint: WithSecret['endpoint']): void
}

interface Done {
  message: string
}

const OVERLAPS = [
  { value: '86400', label: 'one day' },
  { value: '3600', label: 'one hour' },
  { value: '604800', label: 'seven days' },
  { value: '0', label: 'not at all' },
]

export function EndpointActionDialog({ action, endpoint, onSecret, onClose }: EndpointActionProps) {
  const navigate = useNavigate()
  const path = endpointPath(endpoint.endpoint_id)
  const post = (verb: string) => (key: string) => call<Done>('POST', `${path}/${verb}`, { key })
  switch (action) {
    case 'change':
      return <EndpointDialog endpoint={endpoint} onClose={onClose} />
    case 'rotate':
      return <RotateDialog endpoint={endpoint} onSecret={onSecret} onClose={onClose} />
    case 'recover':
      return <RecoverDialog endpoint={endpoint} onClose={onClose} />
    case 'test':
      return (
        <Dialog
          title="Send the test event"
          text="A test event is sent to the endpoint, signed as every other. It appears among its deliveries."
          does="Send"
          send={post('test')}
          onClose={onClose}
        />
      )
    case 'enable':
      return (
        <Dialog
          title="Enable the endpoint"
          text="Events from now on are sent to it again."
          does="Enable"
          send={post('enable')}
          onClose={onClose}
        />
      )
    case 'disable':
      return (
        <Dialog
          title="Disable the endpoint"
          text="Nothing is sent to it until it is enabled again. What happens meanwhile can be sent afterwards."
          does="Disable"
          send={post('disable')}
          onClose={onClose}
        />
      )
    case 'delete':
      return (
        <Dialog
          title="Delete the endpoint"
          text="Nothing is sent to it any more. This cannot be undone."
          does="Delete"
          isDangerous
          send={() => call<Done>('DELETE', path)}
          onDone={() => void navigate('/endpoints', { replace: true })}
          onClose={onClose}
        />
      )
  }
}

function RotateDialog({ endpoint, onSecret, onClose }: Omit<EndpointActionProps, 'action'>) {
  const [overlap, setOverlap] = useState('86400')
  const body = { overlap_seconds: Number(overlap) }
  return (
    <Dialog
      title="Rotate the secret"
      text="The endpoint gets a new secret at once. Choose how long deliveries are signed with the old one too."
      does="Rotate"
      send={(key) => call<WithSecret>('POST', `${endpointPath(endpoint.endpoint_id)}/rotate_secret`, { key, body })}
      onDone={(answer) => onSecret(answer.endpoint)}
      onClose={onClose}
    >
      {(errors) => (
        <NativeSelect
          label="The old secret signs too"
          value={overlap}
          onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
          data={OVERLAPS}
          error={errors['overlap_seconds']}
          data-autofocus
        />
      )}
    </Dialog>
  )
}

function RecoverDialog({ endpoint, onClose }: ActionProps) {
  const [since, setSince] = useState(daysAgo(1).slice(0, 10))
  const send = async (key: string) => {
    const path = `${endpointPath(endpoint.endpoint_id)}/recover`
    const answer = await call<{ recovered: number; has_more: boolean }>('POST', path, { key, body: { since } })
    const more = answer.has_more ? ' There are more: ask again.' : ''
    return { message: `${answer.recovered} deliveries are sent again.${more}` }
  }
  return (
    <Dialog
      title="Send failed deliveries again"
      text="Deliveries of events since that day that failed or were skipped are queued again."
      does="Send again"
      send={send}
      onClose={onClose}
    >
      {(errors) => (
        <TextInput
          label="Since"
          type="date"
          required
          value={since}
          onChange={({ currentTarget }) => setSince(currentTarget.value)}
          error={errors['since']}
          data-autofocus
        />
      )}
    </Dialog>
  )
}
