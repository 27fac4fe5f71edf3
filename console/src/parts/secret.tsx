// A secret that the service shows once: to be copied now, because no other call returns it.
import { Alert, Button, Code, CopyButton, Group, Modal, Stack, Text } from '@mantine/core'
import { Icon } from './icon.tsx'

export interface Secret {
  label: string
  value: string
}

export function SecretDialog({ title, secrets, onClose }: { title: string; secrets: Secret[]; onClose: () => void }) {
  // Only the button closes it: a click beside it must not lose what cannot be had again.
  return (
    <Modal opened onClose={onClose} title={title} size="lg" closeOnClickOutside={false} closeOnEscape={false}>
      <Stack gap="sm">
        <Alert color="yellow">
          <Text size="sm">Copy it now, and keep it where secrets are kept. It is not shown again.</Text>
        </Alert>
        {secrets.map((secret) => (
          <ShownSecret key={secret.label} secret={secret} />
        ))}
        <Group justify="flex-end">
          <Button onClick={onClose}>I have kept it</Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function ShownSecret({ secret: { label, value } }: { secret: Secret }) {
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<Icon name={copied ? 'check' : 'copy'} />}
              onClick={copy}
              aria-label={copied ? `${label}: copied` : `Copy: ${label}`}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Code block className="wrapping" data-secret>
        {value}
      </Code>
    </div>
  )
}
