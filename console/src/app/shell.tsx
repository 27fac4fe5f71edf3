// The frame of every page: who is signed in, the organisation, the navigation, and the keys.
import { AppShell, Burger, Center, Group, Loader, ScrollArea, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { Link, Outlet, useLocation } from 'react-router'
import { whenSignedOut } from '../api/call.ts'
import { SignIn } from '../pages/sign-in.tsx'
import { Navigation } from './navigation.tsx'
import { OrganizationMenu } from './organization-menu.tsx'
import { PersonMenu } from './person-menu.tsx'
import { SessionContext, signedOut, useSignedIn, type Session } from './session.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { Mark } from '../parts/mark.tsx'
import { NoOrganization, Unreachable } from './no-session.tsx'

/** The pages of a signed-in person; to anybody else, at every address, the sign-in. */
export function Shell() {
  const { data, error, isPending, refetch } = useSignedIn()
  useEffect(() => whenSignedOut(signedOut), [])
  if (isPending)
    return (
      <Center h="100dvh">
        <Loader aria-label="Loading" />
      </Center>
    )
  if (error && data === undefined) return <Unreachable error={error} again={() => void refetch()} />
  if (!data) return <SignIn />
  if (!data.organization) return <NoOrganization email={data.user.email} />
  return (
    <SessionContext value={data as Session}>
      <Frame />
    </SessionContext>
  )
}

function Frame() {
  const [isOpen, { toggle, close }] = useDisclosure()
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const shown = useRef(pathname)
  // A reader of the screen hears the new page from its beginning.
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    main.current?.focus({ preventScroll: true })
    close()
  }, [pathname, close])
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 216, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap" justify="space-between">
          <Group gap="xs" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label="Navigation"
              aria-expanded={isOpen}
            />
            <Link to="/" className="brand" aria-label="Bahi, home">
              <Mark />
              <Text component="span" fw={700} visibleFrom="xs">
                Bahi
              </Text>
            </Link>
          </Group>
          <Group gap={4} wrap="nowrap" miw={0}>
            <OrganizationMenu />
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label="Pages">
        <AppShell.Section grow component={ScrollArea} type="auto" px="xs" py="sm">
          <Navigation />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} ref={main}>
        <Outlet />
      </AppShell.Main>
      <Shortcuts />
    </AppShell>
  )
}
