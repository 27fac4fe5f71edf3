// A bulk and the results of its rows as JSON.
import { Type, type Static, type TProperties, type TSchema } from 'typebox'
import { BULK_KINDS, type BulkCounts } from '../../domain/bulk.ts'
import { FAULTS } from '../../domain/faults.ts'
import type { BulkRow, ItemResult, RowError } from '../../models/bulk.ts'
import { Id, nullable, Timestamp } from './fields.ts'
import { Warnings } from './warning.ts'

const Count = Type.Integer({ minimum: 0 })

export const BulkSummary = Type.Object({ total: Count, succeeded: Count, failed: Count })

export const Bulk = Type.Object({
  bulk_id: Id,
  entity_type: Type.Enum(Object.keys(BULK_KINDS)),
  status: Type.Enum(['RUNNING', 'COMPLETED']),
  total: Count,
  succeeded: Count,
  failed: Count,
  pending: Count,
  created_time: Timestamp,
  completed_time: nullable(Timestamp),
})

/** The result of a row that was refused. */
export const RefusedRow = Type.Object({
  index: Type.Integer({ minimum: 0, description: 'The place of the row in the call, from 0.' }),
  ok: Type.Literal(false),
  error: Type.Object({
    code: Type.Enum(Object.keys(FAULTS)),
    message: Type.String(),
    field: nullable(Type.String({ description: 'Counted from the row: `line_items.0.rate`.' })),
    details: nullable(Type.Object({}, { additionalProperties: true })),
    errors: nullable(
      Type.Array(Type.Object({ field: Type.String(), code: Type.String(), message: Type.String() }), {
        description: 'Every problem of a row whose shape is wrong.',
      }),
    ),
  }),
})

/** The result of a row: its document under `key`, null where it was deleted since, or the error. */
export const rowResult = (documents: Record<string, TSchema>) =>
  Type.Union([
    ...Object.entries(documents).map(([key, Document]) =>
      Type.Object({
        index: RefusedRow.properties.index,
        ok: Type.Literal(true),
        [key]: Type.Union([Document, Type.Null()], { description: 'null for a draft that was deleted since.' }),
        warnings: Warnings,
      } as TProperties),
    ),
    RefusedRow,
  ])

export function showBulk(bulk: BulkRow, { total, succeeded, failed }: BulkCounts): Static<typeof Bulk> {
  return {
    bulk_id: bulk.id,
    entity_type: bulk.entity_type,
    status: bulk.status,
    total,
    succeeded,
    failed,
    pending: total - succeeded - failed,
    created_time: bulk.created_time.toISOString(),
    completed_time: bulk.completed_time?.toISOString() ?? null,
  }
}

/** `documents` holds the documents of the rows, as they are shown, by their ids. */
export function showResult(key: string, { index, ...row }: ItemResult, documents: Map<string, unknown>) {
  if (row.status === 'FAILED') return { index, ok: false, error: showError(row.error!) }
  return { index, ok: true, [key]: documents.get(row.document_id!) ?? null, warnings: row.warnings! }
}

function showError({ code, message, field, details, errors }: RowError) {
  const first = errors?.[0]?.field
  return { code, message, field: (field ?? first) || null, details: details ?? null, errors: errors ?? null }
}
