// What is shown where there is no organisation to work in: the service is away, or the person belongs to none.
import { Button, Center, Stack, Text, Title } from '@mantine/core'
import { signOut } from './session.tsx'

export function Unreachable({ error, again }: { error: Error; again: () => void }) {
  return (
    <Center mih="100dvh" component="main" p="md">
      <Stack align="flex-start" maw={420} role="alert">
        <Title order={1}>The service does not answer</Title>
        <Text>{error.message}</Text>
        <Button onClick={again}>Try again</Button>
      </Stack>
    </Center>
  )
}

export function NoOrganization({ email }: { email: string }) {
  return (
    <Center mih="100dvh" component="main" p="md">
      <Stack align="flex-start" maw={420}>
        <Title order={1}>No organisation</Title>
        <Text>{email} belongs to no organisation any more. An owner can invite you again.</Text>
        <Button onClick={() => void signOut()}>Sign out</Button>
      </Stack>
    </Center>
  )
}
