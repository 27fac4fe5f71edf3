// What is shown instead of rows: nothing is there yet, or nothing is found.
import { Button, Paper, Stack, Text } from '@mantine/core'
import { Mark } from './mark.tsx'

export function EmptyList({
  title,
  isFiltered,
  isFor,
  onClear,
}: {
  title: string
  isFiltered: boolean
  isFor: string
  onClear: () => void
}) {
  return (
    <Paper withBorder p="xl" mt="xs">
      <Stack align="center" gap="xs" ta="center">
        <Mark size={40} />
        <Text fw={600}>{isFiltered ? `No ${title.toLowerCase()} like this` : `No ${title.toLowerCase()} yet`}</Text>
        <Text size="sm" c="dimmed" maw={420}>
          {isFiltered ? 'No record meets all of the filters.' : isFor}
        </Text>
        {isFiltered && (
          <Button variant="default" onClick={onClear}>
            Clear the filters
          </Button>
        )}
      </Stack>
    </Paper>
  )
}
