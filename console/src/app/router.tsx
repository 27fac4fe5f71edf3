// The addresses of the console: the pages of the table within the shell. Those of links in mails are the service's own.
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
