// The call behind what is shown, as a command line: whatever the console does, a program can.
import { Button, Code, CopyButton, Group, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { PUBLIC_PATH, queryText, type Query } from '../api/call.ts'
import { Icon } from './icon.tsx'

export function ShowAsCurl({ path, query }: { path: string; query?: Query }) {
  const [isOpen, { open, close }] = useDisclosure()
  const command = `curl -s '${location.origin}${PUBLIC_PATH}${path}${queryText(query)}' \\\n  -H "Authorization: Bearer $TOKEN"`
  return (
    <>
      <Button variant="default" leftSection={<Icon name="code" />} onClick={open}>
        Show as curl
      </Button>
      <Modal opened={isOpen} onClose={close} title="This list as a call of the API" size="lg">
        <Text size="sm" mb="xs">
          With a token of this organisation in <Code>$TOKEN</Code>. Further pages: add the answer's{' '}
          <Code>next_cursor</Code> as <Code>cursor</Code>.
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
