// Asks before something is changed: what happens, the fields that it takes, and the refusal of the service at its field.
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent, type ReactNode } from 'react'
import { newKey } from '../api/call.ts'
import { ApiFault, isUnsettled, problemsByField, reasonOf } from '../api/fault.ts'
import { useNotices } from './notices.tsx'

export interface DialogProps<Answer> {
  title: string
  /** What will happen, in a sentence. */
  text: ReactNode
  /** What the button says. */
  does: string
  isDangerous?: boolean
  /** Makes the call under this key; the same while the dialog is open, so that sending it again repeats one call. */
  send(key: string): Promise<Answer>
  /** After it was done. Everything that is shown is read anew. */
  onDone?(answer: Answer): void
  onClose(): void
  /** The fields; `errors` has what is wrong with each, by its name in the API. */
  children?(errors: Record<string, string>): ReactNode
}

export function Dialog<Answer extends { message?: string } | undefined>(props: DialogProps<Answer>) {
  const { title, text, does, isDangerous = false, send, onDone, onClose, children } = props
  const [key, setKey] = useState(newKey)
  const { say } = useNotices()
  const client = useQueryClient()
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => send(key),
    onSuccess: (answer) => {
      if (answer?.message) say(answer.message)
      void client.invalidateQueries()
      onDone?.(answer)
      onClose()
    },
    onError: (failed) => {
      // A refusal is kept under its key: the corrected call is another one. A call whose outcome is unknown is repeated.
      if (failed instanceof ApiFault && !isUnsettled(failed)) setKey(newKey())
    },
  })
  const byField = error instanceof ApiFault ? problemsByField(error) : {}
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    mutate()
  }
  return (
    <Modal opened onClose={isPending ? () => undefined : onClose} title={title} size={children ? 'lg' : 'md'}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Text size="sm" component="div">
            {text}
          </Text>
          {children?.(byField)}
          {error && <Refusal error={error} />}
          <Group justify="flex-end" mt="xs">
            <Button variant="default" onClick={onClose} disabled={isPending}>
              Not now
            </Button>
            <Button
              type="submit"
              loading={isPending}
              data-autofocus={!children || undefined}
              {...(isDangerous && { color: 'red.9' })}
            >
              {does}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** Why the service refused, with the problems that belong to no field that is shown. */
export function Refusal({ error }: { error: Error }) {
  const problems = error instanceof ApiFault ? error.errors : []
  return (
    <Alert color="red" role="alert" title={problems.length > 0 ? 'Not accepted' : undefined}>
      <Text size="sm">{reasonOf(error)}</Text>
      {problems.map(({ field, message }) => (
        <Text size="sm" key={`${field} ${message}`}>
          {field}: {message}
        </Text>
      ))}
      {error instanceof ApiFault && error.requestId && (
        <Text size="xs" c="dimmed" mt={4}>
          Request {error.requestId}
        </Text>
      )}
    </Alert>
  )
}
