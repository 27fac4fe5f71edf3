// What entries of the activity log are about.
import { ENTITY_TYPES } from './documents.ts'

/** The types of the specification ("Activity"), in its order; then those of what this service records besides. */
export const ACTIVITY_ENTITY_TYPES = [
  ...ENTITY_TYPES,
  'CONTACT',
  'ITEM',
  'ATTACHMENT',
  'ACCOUNTING_PERIOD',
  'BRANCH',
  'BULK',
  'COST_CENTER',
  'EXCHANGE_RATE',
  'NUMBER_SERIES',
  'ORGANIZATION',
  'RECURRING',
  'USER',
  'WEBHOOK_DELIVERY',
  'WEBHOOK_ENDPOINT',
] as const

export type ActivityEntityType = (typeof ACTIVITY_ENTITY_TYPES)[number]
