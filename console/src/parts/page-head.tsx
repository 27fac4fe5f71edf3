// The head of a page: its title, what can be done, and the title of the window.
import { Group, Text, Title } from '@mantine/core'
import { useEffect, type ReactNode } from 'react'

export function PageHead({ title, detail, children }: { title: ReactNode; detail?: ReactNode; children?: ReactNode }) {
  return (
    <Group justify="space-between" align="flex-start" gap="sm" mb="sm">
      <div className="page-title">
        <Title order={1}>{title}</Title>
        {detail && (
          <Text component="div" size="sm" c="dimmed">
            {detail}
          </Text>
        )}
      </div>
      <Group gap="xs">{children}</Group>
    </Group>
  )
}

export function useWindowTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Bahi`
  }, [title])
}
