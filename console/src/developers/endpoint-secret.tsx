// The secret of an endpoint, after it was registered or given another one.
import { SecretDialog } from '../parts/secret.tsx'
import type { WithSecret } from './endpoint.ts'

export function EndpointSecret({ endpoint, onClose }: { endpoint: WithSecret['endpoint']; onClose: () => void }) {
  const standard = { label: 'The same, for libraries of Standard Webhooks', value: endpoint.standard_secret }
  return (
    <SecretDialog
      title="The secret of the endpoint"
      secrets={[{ label: 'Secret', value: endpoint.secret }, ...(endpoint.standard_webhooks ? [standard] : [])]}
      onClose={onClose}
    />
  )
}
