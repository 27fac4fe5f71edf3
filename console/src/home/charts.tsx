// The figures of the last months as small charts: sales, receipts, and what customers owe.
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Account } from '../parts/pickers.tsx'
import { BarChart, type Bar } from './bar-chart.tsx'

const MONTHS = 6
const FRESH_MS = 300_000
const PAGES = 5
const PER_PAGE = 200

const monthName = new Intl.DateTimeFormat('en-IN', { month: 'short', year: '2-digit', timeZone: 'UTC' })

/** The last day of the month that is `back` months before this one. */
function endOfMonth(back: number): Date {
  const now = new Date()
  return new Date(Date.UTC(now.getFullYear(), now.getMonth() + 1 - back, 0))
}

const ENDS = Array.from({ length: MONTHS + 1 }, (_, place) => endOfMonth(MONTHS - place))

export function Charts() {
  const sales = useBalances(['SALES', 'INCOME'])
  const owed = useBalances(['ACCOUNTS_RECEIVABLE'])
  const receipts = useReceipts()
  const monthly = sales.data?.slice(1).map((sum, place) => bar(place + 1, sum - sales.data![place]!))
  return (
    <>
      <BarChart title="Sales" unit="Month" text="by month, before tax" bars={monthly} error={sales.error} />
      <BarChart
        title="Receipts"
        unit="Days"
        text={receipts.data?.isPart ? `this month, of the latest ${PAGES * PER_PAGE} payments` : 'this month'}
        bars={receipts.data?.bars}
        error={receipts.error}
        sums
      />
      <BarChart
        title="Receivables"
        unit="Month"
        text="at the end of each month"
        bars={owed.data?.slice(1).map((sum, place) => bar(place + 1, sum))}
        error={owed.error}
      />
    </>
  )
}

const bar = (place: number, amount: number): Bar => ({
  name: monthName.format(ENDS[place]),
  amount: Math.round(amount * 100) / 100,
})

/** The sum of the balances of these accounts at the end of each of the months, and of the one before them. */
const useBalances = (types: string[]) =>
  useQuery({
    queryKey: ['balances', types],
    staleTime: FRESH_MS,
    queryFn: async () => {
      const lists = await Promise.all(
        types.map((account_type) =>
          call<{ accounts: Account[] }>('GET', '/accounts', { query: { account_type, per_page: PER_PAGE } }),
        ),
      )
      const ids = lists.flatMap(({ accounts }) => accounts.map(({ account_id }) => account_id))
      return Promise.all(
        ENDS.map(async (end) => {
          const query = { as_of: end.toISOString().slice(0, 10) }
          const read = ids.map((id) => call<{ account: Account }>('GET', `/accounts/${id}`, { query }))
          return (await Promise.all(read)).reduce((sum, { account }) => sum + account.current_balance, 0)
        }),
      )
    },
  })

interface Payment {
  date: string
  amount: number
  exchange_rate: number
}

const SPANS = [
  [1, 7],
  [8, 14],
  [15, 21],
  [22, 31],
] as const

const useReceipts = () =>
  useQuery({
    queryKey: ['receipts'],
    staleTime: FRESH_MS,
    queryFn: async () => {
      const from = `${endOfMonth(0).toISOString().slice(0, 8)}01`
      const { payments, isPart } = await paymentsSince(from)
      const bars = SPANS.map(([first, last]) => {
        const within = payments.filter(
          ({ date }) => Number(date.slice(8, 10)) >= first && Number(date.slice(8, 10)) <= last,
        )
        const sum = within.reduce((sum, { amount, exchange_rate }) => sum + Math.round(amount * exchange_rate * 100), 0)
        return { name: `${first}–${last}`, amount: sum / 100 }
      })
      return { bars, isPart }
    },
  })

async function paymentsSince(date_from: string): Promise<{ payments: Payment[]; isPart: boolean }> {
  const payments: Payment[] = []
  let cursor: string | null | undefined
  for (let page = 0; page < PAGES && cursor !== null; page += 1) {
    const query = { flow: 'INCOMING', date_from, per_page: PER_PAGE, cursor: cursor ?? undefined }
    const answer = await call<{ payments: Payment[]; page_context: { next_cursor: string | null } }>(
      'GET',
      '/payments',
      { query },
    )
    payments.push(...answer.payments)
    cursor = answer.page_context.next_cursor
  }
  return { payments, isPart: cursor !== null }
}
