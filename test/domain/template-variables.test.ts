// The variables and the dates of a schedule's template.
import { expect, test } from '@jest/globals'
import { daysUntilDue, datedBody } from '../../domain/template-dates.ts'
import { fillVariables, refuseUnknownVariables, TEMPLATE_VARIABLES, variablesOf } from '../../domain/template-variables.ts'
import { refusalOf as refusal } from './refusal.ts'

type Json = Record<string, unknown>

const SEPTEMBER = variablesOf(12, { start: '2026-09-01', end: '2026-09-30' })

test('they are filled in names, descriptions and notes, on lines too, and nowhere else', () => {
  const body = {
    notes: 'From {{period_start}} to {{ period_end }}', reference_number: 'R-{{year}}-{{occurrence}}', customer_id: '{{month}}',
    line_items: [{ name: 'Rent {{month}} {{year}}', description: null, quantity: 2, hsn_or_sac: '{{year}}' }], tags: ['{{month}}'],
  }
  expect(fillVariables(body, SEPTEMBER)).toEqual({
    notes: 'From 01 Sep 2026 to 30 Sep 2026', reference_number: 'R-2026-12', customer_id: '{{month}}',
    line_items: [{ name: 'Rent September 2026', description: null, quantity: 2, hsn_or_sac: '{{year}}' }], tags: ['{{month}}'],
  })
  expect(body.line_items[0]!.name).toBe('Rent {{month}} {{year}}')
})

test('a value is never longer than its variable, so that a filled text fits its field', () => {
  const longest = variablesOf(9_999_999, { start: '2026-09-30', end: '2026-10-29' })
  for (const name of TEMPLATE_VARIABLES) expect([name, longest[name].length <= `{{${name}}}`.length]).toEqual([name, true])
})

test('a value is put in as it is: nothing in it is a variable or a pattern', () => {
  expect(fillVariables({ name: '{{month}}$&{{year}}{ {month} }' }, SEPTEMBER)).toEqual({ name: 'September$&2026{ {month} }' })
})

test.each(['{{months}}', '{{}}', '{{ }}', '{{MONTH}}', '{{month.name}}', '{{constructor}}'])('%s is refused with the list', (text) => {
  expect(refusal(() => refuseUnknownVariables({ line_items: [{}, { name: text }] }, 'template_payload'))).toMatchObject({
    code: 'validation.invalid_value', field: 'template_payload.line_items.1.name',
    details: { valid: ['{{period_start}}', '{{period_end}}', '{{month}}', '{{year}}', '{{occurrence}}'] },
  })
  expect(refusal(() => fillVariables({ notes: text }, SEPTEMBER))).toMatchObject({ code: 'validation.invalid_value', field: 'notes' })
})

// With a pattern that tries every way to part the spaces this does not end.
test('a text of many spaces after braces is looked through once', () => {
  const notes = `{{${' '.repeat(50_000)}`
  refuseUnknownVariables({ notes }, 'template_payload')
  expect(fillVariables({ notes }, SEPTEMBER)).toEqual({ notes })
})

test.each<[string, Json]>([
  ['line_items.0.unit', { line_items: [{ name: 'x', unit: '{{month}}' }] }], ['tags.1', { tags: ['a', '{{x}}'] }], ['place_of_supply', { place_of_supply: '{{year}}' }],
])('a variable in %s, which takes none, is refused with the fields that take them', (field, body) => {
  expect(refusal(() => refuseUnknownVariables(body, 'template_payload'))).toMatchObject({
    code: 'validation.invalid_value', field: `template_payload.${field}`,
    details: { valid: expect.arrayContaining(['name', 'notes']) },
  })
})

test('a due date keeps its distance to the date, or to the start where the template has no date', () => {
  expect(datedBody({ date: '2026-04-01', due_date: '2026-04-16' }, '2026-01-01', '2026-09-30')).toEqual({ date: '2026-09-30', due_date: '2026-10-15' })
  expect(datedBody({ due_date: '2026-04-16', notes: 'x' }, '2026-04-01', '2026-05-01')).toEqual({ date: '2026-05-01', due_date: '2026-05-16', notes: 'x' })
  expect(datedBody({ due_date: null }, '2026-04-01', '2026-05-01')).toEqual({ date: '2026-05-01', due_date: null })
  expect(daysUntilDue({}, '2026-04-01')).toBeNull()
  expect(refusal(() => daysUntilDue({ due_date: '2026-03-31' }, '2026-04-01'))).toMatchObject({
    code: 'validation.invalid_value', field: 'template_payload.due_date',
  })
})
