// Sets a new password, by the link of a mail.
import { Alert, Button, PasswordInput, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { callInternal } from '../api/call.ts'
import { useWindowTitle } from '../parts/page-head.tsx'
import { Door, useSending } from './sign-in.tsx'

export function Page() {
  useWindowTitle('Set a new password')
  const [search] = useSearchParams()
  const [password, setPassword] = useState('')
  const [isSet, setSet] = useState(false)
  const { error, isSending, submit } = useSending(async () => {
    await callInternal('POST', '/password_resets/confirm', {
      body: { token: search.get('token') ?? '', password },
      ofPerson: true,
    })
    setSet(true)
  })
  return (
    <Door title="Set a new password">
      {isSet ? (
        <>
          <Text size="sm" role="status">
            Your password is set, and every session has ended.
          </Text>
          <Button component="a" href="/console/">
            Sign in
          </Button>
        </>
      ) : (
        <form onSubmit={submit}>
          <Stack gap="sm">
            <PasswordInput
              label="New password"
              description="At least 10 characters, not a common one."
              autoComplete="new-password"
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
            <Button type="submit" loading={isSending}>
              Set the password
            </Button>
          </Stack>
        </form>
      )}
    </Door>
  )
}
