// What a page shows while it reads its record, and where it cannot.
import { Center, Loader } from '@mantine/core'
import { Refusal } from './dialog.tsx'

export function Reading({ error }: { error: Error | null }) {
  return error ? (
    <Refusal error={error} />
  ) : (
    <Center h={200}>
      <Loader aria-label="Loading" />
    </Center>
  )
}
