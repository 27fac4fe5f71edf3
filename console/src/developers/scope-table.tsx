// Chooses scopes: a row for each resource, a box for each operation.
import { Checkbox, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Refusal } from '../parts/dialog.tsx'
import '../parts/forms.css'
import { inWords } from '../parts/status.tsx'

const FULL_ACCESS = 'Svc.fullaccess.all'
const OPERATIONS = ['READ', 'CREATE', 'UPDATE', 'DELETE']

/** Every scope that there is, as the service tells apps. */
const useScopes = () =>
  useQuery({
    queryKey: ['scopes'],
    queryFn: async () => {
      const answer = await fetch('/.well-known/oauth-authorization-server')
      if (!answer.ok) throw new Error('The scopes could not be read.')
      return ((await answer.json()) as { scopes_supported: string[] }).scopes_supported
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

interface ScopesProps {
  value: string[]
  onChange(scopes: string[]): void
  error?: string | undefined
}

export function ScopeTable({ value, onChange, error }: ScopesProps) {
  const { data = [], error: unread } = useScopes()
  const resources = [...new Set(data.filter((scope) => scope !== FULL_ACCESS).map((scope) => scope.split('.')[1]!))]
  const isFull = value.includes(FULL_ACCESS)
  const set = (scopes: string[], isChosen: boolean) => {
    const others = value.filter((scope) => !scopes.includes(scope))
    onChange(isChosen ? [...others, ...scopes] : others)
  }
  const reading = resources.map((resource) => `Svc.${resource}.READ`)
  if (unread) return <Refusal error={unread} />
  return (
    <fieldset className="scopes">
      <legend>Scopes</legend>
      <Stack gap="xs">
        <Group gap="lg">
          <Checkbox
            label="Everything"
            checked={isFull}
            onChange={({ currentTarget }) => onChange(currentTarget.checked ? [FULL_ACCESS] : [])}
          />
          <Checkbox
            label="Read everything"
            disabled={isFull}
            checked={isFull || (reading.length > 0 && reading.every((scope) => value.includes(scope)))}
            onChange={({ currentTarget }) => set(reading, currentTarget.checked)}
          />
        </Group>
        <table className="figures">
          <thead>
            <tr>
              <th scope="col">Resource</th>
              {OPERATIONS.map((operation) => (
                <th key={operation} scope="col">
                  {inWords(operation)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {resources.map((resource) => (
              <ResourceRow key={resource} resource={resource} isFull={isFull} chosen={value} onSet={set} />
            ))}
          </tbody>
        </table>
        {error && (
          <Text size="sm" c="var(--mantine-color-error)">
            {error}
          </Text>
        )}
      </Stack>
    </fieldset>
  )
}

interface ResourceRowProps {
  resource: string
  isFull: boolean
  chosen: string[]
  onSet(scopes: string[], isChosen: boolean): void
}

const ResourceRow = ({ resource, isFull, chosen, onSet }: ResourceRowProps) => (
  <tr>
    <th scope="row">{resource}</th>
    {OPERATIONS.map((operation) => {
      const scope = `Svc.${resource}.${operation}`
      return (
        <td key={operation}>
          <Checkbox
            aria-label={`${resource}: ${operation.toLowerCase()}`}
            disabled={isFull}
            checked={isFull || chosen.includes(scope)}
            onChange={({ currentTarget }) => onSet([scope], currentTarget.checked)}
          />
        </td>
      )
    })}
  </tr>
)
