// The search attributes by which operators find workflows. They never contain personal data.

export const SEARCH_ATTRIBUTES = {
  orgId: { name: 'SvcOrgId', type: 'KEYWORD' },
  entityType: { name: 'SvcEntityType', type: 'KEYWORD' },
  entityId: { name: 'SvcEntityId', type: 'KEYWORD' },
  endpointId: { name: 'SvcEndpointId', type: 'KEYWORD' },
  state: { name: 'SvcState', type: 'KEYWORD' },
  attempt: { name: 'SvcAttempt', type: 'INT' },
  nextAt: { name: 'SvcNextAt', type: 'DATETIME' },
} as const

export interface Findable {
  orgId?: string
  entityType?: string
  entityId?: string
  endpointId?: string
  state?: string
  attempt?: number
  nextAt?: Date
}

export type SearchPair =
  | { key: { name: string; type: 'KEYWORD' }; value: string }
  | { key: { name: string; type: 'INT' }; value: number }
  | { key: { name: string; type: 'DATETIME' }; value: Date }

/** The pairs to start a workflow with, or to change while it runs; attributes that are left out stay as they are. */
export function searchPairs(findable: Findable): SearchPair[] {
  const { orgId, entityType, entityId, endpointId, state, attempt, nextAt } = findable
  const pairs: SearchPair[] = []
  if (orgId !== undefined) pairs.push({ key: SEARCH_ATTRIBUTES.orgId, value: orgId })
  if (entityType !== undefined) pairs.push({ key: SEARCH_ATTRIBUTES.entityType, value: entityType })
  if (entityId !== undefined) pairs.push({ key: SEARCH_ATTRIBUTES.entityId, value: entityId })
  if (endpointId !== undefined) pairs.push({ key: SEARCH_ATTRIBUTES.endpointId, value: endpointId })
  if (state !== undefined) pairs.push({ key: SEARCH_ATTRIBUTES.state, value: state })
  if (attempt !== undefined) pairs.push({ key: SEARCH_ATTRIBUTES.attempt, value: attempt })
  if (nextAt !== undefined) pairs.push({ key: SEARCH_ATTRIBUTES.nextAt, value: nextAt })
  return pairs
}
