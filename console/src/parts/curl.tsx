// The call behind what is shown, as a command line: whatever the console does, a program can.
import { Button, Code, CopyButton, Group, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { PEOPLE_PATH, PUBLIC_PATH, queryText, type Query } from '../api/call.ts'
import { useSession } from '../app/session.tsx'
import { Icon } from './icon.tsx'

interface ShowAsCurlProps {
  path: string
  query?: Query
  /** It is a call of people: a session's, not a token's. */
  isOfPeople?: boolean
}

export function ShowAsCurl({ path, query, isOfPeople = false }: ShowAsCurlProps) {
  const { organization } = useSession()
  const [isOpen, { open, close }] = useDisclosure()
  const proof = isOfPeople
    ? `-b cookies.txt -H 'X-Svc-Org: ${organization.org_id}'`
    : '-H "Authorization: Bearer $TOKEN"'
  const address = `${location.origin}${isOfPeople ? PEOPLE_PATH : PUBLIC_PATH}${path}${queryText(query)}`
  const command = `curl -s '${address}' \\\n  ${proof}`
  return (
    <>
      <Button variant="default" leftSection={<Icon name="code" />} onClick={open}>
        Show as curl
      </Button>
      <Modal opened={isOpen} onClose={close} title="This list as a call of the API" size="lg">
        <Text size="sm" mb="xs">
          {isOfPeople ? (
            <>
              No token may: it is a call of people, with the cookie of a session that{' '}
              <Code>curl -c cookies.txt {PEOPLE_PATH}/session</Code> has begun.
            </>
          ) : (
            <>
              With a token of this organisation in <Code>$TOKEN</Code>. Further pages: add the answer's{' '}
              <Code>next_cursor</Code> as <Code>cursor</Code>.
            </>
          )}
        </Text>
        <Code block className="wrapping" tabIndex={0}>
          {command}
        </Code>
        <Group justify="flex-end" mt="md">
          <CopyButton value={command}>
            {({ copied, copy }) => (
              <Button leftSection={<Icon name={copied ? 'check' : 'copy'} />} onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
        </Group>
      </Modal>
    </>
  )
}
