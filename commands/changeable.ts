// What a PUT changes of a record: the fields that may change, beside a copy of all others as they were answered.
import { parseDocumentDate } from '../domain/dates.ts'
import { fault } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import { findState } from '../domain/place-of-supply.ts'

/** The body of a PUT: the changes, and whatever else of the record the caller carries back. */
export type Sent<Changes> = Changes & Record<string, unknown>

/** Shows a record as it is answered; given by the API, whose matter the form of answers is. */
export type Answered<Row> = (row: Row) => object

/** Which fields a PUT may change in the state that the record is in. */
export interface Changeable<Field extends string> {
  fields: readonly Field[]
  /** The fields that could change in another state or by another call, and what to do to change them. */
  instead?: { fields: readonly string[]; advice: string }
}

// Another moment gives another value, so a copy says nothing (decisions §11, Changing a resource).
const COMPUTED_FROM_CLOCK = new Set([
  'last_modified_time', 'is_overdue', 'days_overdue', 'current_balance',
  // Of a webhook endpoint: they turn with each delivery.
  'circuit', 'next_try_at', 'failing_since',
])

/**
 * The changeable fields that are sent with another value than `answered` has. Any other field of the answer may be carried
 * back with the value that it has: throws validation.invalid_value for the first one with another value, by its dotted path.
 */
export function changedFields<Field extends string>(
  sent: Readonly<Record<string, unknown>>, answered: object, { fields, instead }: Changeable<Field>,
): Set<Field> {
  const values: Readonly<Record<string, unknown>> = { ...answered }
  for (const [field, value] of Object.entries(values)) {
    if (sent[field] === undefined || COMPUTED_FROM_CLOCK.has(field) || fields.some((each) => each === field)) continue
    const path = differenceOf(field, field, sent[field], value)
    if (path !== null) throw refusedChange(path, instead?.fields.includes(field) ? instead.advice : undefined)
  }
  return new Set(fields.filter((field) => sent[field] !== undefined && differenceOf(field, field, sent[field], values[field]) !== null))
}

/** As changedFields, for a record within a list; `path` stands before the names of its fields. */
export function refuseFixedWithin(
  sent: Readonly<Record<string, unknown>>, answered: object, changeable: readonly string[], path: string,
): void {
  for (const [field, value] of Object.entries(answered)) {
    if (sent[field] === undefined || changeable.includes(field)) continue
    const place = differenceOf(field, path + field, sent[field], value)
    if (place !== null) throw refusedChange(place)
  }
}

function refusedChange(field: string, advice = 'leave it out, or send the value that it has') {
  return fault('validation.invalid_value', { field, message: `${field} cannot change; ${advice}.` })
}

// A line or person that is sent without its id is another one, whatever else it says.
const IDENTITIES = ['line_item_id', 'contact_person_id']

const isAnother = (sent: unknown, value: unknown) => (
  isRecord(value) && isRecord(sent) && IDENTITIES.some((name) => name in value && sent[name] == null)
)

// Where the two part: the path of the first difference, null where they say the same.
function differenceOf(field: string, path: string, sent: unknown, value: unknown): string | null {
  if (Array.isArray(value)) {
    if (!Array.isArray(sent) || sent.length !== value.length || value.some((each, index) => isAnother(sent[index], each))) return path
    return firstOf(value, (each, index) => differenceOf(field, `${path}.${index}`, sent[index], each))
  }
  if (isRecord(value)) {
    if (!isRecord(sent)) return path
    return firstOf(Object.entries(value), ([name, each]) => (
      sent[name] === undefined ? null : differenceOf(name, `${path}.${name}`, sent[name], each)
    ))
  }
  return isSame(field, sent, value) ? null : path
}

function firstOf<Each>(all: Each[], find: (each: Each, index: number) => string | null): string | null {
  for (const [index, each] of all.entries()) {
    const found = find(each, index)
    if (found !== null) return found
  }
  return null
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

const IDS = /_id$|^(tags|invoices|bills)$/

// Ids, dates, instants and states may be written in more than one way; which a field holds its name says.
function isSame(field: string, sent: unknown, value: unknown): boolean {
  if (sent === value) return true
  if (typeof sent !== 'string' || typeof value !== 'string') return false
  if (/^place_of_/.test(field)) return findState(sent) === value
  if (/(^|_)date$/.test(field)) return parseDocumentDate(sent) === parseDocumentDate(value)
  if (/_(time|at)$/.test(field)) return Date.parse(sent) === Date.parse(value)
  return IDS.test(field) && isId(value) && sent.toLowerCase() === value
}
