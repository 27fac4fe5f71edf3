// The variables of a schedule's template, such as {{month}}, in the names, descriptions and notes of what it generates.
import { fault } from './faults.ts'
import type { Period } from './recurrence.ts'

export const TEMPLATE_VARIABLES = ['period_start', 'period_end', 'month', 'year', 'occurrence'] as const
export type TemplateVariable = (typeof TEMPLATE_VARIABLES)[number]

// The fields that people read; ids, codes and amounts take no variables.
const TEXT_FIELDS = new Set([
  'name',
  'description',
  'notes',
  'note',
  'memo',
  'reference_number',
  'bill_number',
  'invoice_number',
])
// Each text is looked through once: what may be space around the name is not told from the name by the pattern.
const VARIABLE = /\{\{([^{}]*)\}\}/g

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** The values of an occurrence. None is longer than its variable, so that a filled text keeps the bounds of its field. */
export function variablesOf(occurrence: number, { start, end }: Period): Record<TemplateVariable, string> {
  return {
    period_start: shortDate(start),
    period_end: shortDate(end),
    month: MONTHS[Number(start.slice(5, 7)) - 1]!,
    year: start.slice(0, 4),
    occurrence: String(occurrence),
  }
}

/** A date as people write it: `01 Apr 2026`. */
const shortDate = (date: string) =>
  `${date.slice(8)} ${MONTHS[Number(date.slice(5, 7)) - 1]!.slice(0, 3)} ${date.slice(0, 4)}`

/** The body with its variables replaced. Throws as refuseUnknownVariables does. */
export function fillVariables<Body>(body: Body, values: Record<TemplateVariable, string>): Body {
  return mapTexts(body, (text, path, fills) =>
    fills ? text.replaceAll(VARIABLE, (_whole, name: string) => values[known(name.trim(), path)]) : text,
  ) as Body
}

/**
 * Throws validation.invalid_value, with the field below `field` and the list of variables, for a variable that does not exist,
 * and for any in a field that takes none.
 */
export function refuseUnknownVariables(body: unknown, field: string): void {
  const check = (text: string, path: string, fills: boolean) => {
    for (const [, name = ''] of text.matchAll(VARIABLE)) if (fills) known(name.trim(), path)
    if (!fills && text.search(VARIABLE) >= 0) throw notFilled(path)
    return text
  }
  mapTexts(body, check, `${field}.`)
}

function notFilled(field: string) {
  const valid = [...TEXT_FIELDS]
  const message = `${field} takes no variables such as {{month}}; they are filled in ${valid.join(', ')}.`
  return fault('validation.invalid_value', { field, message, details: { valid } })
}

function known(name: string, field: string): TemplateVariable {
  const found = TEMPLATE_VARIABLES.find((each) => each === name)
  if (found) return found
  const valid = TEMPLATE_VARIABLES.map((each) => `{{${each}}}`)
  const message = `${field}: {{${name}}} is not known; use ${valid.join(', ')}.`
  throw fault('validation.invalid_value', { field, message, details: { valid } })
}

type ChangeOfText = (text: string, path: string, fills: boolean) => string

// Every text of the body, with its path, and whether variables are filled in it.
function mapTexts(value: unknown, change: ChangeOfText, path = '', fills = false): unknown {
  if (typeof value === 'string') return change(value, path.slice(0, -1), fills)
  if (Array.isArray(value)) return value.map((each, place) => mapTexts(each, change, `${path}${place}.`))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => [
      field,
      mapTexts(each, change, `${path}${field}.`, TEXT_FIELDS.has(field)),
    ]),
  )
}
