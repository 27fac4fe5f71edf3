// The organisation of the pages, and the choice of another one of the person's.
import { Button, Menu, Text } from '@mantine/core'
import { Icon } from '../parts/icon.tsx'
import { chooseOrganization, useSession } from './session.tsx'

const MANY = 12

export function OrganizationMenu() {
  const { organization, organizations } = useSession()
  if (organizations.length < 2)
    return (
      <Text size="sm" fw={500} truncate px="xs" title={organization.name}>
        {organization.name}
      </Text>
    )
  return (
    <Menu position="bottom-end" width={280}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          rightSection={<Icon name="down" />}
          className="organization"
          aria-label={`Organisation: ${organization.name}`}
        >
          {organization.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={organizations.length > MANY ? 420 : 'none'} className="scrolling">
        {organizations.map(({ org_id, name, role }) => (
          <Menu.Item
            key={org_id}
            onClick={() => chooseOrganization(org_id)}
            rightSection={org_id === organization.org_id ? <Icon name="check" label="chosen" /> : null}
          >
            <Text size="sm" truncate>
              {name}
            </Text>
            <Text size="xs" c="dimmed">
              {role.toLowerCase()}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
