// The addresses of the console: the pages of the table within the shell, and those of links in mails.
import { createBrowserRouter, type RouteObject } from 'react-router'
import { Failure, NotFound } from './failure.tsx'
import { PAGES } from './pages.ts'
import { Shell } from './shell.tsx'

const within: RouteObject[] = PAGES.map(({ path, load }) => ({
  path,
  errorElement: <Failure />,
  lazy: async () => ({ Component: (await load()).Page }),
}))

export const router = createBrowserRouter(
  [
    { path: '/password', lazy: async () => ({ Component: (await import('../pages/password.tsx')).Page }) },
    { path: '/invitation', lazy: async () => ({ Component: (await import('../pages/invitation.tsx')).Page }) },
    {
      path: '/',
      element: <Shell />,
      errorElement: <Failure />,
      HydrateFallback: () => null,
      children: [...within, { path: '*', element: <NotFound /> }],
    },
  ],
  { basename: '/console' },
)
