// What a scope allows, in words for the person who is asked to consent to it.
import { DOCUMENT_KINDS, DOCUMENTS } from '../documents.ts'
import { FULL_ACCESS } from '../scopes.ts'

const NOUNS: Record<string, string> = {
  ...Object.fromEntries(DOCUMENT_KINDS.map((kind) => [DOCUMENTS[kind].scope, `${DOCUMENTS[kind].noun}s`])),
  bankaccounts: 'bank accounts',
  costcenters: 'cost centers',
  recurring: 'recurring schedules',
  activity: 'the activity log',
  webhooks: 'webhook endpoints',
  accounts: 'accounts of the ledger',
}

const VERBS: Record<string, string> = {
  READ: 'See',
  CREATE: 'Create',
  UPDATE: 'Change, approve, void and send',
  DELETE: 'Delete',
}

/** A sentence such as `See invoices`. */
export function wordsOfScope(scope: string): string {
  if (scope === FULL_ACCESS) return 'Do everything that you may do in the organisation, except for its settings'
  const [, resource = '', operation = ''] = scope.split('.')
  const noun = NOUNS[resource] ?? resource
  return `${VERBS[operation] ?? operation} ${noun}`
}
