// Signing in, and asking for a mail to set a new password.
import { Alert, Anchor, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState, type FormEvent, type ReactNode } from 'react'
import { callInternal } from '../api/call.ts'
import { signIn } from '../app/session.tsx'
import { Mark } from '../parts/mark.tsx'
import { useWindowTitle } from '../parts/page-head.tsx'

export function SignIn() {
  useWindowTitle('Sign in')
  const [isForgotten, setForgotten] = useState(false)
  return (
    <Door title={isForgotten ? 'Set a new password' : 'Sign in'}>
      {isForgotten ? <Forgotten back={() => setForgotten(false)} /> : <Entry forgotten={() => setForgotten(true)} />}
    </Door>
  )
}

/** The frame of the pages outside of the shell. */
export function Door({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="door">
      <Paper withBorder p="xl" w="100%" maw={380}>
        <Stack gap="md">
          <Mark size={36} />
          <Title order={1}>{title}</Title>
          {children}
        </Stack>
      </Paper>
    </main>
  )
}

/** Sends a form once; its error, and whether it is under way. */
export function useSending(send: () => Promise<void>) {
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

function Entry({ forgotten }: { forgotten: () => void }) {
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
        <Anchor component="button" type="button" size="sm" onClick={forgotten}>
          Forgotten your password?
        </Anchor>
      </Stack>
    </form>
  )
}

function Forgotten({ back }: { back: () => void }) {
  const [email, setEmail] = useState('')
  const [isSent, setSent] = useState(false)
  const { error, isSending, submit } = useSending(async () => {
    await callInternal('POST', '/password_resets', { body: { email }, ofPerson: true })
    setSent(true)
  })
  if (isSent)
    return (
      <>
        <Text size="sm" role="status">
          If somebody has the address {email}, a mail with a link is on its way. The link works once, for 30 minutes.
        </Text>
        <Button variant="default" onClick={back}>
          Back
        </Button>
      </>
    )
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">We mail you a link by which you set a new one.</Text>
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        />
        {error && (
          <Alert color="red" role="alert">
            {error.message}
          </Alert>
        )}
        <Button type="submit" loading={isSending}>
          Send the link
        </Button>
        <Button variant="default" onClick={back}>
          Back
        </Button>
      </Stack>
    </form>
  )
}
