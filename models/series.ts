// Accounting periods, the number series within them, and the numbers that deleted drafts left behind.
import { table } from './table.ts'

export interface AccountingPeriodRow {
  org_id: string
  id: string
  name: string
  start_date: string
  end_date: string
  created_time: Date
}

export const accountingPeriods = table<AccountingPeriodRow>('accounting_periods', {
  org_id: 'uuid', id: 'uuid', name: 'text', start_date: 'date', end_date: 'date', created_time: 'time',
})

export interface NumberSeriesRow {
  org_id: string
  id: string
  branch_id: string
  period_id: string
  series_name: string
  label: string | null
  prefix: string
  padding: number
  format_template: string
  is_default: boolean
  created_time: Date
}

export const numberSeries = table<NumberSeriesRow>('number_series', {
  org_id: 'uuid', id: 'uuid', branch_id: 'uuid', period_id: 'uuid', series_name: 'text', label: 'text', prefix: 'text',
  padding: 'integer', format_template: 'text', is_default: 'boolean', created_time: 'time',
})

export interface NumberGapRow {
  org_id: string
  id: string
  branch_id: string
  document: string
  number: string
  series_name: string | null
  reason: string
  time: Date
}

export const numberGaps = table<NumberGapRow>('number_gaps', {
  org_id: 'uuid', id: 'uuid', branch_id: 'uuid', document: 'text', number: 'text', series_name: 'text', reason: 'text',
  time: 'time',
})
