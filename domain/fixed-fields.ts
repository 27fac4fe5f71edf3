// Compares the body of a PUT with the record: the fields that change, and changes of fixed fields, which are refused.
import { isZone, parseDocumentDate, zoneName } from './dates.ts'
import { fault, type Fault } from './faults.ts'
import { isId } from './ids.ts'
import { findState } from './place-of-supply.ts'

/** The body of a PUT: the changes, and other fields of the record that the caller sends back. */
export type Sent<Changes> = Changes & Record<string, unknown>

/** Renders a record as responses show it; a function of the API. */
export type Answered<Row> = (row: Row) => object

/** Which fields a PUT may change in the state that the record is in. */
export interface Changeable<Field extends string> {
  fields: readonly Field[]
  /** The fields that could change in another state or by another call, and what to do to change them. */
  instead?: { fields: readonly string[]; advice: string }
}

/** What may change of a document that is priced again while it is a draft: all fields of a draft, later only the remarks. */
export function changeableDraft<Term extends string, Remark extends string>(
  status: string,
  { terms, remarks, instead }: { terms: readonly Term[]; remarks: readonly Remark[]; instead: string },
): Changeable<Term | Remark> {
  if (status === 'DRAFT') return { fields: [...terms, ...remarks] }
  return { fields: remarks, instead: { fields: terms, advice: instead } }
}

// Values that change with time, so an outdated copy of them is accepted (decisions §11, Changing a resource).
const COMPUTED_FROM_CLOCK = new Set([
  'last_modified_time',
  'is_overdue',
  'days_overdue',
  'current_balance',
  // Of a webhook endpoint: they change with deliveries.
  'circuit',
  'next_try_at',
  'failing_since',
])

/** The fields that a body changes, and the refusal of the first fixed field that it would change. */
export interface Comparison<Field extends string> {
  changed: ReadonlySet<Field>
  refusal: Refusal
}

/** The refusal of a changed fixed field. Thrown after the records that the body names are known to exist (decisions §1). */
export type Refusal = Fault | null

/**
 * The changeable fields that are sent with another value than `answered` has. All other fields of the response may be sent
 * back unchanged: the first one with another value gives the refusal, validation.invalid_value with its dotted path.
 */
export function compareFields<Field extends string>(
  sent: Readonly<Record<string, unknown>>,
  answered: object,
  { fields, instead }: Changeable<Field>,
): Comparison<Field> {
  const values: Readonly<Record<string, unknown>> = { ...answered }
  const refusal = firstOf(Object.entries(values), ([field, value]) => {
    if (sent[field] === undefined || COMPUTED_FROM_CLOCK.has(field) || fields.some((each) => each === field))
      return null
    const path = differenceOf(field, field, sent[field], value)
    return path === null ? null : refusedChange(path, instead?.fields.includes(field) ? instead.advice : undefined)
  })
  const changed = new Set(
    fields.filter(
      (field) => sent[field] !== undefined && differenceOf(field, field, sent[field], values[field]) !== null,
    ),
  )
  return { changed, refusal }
}

/** As compareFields, for bodies that name no other record: throws the refusal. */
export function changedFields<Field extends string>(
  sent: Readonly<Record<string, unknown>>,
  answered: object,
  changeable: Changeable<Field>,
): ReadonlySet<Field> {
  const { changed, refusal } = compareFields(sent, answered, changeable)
  throwRefusal(refusal)
  return changed
}

/** The refusal of a changed fixed field of a member of a list; `path` is the prefix of its field names. */
export function refusalWithin(
  sent: Readonly<Record<string, unknown>>,
  answered: object,
  changeable: readonly string[],
  path: string,
): Refusal {
  return firstOf(Object.entries(answered), ([field, value]) => {
    if (sent[field] === undefined || changeable.includes(field)) return null
    const place = differenceOf(field, path + field, sent[field], value)
    return place === null ? null : refusedChange(place)
  })
}

/** The field of a list, the field of the id of its members, the noun for a member, and the message for an unknown id. */
interface ListWords {
  list: string
  id: string
  member: string
  missing: string
}

/**
 * The index of each sent member of a list, by its id, among the existing ones; null for a new one, which has no id. Throws
 * not_found.resource for an unknown id, and validation.invalid_value for one that is sent twice.
 */
export function placesAmong(
  ids: readonly string[],
  sent: readonly (string | null | undefined)[],
  { list, id: name, member, missing }: ListWords,
): (number | null)[] {
  const known = new Map(ids.map((id, place) => [id, place]))
  const fieldOf = (index: number) => `${list}.${index}.${name}`
  const places = sent.map((id, index) => {
    if (id == null) return null
    const place = known.get(id.toLowerCase())
    if (place === undefined) throw fault('not_found.resource', { field: fieldOf(index), message: missing })
    return place
  })
  const twice = places.findIndex((place, index) => place !== null && places.indexOf(place) < index)
  if (twice === -1) return places
  throw fault('validation.invalid_value', {
    field: fieldOf(twice),
    message: `${fieldOf(twice)}: each ${member} may appear once.`,
  })
}

/** Throws the first refusal that is not null. */
export function throwRefusal(...refusals: Refusal[]): void {
  for (const refusal of refusals) if (refusal !== null) throw refusal
}

function refusedChange(field: string, advice = 'leave it out, or send the value that it has'): Fault {
  return fault('validation.invalid_value', { field, message: `${field} cannot change; ${advice}.` })
}

// A line or person that is sent without its id is a new one, even if all other fields are equal.
const IDENTITIES = ['line_item_id', 'contact_person_id']

const isAnother = (sent: unknown, value: unknown) =>
  isRecord(value) && isRecord(sent) && IDENTITIES.some((name) => name in value && sent[name] == null)

// The path of the first difference, null where both are equal.
function differenceOf(field: string, path: string, sent: unknown, value: unknown): string | null {
  if (Array.isArray(value)) {
    if (
      !Array.isArray(sent) ||
      sent.length !== value.length ||
      value.some((each, index) => isAnother(sent[index], each))
    )
      return path
    return firstOf(value, (each, index) => differenceOf(field, `${path}.${index}`, sent[index], each))
  }
  if (isRecord(value)) {
    if (!isRecord(sent)) return path
    return firstOf(Object.entries(value), ([name, each]) =>
      sent[name] === undefined ? null : differenceOf(name, `${path}.${name}`, sent[name], each),
    )
  }
  return isSame(field, sent, value) ? null : path
}

function firstOf<Each, Found>(all: Each[], find: (each: Each, index: number) => Found | null): Found | null {
  for (const [index, each] of all.entries()) {
    const found = find(each, index)
    if (found !== null) return found
  }
  return null
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const IDS = /_id$|^(tags|invoices|bills)$/

// Ids, dates, instants, zones and states can be written in more than one way. The name of a field tells what it holds.
function isSame(field: string, sent: unknown, value: unknown): boolean {
  if (sent === value) return true
  if (typeof sent !== 'string' || typeof value !== 'string') return false
  if (field === 'time_zone') return isZone(sent) && zoneName(sent) === value
  if (/^place_of_/.test(field)) return findState(sent) === value
  if (/(^|_)date$/.test(field)) return parseDocumentDate(sent) === parseDocumentDate(value)
  if (/_(time|at)$/.test(field)) return Date.parse(sent) === Date.parse(value)
  return IDS.test(field) && isId(value) && sent.toLowerCase() === value
}
