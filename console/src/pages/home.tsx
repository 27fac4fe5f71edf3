// The home page: what needs a person, and how the month goes.
import '../home/home.css'
import { SimpleGrid, Stack, Title } from '@mantine/core'
import { useSession } from '../app/session.tsx'
import { Attention } from '../home/attention.tsx'
import { Charts } from '../home/charts.tsx'
import { PageHead, useWindowTitle } from '../parts/page-head.tsx'

export function Page() {
  useWindowTitle('Home')
  const { organization, user } = useSession()
  return (
    <Stack gap="lg">
      <PageHead title={user.name ? `Good day, ${user.name}` : organization.name} />
      <section aria-labelledby="attention">
        <Title order={2} id="attention" mb="xs">
          What needs you
        </Title>
        <Attention />
      </section>
      <section aria-labelledby="figures">
        <Title order={2} id="figures" mb="xs">
          How it goes
        </Title>
        <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md">
          <Charts />
        </SimpleGrid>
      </section>
    </Stack>
  )
}
