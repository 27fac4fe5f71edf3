// Recurring schedules as the API answers them.
import { KINDS, type KindName } from '../documents/kinds.ts'
import { inWords } from '../parts/status.tsx'

export interface Schedule {
  recurring_id: string
  entity_type: 'INVOICE' | 'BILL' | 'EXPENSE' | 'JOURNAL'
  name: string
  frequency: string
  interval: number
  month_anchor: 'START_DAY' | 'LAST_DAY'
  start_date: string
  end_date: string | null
  next_run_at: string | null
  last_run_at: string | null
  status: 'ACTIVE' | 'PAUSED' | 'COMPLETED'
  template_entity_id: string | null
  template_payload: Record<string, unknown> | null
  run_count: number
  max_runs: number | null
  auto_approve: boolean
  auto_charge: boolean
  last_error: string | null
}

export interface Run {
  run_id: string
  occurrence: number
  status: 'SUCCEEDED' | 'FAILED'
  document_date: string
  generated_entity_id: string | null
  generated_number: string | null
  error: string | null
  error_field: string | null
  manual: boolean
  retry_of: string | null
  started_at: string
}

export interface Answered {
  message: string
  recurring: Schedule
}

export const schedulePath = (id: string) => `/recurring/${encodeURIComponent(id)}`

const UNITS: Record<string, string> = {
  DAILY: 'days',
  WEEKLY: 'weeks',
  MONTHLY: 'months',
  QUARTERLY: 'quarters',
  YEARLY: 'years',
}

/** Monthly; every 2 weeks; monthly, on the last day. */
export function rhythmOf({ frequency, interval, month_anchor }: Schedule): string {
  const rhythm = interval === 1 ? inWords(frequency) : `Every ${interval} ${UNITS[frequency] ?? frequency}`
  return month_anchor === 'LAST_DAY' ? `${rhythm}, on the last day` : rhythm
}

/** Where a document that it made is shown. */
export const documentLink = (type: Schedule['entity_type'], id: string) => `${KINDS[type as KindName].path}/${id}`
