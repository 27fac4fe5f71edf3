// The old and new values of every field that a change changed, for the activity log.
import { isDeepStrictEqual } from 'node:util'
import { toAmount } from '../../domain/money.ts'

export type Changes = Record<string, { old: unknown; new: unknown }>

const UNRECORDED = new Set(['org_id', 'version', 'last_modified_time', 'created_time'])

/**
 * Compares two states of a row, without the technical fields in UNRECORDED. Returns null when nothing differs.
 * Amounts are given as in responses: in units of the currency of their state, or of `currency` where it is given.
 */
export function changesBetween(before: object, after: object, currency?: string): Changes | null {
  const changes: Changes = {}
  const currencyBefore = currency ?? currencyOf(before) ?? 'INR'
  const currencyAfter = currency ?? currencyOf(after) ?? currencyBefore
  for (const [field, value] of Object.entries(after)) {
    if (UNRECORDED.has(field)) continue
    const [old, now] = [plain((before as Record<string, unknown>)[field], currencyBefore), plain(value, currencyAfter)]
    // Deep comparison, because PostgreSQL returns the fields of a JSON value in another order.
    if (!isDeepStrictEqual(old, now)) changes[field] = { old, new: now }
  }
  return Object.keys(changes).length === 0 ? null : changes
}

const plain = (value: unknown, currency: string) =>
  typeof value === 'bigint' ? toAmount(value, currency) : (value ?? null)

const currencyOf = (row: object) => ('currency_code' in row ? String(row.currency_code) : null)
