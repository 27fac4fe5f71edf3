// The catalogue of events: every type that can be announced, with the fixed JSON schema of its data.
import { Type, type TProperties, type TSchema } from 'typebox'
import {
  DOCUMENT_KINDS,
  factsOf,
  kindsThatHave,
  type DocumentKind,
  type FactsOf,
  type KindThatHas,
} from './documents.ts'
import { SCHEDULED_KINDS } from './schedule.ts'

const Id = Type.String({ format: 'uuid' })
const OrNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const closed = (properties: TProperties) => Type.Object(properties, { additionalProperties: false })

/** The further fields of the events of some kinds. */
const MORE: Partial<Record<DocumentKind, TProperties>> = {
  PAYMENT: { amount: Type.Number() },
  ESTIMATE: { converted_to_sales_order_id: OrNull(Id) },
  JOURNAL: { source: Type.String() },
}
const FLOW: Record<string, TProperties> = {
  PAYMENT_RECEIVED: { flow: Type.Literal('INCOMING') },
  PAYMENT_MADE: { flow: Type.Literal('OUTGOING') },
  PAYMENT_DELETED: { flow: Type.Enum(['INCOMING', 'OUTGOING']) },
}

/**
 * The schema of the data of an event about a document (decisions §5); `sequence` is the document's version and grows with
 * each event. Payments, expenses and journals have no states (decisions §10).
 */
function documentData(kind: DocumentKind, type: string): TSchema {
  const { party, partyOptional, statuses } = factsOf(kind)
  return closed({
    id: Id,
    number: OrNull(Type.String()),
    total: Type.Number(),
    sequence: Type.Integer({ minimum: 1 }),
    [party]: partyOptional ? OrNull(Id) : Id,
    status: statuses ? Type.String() : Type.Null(),
    ...FLOW[type],
    ...MORE[kind],
    ...(type.endsWith('_UPDATED') ? { changed: Type.Array(Type.String()) } : {}),
  })
}

const Bulk = closed({
  count: Type.Integer({ minimum: 0 }),
  failed: Type.Integer({ minimum: 0 }),
  batch_size: Type.Integer({ minimum: 1 }),
})
const Comment = closed({ id: Id, entity_type: Type.String(), entity_id: Id, author_user_id: Id })
/** A schedule that three failed ticks in a row have paused. */
const PausedSchedule = closed({
  id: Id,
  name: Type.String(),
  entity_type: Type.Enum([...SCHEDULED_KINDS]),
  status: Type.Literal('PAUSED'),
  failures: Type.Integer({ minimum: 1 }),
  error: Type.String({ description: 'Why the latest run failed.' }),
  next_run_at: Type.String({ format: 'date-time' }),
  sequence: Type.Integer({ minimum: 1 }),
})
const Test = closed({ id: Id })

/** The type of an event about a document. */
export type DocumentEvent<K extends DocumentKind = DocumentKind> = { [Each in K]: FactsOf<Each>['events'][number] }[K]

const OF_DOCUMENTS = Object.fromEntries(
  DOCUMENT_KINDS.flatMap((kind) => factsOf(kind).events.map((type) => [type, documentData(kind, type)])),
) as Record<DocumentEvent, TSchema>

const CATALOGUE = {
  ...OF_DOCUMENTS,
  INVOICE_BULK_CREATED: Bulk,
  BILL_BULK_CREATED: Bulk,
  'comment.created': Comment,
  'comment.updated': Comment,
  'comment.deleted': Comment,
  'invoice.sent': documentData('INVOICE', 'invoice.sent'),
  RECURRING_PAUSED: PausedSchedule,
  'invoice.reminded': documentData('INVOICE', 'invoice.reminded'),
}

/** An event type that an endpoint may subscribe to. */
export type EventType = keyof typeof CATALOGUE

/** Sent to one endpoint when a test is requested; endpoints cannot subscribe to it. */
export const TEST_EVENT = 'webhook.test'

/** The deletion of a document. The specification has no event of it to subscribe to, so only the change feed has it. */
export type DeletionEvent = `${KindThatHas<'isDeletable'>}_DELETED`

const DELETIONS = Object.fromEntries(
  kindsThatHave('isDeletable').map((kind) => [`${kind}_DELETED`, documentData(kind, `${kind}_DELETED`)]),
) as Record<DeletionEvent, TSchema>

/** Every type that only the change feed has. */
export const DELETION_EVENTS = Object.keys(DELETIONS) as readonly DeletionEvent[]

/** What an event is about. */
export const EVENT_ENTITY_TYPES = [...DOCUMENT_KINDS, 'BULK', 'COMMENT', 'RECURRING', 'WEBHOOK_ENDPOINT'] as const
export type EventEntityType = (typeof EVENT_ENTITY_TYPES)[number]

/** An event to announce; its data follows the schema of its type. */
export interface AnnouncedEvent {
  type: EventType | DeletionEvent
  data: Record<string, unknown>
}

/** The event by which an endpoint is tested; its data is the endpoint's id. */
export interface TestEvent {
  type: typeof TEST_EVENT
  data: { id: string }
}

/** Every type to subscribe to, in the specification's order; what it does not name comes last. */
export const EVENT_TYPES = Object.keys(CATALOGUE) as readonly EventType[]

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(CATALOGUE, text)
}

/** The JSON schema of a type's `data`. */
export function eventSchema(type: EventType | DeletionEvent | typeof TEST_EVENT): TSchema {
  return type === TEST_EVENT ? Test : { ...CATALOGUE, ...DELETIONS }[type]
}

/** The JSON schema of the whole body that is delivered for a type (specification, "Webhook events"). */
export function deliverySchema(type: EventType | typeof TEST_EVENT): TSchema {
  return Type.Object(
    {
      event_type: Type.Literal(type),
      delivery_id: Id,
      occurred_at: Type.String({ format: 'date-time' }),
      org_id: Id,
      data: eventSchema(type),
    },
    { additionalProperties: false },
  )
}
