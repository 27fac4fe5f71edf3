// The menu of the person: light or dark, the keys, the documentation, signing out.
import { ActionIcon, Menu, Text, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { Icon } from '../parts/icon.tsx'
import { signOut, useSession } from './session.tsx'
import { showShortcuts } from './shortcuts.tsx'

export function PersonMenu() {
  const { user, organization } = useSession()
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme() === 'dark'
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon aria-label="You and your settings">
          <Icon name="person" size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" c="bright" truncate>
            {user.name ?? user.email}
          </Text>
          <Text size="xs" truncate>
            {user.name ? `${user.email} · ` : ''}
            {organization.role.toLowerCase()}
          </Text>
        </Menu.Label>
        <Menu.Item
          leftSection={<Icon name={isDark ? 'sun' : 'moon'} />}
          onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
        >
          {isDark ? 'Light' : 'Dark'} colours
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="keyboard" />} onClick={showShortcuts}>
          Keys
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="book" />} component="a" href="/docs" target="_blank" rel="noreferrer">
          API reference
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="leave" />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
