// A number series as JSON: camelCase when listed, snake_case when created, as in the specification.
import { Type, type Static } from 'typebox'
import type { ListedSeries } from '../../commands/masters/series.ts'
import type { NumberGapRow, NumberSeriesRow } from '../../models/series.ts'
import { DocumentDate, Id, Name, nullable, optional, Reference, Text, Timestamp } from './fields.ts'

export const NewSeries = Type.Object(
  {
    series_name: Name(50),
    prefix: Name(30),
    label: optional(Text(100)),
    padding: optional(Type.Integer({ minimum: 1, maximum: 18 })),
    format_template: optional(Name(100)),
    transaction_date: optional(DocumentDate),
    branch_id: optional(Reference),
  },
  { examples: [{ series_name: 'export', prefix: 'EXP/' }] },
)

export const CreatedSeries = Type.Object({
  id: Id,
  series_name: Type.String(),
  label: nullable(Type.String()),
  prefix: Type.String(),
  is_default: Type.Boolean(),
  period_id: Id,
  branch_id: Id,
})

export const Series = Type.Object({
  seriesName: Type.String(),
  label: nullable(Type.String()),
  prefix: Type.String(),
  isDefault: Type.Boolean(),
  periodId: nullable(Id),
})

export const Gap = Type.Object({
  number: Type.String(),
  series: nullable(Type.String()),
  reason: Type.String(),
  time: Timestamp,
})

export function showCreatedSeries(row: NumberSeriesRow): Static<typeof CreatedSeries> {
  const { id, series_name, label, prefix, is_default, period_id, branch_id } = row
  return { id, series_name, label, prefix, is_default, period_id, branch_id }
}

export function showSeries({ series_name, label, prefix, is_default, period_id }: ListedSeries): Static<typeof Series> {
  return { seriesName: series_name, label, prefix, isDefault: is_default, periodId: period_id }
}

export function showGap({ number, series_name, reason, time }: NumberGapRow): Static<typeof Gap> {
  return { number, series: series_name, reason, time: time.toISOString() }
}
