// Joins an organisation, by the link of an invitation.
import { Alert, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { callInternal } from '../api/call.ts'
import { useWindowTitle } from '../parts/page-head.tsx'
import { Door, useSending } from './sign-in.tsx'

export function Page() {
  useWindowTitle('Join an organisation')
  const [search] = useSearchParams()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [isIn, setIn] = useState(false)
  const { error, isSending, submit } = useSending(async () => {
    const given = { ...(name && { name }), ...(password && { password }) }
    await callInternal('POST', '/invitations/accept', {
      body: { token: search.get('token') ?? '', ...given },
      ofPerson: true,
    })
    setIn(true)
  })
  if (isIn)
    return (
      <Door title="You are a member now">
        <Text size="sm">Sign in with the address that the mail came to.</Text>
        <Button component="a" href="/console/">
          Sign in
        </Button>
      </Door>
    )
  return (
    <Door title="Join an organisation">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Text size="sm">If you have a password here already, leave both empty.</Text>
          <TextInput
            label="Your name"
            autoComplete="name"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <PasswordInput
            label="A password"
            description="At least 10 characters, not a common one."
            autoComplete="new-password"
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          />
          {error && (
            <Alert color="red" role="alert">
              {error.message}
            </Alert>
          )}
          <Button type="submit" loading={isSending}>
            Join
          </Button>
        </Stack>
      </form>
    </Door>
  )
}
