// A journal as JSON, in and out.
import { Type, type Static } from 'typebox'
import { showDate } from '../../domain/dates.ts'
import type { FieldProblem } from '../../domain/faults.ts'
import { toAmount } from '../../domain/money.ts'
import { JOURNAL_SOURCES, type ReadJournal } from '../../models/journal.ts'
import { Tags } from './document.ts'
import { DocumentDate, Id, nullable, optional, Reference, Text, Timestamp } from './fields.ts'
import { MAX_LINES } from './line-item.ts'

const LedgerAmount = Type.Number({ description: "In the organisation's currency." })

const Side = optional(Type.Number({ minimum: 0, maximum: 1e13, description: "In the organisation's currency." }))

export const NewJournal = Type.Object({
  date: DocumentDate,
  memo: optional(Text(500)),
  contact_id: optional(Reference),
  tags: optional(Tags),
  lines: Type.Array(
    Type.Object(
      {
        account_id: Reference,
        debit: Side,
        credit: Side,
        description: optional(Text(500)),
        contact_id: optional(Reference),
      },
      { description: "Either debit or credit. The contact is the journal's unless the line names its own." },
    ),
    { minItems: 2, maxItems: MAX_LINES },
  ),
})

/** Problems that the shape cannot express: each line needs an amount on exactly one side. Accepts any body, also an invalid one. */
export function sideProblems(body: unknown): FieldProblem[] {
  const lines = (body as { lines?: unknown } | null)?.lines
  if (!Array.isArray(lines)) return []
  return lines.flatMap((line, index) =>
    typeof line === 'object' && line !== null && !isOneSided(line)
      ? [{ field: `lines.${index}`, code: 'refused', message: 'must have either a debit or a credit above 0' }]
      : [],
  )
}

// A side that is not a number is reported by the shape, so it counts as valid here.
function isOneSided({ debit, credit }: { debit?: unknown; credit?: unknown }): boolean {
  const sides = [debit ?? 0, credit ?? 0]
  return sides.some((side) => typeof side !== 'number') || (sides[0] === 0) !== (sides[1] === 0)
}

export const Journal = Type.Object({
  journal_id: Id,
  journal_number: Type.String(),
  date: Timestamp,
  source: Type.Enum([...JOURNAL_SOURCES]),
  source_id: nullable(Type.String({ format: 'uuid', description: 'The document of the entry.' })),
  memo: nullable(Type.String()),
  contact_id: nullable(Id),
  lines: Type.Array(
    Type.Object({
      account_id: Id,
      account_name: Type.String(),
      debit: LedgerAmount,
      credit: LedgerAmount,
      description: nullable(Type.String()),
      contact_id: nullable(Id),
    }),
  ),
  reversal_of: nullable(Type.String({ format: 'uuid', description: 'The entry that this one reverses.' })),
  reversed_by: nullable(Type.String({ format: 'uuid', description: 'The entry that reverses this one.' })),
  tags: Type.Array(Id),
  created_time: Timestamp,
  last_modified_time: Timestamp,
})

/** `currency` is the organisation's, in which the ledger is kept. */
export function showJournal(journal: ReadJournal, currency: string): Static<typeof Journal> {
  const written = journal.created_time.toISOString()
  return {
    journal_id: journal.id,
    journal_number: journal.journal_number,
    date: showDate(journal.date),
    source: journal.source,
    source_id: journal.source_id,
    memo: journal.memo,
    contact_id: journal.contact_id,
    lines: journal.lines.map(({ account_id, account_name, debit, credit, description, contact_id }) => ({
      account_id,
      account_name,
      debit: toAmount(debit, currency),
      credit: toAmount(credit, currency),
      description,
      contact_id,
    })),
    reversal_of: journal.reversal_of,
    reversed_by: journal.reversed_by,
    tags: journal.tags,
    created_time: written,
    // A journal is never changed.
    last_modified_time: written,
  }
}
