// What is shown instead of a page: that it failed, or that there is none at the address.
import { Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import { Link, useRouteError } from 'react-router'

/** An error while a page was loaded or drawn. The other pages go on. */
export function Failure() {
  const error = useRouteError()
  const message = error instanceof Error ? error.message : String(error)
  return (
    <Stack p="lg" gap="sm" align="flex-start" role="alert">
      <Title order={1}>This page could not be shown</Title>
      <Text>
        What you have entered elsewhere is not lost. Load the page again; if that does not help, tell the operator this:
      </Text>
      <Code block>{message}</Code>
      <Group>
        <Button onClick={() => location.reload()}>Load again</Button>
        <Button variant="default" component="a" href="/console/">
          Home
        </Button>
      </Group>
    </Stack>
  )
}

export function NotFound() {
  return (
    <Stack gap="sm" align="flex-start">
      <Title order={1}>There is no such page</Title>
      <Text>The address may be mistyped, or of an earlier version.</Text>
      <Button component={Link} to="/">
        Home
      </Button>
    </Stack>
  )
}
