// The navigation: the pages of the table, by their groups.
import { NavLink as Entry, Text } from '@mantine/core'
import { NavLink } from 'react-router'
import { Icon } from '../parts/icon.tsx'
import { GROUPS, PAGES, type PageEntry } from './pages.ts'
import { useSession } from './session.tsx'

export function Navigation() {
  const { role } = useSession().organization
  const seen = PAGES.filter(({ group, roles }) => group !== undefined && (!roles || roles.includes(role)))
  return GROUPS.map((group) => {
    const pages = seen.filter((page) => page.group === group)
    return pages.length === 0 ? null : (
      <section key={group} aria-label={group || 'Overview'}>
        {group && (
          <Text component="h2" className="group-name">
            {group}
          </Text>
        )}
        {pages.map((page) => (
          <PageLink key={page.path} page={page} />
        ))}
      </section>
    )
  })
}

function PageLink({ page: { path, title, icon, keys } }: { page: PageEntry }) {
  return (
    <NavLink to={`/${path}`} end={path === ''} className="page-link" {...(keys && { title: `Keys: ${keys}` })}>
      {({ isActive }) => (
        <Entry component="span" active={isActive} label={title} leftSection={icon && <Icon name={icon} />} py={5} />
      )}
    </NavLink>
  )
}
