// What a change changed, for the activity log: old and new of every field that differs.
import { isDeepStrictEqual } from 'node:util'
import { toAmount } from '../../domain/money.ts'

export type Changes = Record<string, { old: unknown; new: unknown }>

const UNRECORDED = new Set(['org_id', 'version', 'last_modified_time', 'created_time'])

/**
 * Compares two states of a row; fields that only keep the books are left out. Amounts are told as the document answers
 * them: those of each state in units of its own currency, unless `currency` is given for both. Null when nothing differs.
 */
export function changesBetween(before: object, after: object, currency?: string): Changes | null {
  const changes: Changes = {}
  const was = currency ?? currencyOf(before) ?? 'INR'
  const is = currency ?? currencyOf(after) ?? was
  for (const [field, value] of Object.entries(after)) {
    if (UNRECORDED.has(field)) continue
    const [old, now] = [plain((before as Record<string, unknown>)[field], was), plain(value, is)]
    // PostgreSQL gives the fields of JSON back in an order of its own.
    if (!isDeepStrictEqual(old, now)) changes[field] = { old, new: now }
  }
  return Object.keys(changes).length === 0 ? null : changes
}

const plain = (value: unknown, currency: string) => (typeof value === 'bigint' ? toAmount(value, currency) : value ?? null)

const currencyOf = (row: object) => ('currency_code' in row ? String(row.currency_code) : null)
