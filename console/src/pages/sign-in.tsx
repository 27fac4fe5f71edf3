// Signing in. Who has forgotten their password is led to a page of the service.
import { Alert, Anchor, Button, Paper, PasswordInput, Stack, TextInput, Title } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { signIn } from '../app/session.tsx'
import { Mark } from '../parts/mark.tsx'
import { useWindowTitle } from '../parts/page-head.tsx'

export function SignIn() {
  useWindowTitle('Sign in')
  return (
    <main className="door">
      <Paper withBorder p="xl" w="100%" maw={380}>
        <Stack gap="md">
          <Mark size={36} />
          <Title order={1}>Sign in</Title>
          <Entry />
        </Stack>
      </Paper>
    </main>
  )
}

/** Sends a form once; its error, and whether it is under way. */
function useSending(send: () => Promise<void>) {
  const [error, setError] = useState<Error | null>(null)
  const [isSending, setSending] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSending(true)
    setError(null)
    send()
      .catch(setError)
      .finally(() => setSending(false))
  }
  return { error, isSending, submit }
}

function Entry() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const { error, isSending, submit } = useSending(() => signIn(email, password))
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="username"
          required
          data-autofocus
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        />
        {error && (
          <Alert color="red" role="alert">
            {error.message}
          </Alert>
        )}
        <Button type="submit" loading={isSending} fullWidth>
          Sign in
        </Button>
        <Anchor href="/console/password" size="sm">
          Forgotten your password?
        </Anchor>
      </Stack>
    </form>
  )
}
