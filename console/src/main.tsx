// Starts the console: the theme, the cache of answers, and the pages.
import './app/components.css'
import './app/style.css'
import './parts/lists.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router'
import { queryClient } from './app/queries.ts'
import { router } from './app/router.tsx'
import { readable, theme } from './app/theme.ts'
import { Notices } from './parts/notices.tsx'

// The policy of the page takes style elements with this nonce only. Mantine asks for it; a package below it reads the global.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
Object.assign(globalThis, { __webpack_nonce__: nonce })

createRoot(document.getElementById('root')!).render(
  <MantineProvider theme={theme} cssVariablesResolver={readable} defaultColorScheme="auto" getStyleNonce={() => nonce}>
    <QueryClientProvider client={queryClient}>
      <Notices>
        <RouterProvider router={router} />
      </Notices>
    </QueryClientProvider>
  </MantineProvider>,
)
