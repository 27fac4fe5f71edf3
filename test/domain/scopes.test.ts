// Scopes of tokens and the shape of ids.
import { describe, expect, test } from '@jest/globals'
import { isId } from '../../domain/ids.ts'
import { allows, FULL_ACCESS, isScope, OPERATIONS, SCOPED_RESOURCES, SCOPES } from '../../domain/scopes.ts'

describe('a scope', () => {
  test.each(['Svc.invoices.READ', 'Svc.fullaccess.all', 'Svc.creditnotes.UPDATE', 'Svc.webhooks.DELETE'])(
    '%s is one', text => {
      expect(isScope(text)).toBe(true)
    },
  )

  test.each([
    'invoices.READ', 'Svc.invoices.read', 'Svc.invoices', 'Svc.fullaccess.READ', 'Svc.*.READ', '', 'constructor',
  ])('%j is none', text => {
    expect(isScope(text)).toBe(false)
  })

  test('opens what it names, and nothing beside it', () => {
    expect(allows(['Svc.items.READ', 'Svc.invoices.READ'], 'invoices.READ')).toBe(true)
    expect(allows(['Svc.invoices.READ'], 'invoices.CREATE')).toBe(false)
    expect(allows(['Svc.invoices.READ'], 'bills.READ')).toBe(false)
    expect(allows([], 'invoices.READ')).toBe(false)
  })

  test('of full access opens everything', () => {
    for (const resource of SCOPED_RESOURCES) {
      for (const operation of OPERATIONS) expect(allows([FULL_ACCESS], `${resource}.${operation}`)).toBe(true)
    }
  })

  test('is listed once', () => {
    expect(new Set(SCOPES).size).toBe(SCOPES.length)
  })
})

test.each<[string, boolean]>([
  ['0198c0de-7a1b-7c3d-8e4f-0123456789ab', true],
  ['0198C0DE-7A1B-7C3D-8E4F-0123456789AB', true],
  ['0198c0de7a1b7c3d8e4f0123456789ab', false],
  ['0198c0de-7a1b-7c3d-8e4f-0123456789ag', false],
  ['{0198c0de-7a1b-7c3d-8e4f-0123456789ab}', false],
  [' 0198c0de-7a1b-7c3d-8e4f-0123456789ab', false],
  ['', false],
  ['1', false],
])('%j has the shape of an id: %s', (text, is) => {
  expect(isId(text)).toBe(is)
})
