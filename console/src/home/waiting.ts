// Asks the API for what waits for a person: at most ASKED records of each sort.
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { amountOf, KINDS, textOf, type Document } from '../documents/kinds.ts'
import { daysAgo } from '../parts/dates.ts'

export interface Found {
  count: number
  /** What they come to, in the currency of the books. */
  amount?: number
}

export const ASKED = 200

const WEEK_DAYS = 7
const FRESH_MS = 60_000

const useFound = (name: string, ask: () => Promise<Found>) =>
  useQuery({ queryKey: ['waiting', name], queryFn: ask, staleTime: FRESH_MS })

export const useOverdue = (type: 'INVOICE' | 'BILL') =>
  useFound(`overdue ${type}`, async () => {
    const rows = await documentsOf(type, { overdue: true })
    const paise = rows.map((row) => Math.round(amountOf(row, 'balance') * amountOf(row, 'exchange_rate') * 100))
    return { count: rows.length, amount: paise.reduce((sum, one) => sum + one, 0) / 100 }
  })

export const useDrafts = (type: 'INVOICE' | 'BILL') =>
  useFound(`drafts ${type}`, async () => {
    const old = daysAgo(WEEK_DAYS)
    const rows = await documentsOf(type, { status: 'DRAFT', sort: 'created_time' })
    return { count: rows.filter((row) => textOf(row, 'created_time') < old).length }
  })

async function documentsOf(type: 'INVOICE' | 'BILL', asked: Record<string, string | boolean>): Promise<Document[]> {
  const { path, listKey } = KINDS[type]
  return (await call<Record<string, Document[]>>('GET', path, { query: { ...asked, per_page: ASKED } }))[listKey]!
}

interface Endpoint {
  status: string
  failing_since: string | null
  circuit: string
}

interface Schedule {
  status: string
  last_error: string | null
}

export function useFailures() {
  const endpoints = useFound('endpoints', async () => {
    const answer = await call<{ endpoints: Endpoint[] }>('GET', '/webhooks/endpoints', { query: { per_page: ASKED } })
    const failing = answer.endpoints.filter(
      ({ status, failing_since, circuit }) => status === 'DISABLED' || failing_since !== null || circuit !== 'CLOSED',
    )
    return { count: failing.length }
  })
  const deliveries = useFound('deliveries', async () => {
    const query = { status: 'FAILED', since: daysAgo(WEEK_DAYS), per_page: ASKED }
    return {
      count: (await call<{ deliveries: unknown[] }>('GET', '/webhooks/deliveries', { query })).deliveries.length,
    }
  })
  const schedules = useFound('schedules', async () => {
    const answer = await call<{ recurring: Schedule[] }>('GET', '/recurring', { query: { per_page: ASKED } })
    return {
      count: answer.recurring.filter(({ status, last_error }) => status === 'PAUSED' || last_error !== null).length,
    }
  })
  return { endpoints, deliveries, schedules }
}

const NOT_ARRIVED = ['EMAIL_BOUNCED', 'EMAIL_DROPPED', 'EMAIL_REPORTED_AS_SPAM']

/** By the latest 500 entries of the log, which has what the provider reports. */
export const useUndeliveredMails = () =>
  useFound('mails', async () => {
    const query = { since: daysAgo(WEEK_DAYS), limit: 500 }
    const { activity } = await call<{ activity: { action: string }[] }>('GET', '/activity', { query })
    return { count: activity.filter(({ action }) => NOT_ARRIVED.includes(action)).length }
  })
