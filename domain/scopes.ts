// The scopes that tokens carry and routes require.
import { DOCUMENT_KINDS, DOCUMENTS } from './documents.ts'
import { fault } from './faults.ts'

const MASTERS = ['contacts', 'items', 'taxes', 'accounts'] as const
const OTHERS = [
  'branches',
  'bankaccounts',
  'costcenters',
  'currencies',
  'reports',
  'attachments',
  'comments',
  'recurring',
  'activity',
  'webhooks',
] as const

/** The resources that have scopes, in the specification's order. */
export const SCOPED_RESOURCES = [...MASTERS, ...DOCUMENT_KINDS.map((kind) => DOCUMENTS[kind].scope), ...OTHERS]

export const OPERATIONS = ['READ', 'CREATE', 'UPDATE', 'DELETE'] as const

/** The scope that a route requires, without its prefix: 'invoices.READ'. */
export type ScopeNeed = `${(typeof SCOPED_RESOURCES)[number]}.${(typeof OPERATIONS)[number]}`

/** What only signed-in persons may do, by their role; no token carries it. */
export type PersonalNeed = `${'preferences' | 'members' | 'tokens' | 'requests'}.${'READ' | 'UPDATE'}`

/** The wildcard: everything in the organisation. */
export const FULL_ACCESS = 'Svc.fullaccess.all'

/** Every scope that a token can carry (specification, "Authentication"). */
export const SCOPES: readonly string[] = [
  FULL_ACCESS,
  ...SCOPED_RESOURCES.flatMap((resource) => OPERATIONS.map((operation) => `Svc.${resource}.${operation}`)),
]

const KNOWN: ReadonlySet<string> = new Set(SCOPES)

export function isScope(text: string): boolean {
  return KNOWN.has(text)
}

/** The scopes, each once. Throws validation.invalid_value with the list of scopes where one is unknown. */
export function checkedScopes(scopes: readonly string[]): string[] {
  const unknown = scopes.find((scope) => !isScope(scope))
  if (unknown === undefined) return [...new Set(scopes)]
  throw fault('validation.invalid_value', {
    field: 'scopes',
    message: `${unknown} is not a scope.`,
    details: { valid: SCOPES },
  })
}

/** True when a token or session with these scopes has the needed one. */
export function allows(scopes: readonly string[], needed: ScopeNeed | PersonalNeed): boolean {
  return scopes.includes(FULL_ACCESS) || scopes.includes(`Svc.${needed}`)
}
