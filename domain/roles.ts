// What a person may do in an organisation: the roles of its users, and the scopes that each gives a session.
import { FULL_ACCESS, OPERATIONS, SCOPED_RESOURCES } from './scopes.ts'

export const ROLES = ['OWNER', 'ACCOUNTANT', 'VIEWER'] as const
export type Role = (typeof ROLES)[number]

const READING = [...SCOPED_RESOURCES.map((resource) => `Svc.${resource}.READ`), 'Svc.preferences.READ']
const BOOKS = SCOPED_RESOURCES.flatMap((resource) => OPERATIONS.map((operation) => `Svc.${resource}.${operation}`))

const SCOPES_OF: Record<Role, string[]> = {
  OWNER: [FULL_ACCESS],
  // The books, schedules and webhooks, and what became of calls; no tokens, users or preferences.
  ACCOUNTANT: [...BOOKS, 'Svc.preferences.READ', 'Svc.requests.READ'],
  VIEWER: READING,
}

/** The scopes of a signed-in person with this role (decisions §12). */
export const scopesOfRole = (role: Role): string[] => SCOPES_OF[role]
