// The cache of answers, and how often a call that failed is repeated: the calls themselves do that.
import { QueryClient } from '@tanstack/react-query'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, gcTime: 300_000, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
})
