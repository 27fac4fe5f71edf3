// The catalogue of events: every type that can be announced, with the fixed JSON schema of its data.
import { Type, type Static, type TSchema } from 'typebox'

const Id = Type.String({ format: 'uuid' })
const OrNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** What an event says of any document (decisions §5); `sequence` is the document's version and grows with each event. */
const documentOf = { id: Id, number: OrNull(Type.String()), total: Type.Number(), sequence: Type.Integer({ minimum: 1 }) }
const withStatus = { status: Type.String() }
// Payments, expenses and journals have no states (decisions §10).
const withoutStatus = { status: Type.Null() }
const changed = { changed: Type.Array(Type.String()) }

const sale = { ...documentOf, customer_id: Id, ...withStatus }
const purchase = { ...documentOf, vendor_id: Id, ...withStatus }

const Sale = Type.Object(sale, { additionalProperties: false })
const SaleChanged = Type.Object({ ...sale, ...changed }, { additionalProperties: false })
const Purchase = Type.Object(purchase, { additionalProperties: false })
const PurchaseChanged = Type.Object({ ...purchase, ...changed }, { additionalProperties: false })

const paymentOf = (flow: 'INCOMING' | 'OUTGOING') => Type.Object(
  { ...documentOf, contact_id: Id, ...withoutStatus, flow: Type.Literal(flow), amount: Type.Number() },
  { additionalProperties: false },
)
const Estimate = Type.Object({ ...sale, converted_to_sales_order_id: OrNull(Id) }, { additionalProperties: false })
const Expense = Type.Object({ ...documentOf, vendor_id: OrNull(Id), ...withoutStatus }, { additionalProperties: false })
const Journal = Type.Object(
  { ...documentOf, contact_id: OrNull(Id), ...withoutStatus, source: Type.String() },
  { additionalProperties: false },
)
const Bulk = Type.Object(
  { count: Type.Integer({ minimum: 0 }), failed: Type.Integer({ minimum: 0 }), batch_size: Type.Integer({ minimum: 1 }) },
  { additionalProperties: false },
)
const Comment = Type.Object(
  { id: Id, entity_type: Type.String(), entity_id: Id, author_user_id: Id },
  { additionalProperties: false },
)
const Test = Type.Object({ id: Id }, { additionalProperties: false })

const CATALOGUE = {
  INVOICE_CREATED: Sale,
  INVOICE_UPDATED: SaleChanged,
  INVOICE_VOIDED: Sale,
  INVOICE_PAID: Sale,
  BILL_CREATED: Purchase,
  BILL_UPDATED: PurchaseChanged,
  BILL_VOIDED: Purchase,
  BILL_PAID: Purchase,
  PAYMENT_RECEIVED: paymentOf('INCOMING'),
  PAYMENT_MADE: paymentOf('OUTGOING'),
  CREDIT_NOTE_CREATED: Sale,
  CREDIT_NOTE_VOIDED: Sale,
  DEBIT_NOTE_CREATED: Purchase,
  ESTIMATE_CREATED: Estimate,
  ESTIMATE_ACCEPTED: Estimate,
  ESTIMATE_CONVERTED: Estimate,
  SALES_ORDER_CREATED: Sale,
  PURCHASE_ORDER_CREATED: Purchase,
  EXPENSE_CREATED: Expense,
  JOURNAL_POSTED: Journal,
  INVOICE_BULK_CREATED: Bulk,
  BILL_BULK_CREATED: Bulk,
  'comment.created': Comment,
  'comment.updated': Comment,
  'comment.deleted': Comment,
  'invoice.sent': Sale,
} as const

/** An event type that an endpoint may subscribe to. */
export type EventType = keyof typeof CATALOGUE

/** Sent to one endpoint when its owner asks for a test; nobody subscribes to it. */
export const TEST_EVENT = 'webhook.test'

/** The data of one event type. */
export type EventData<T extends EventType> = Static<(typeof CATALOGUE)[T]>

/** An event with the data that belongs to its type. */
export type AnnouncedEvent = { [T in EventType]: { type: T; data: EventData<T> } }[EventType]

/** Every type to subscribe to, in the specification's order. */
export const EVENT_TYPES = Object.keys(CATALOGUE) as readonly EventType[]

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(CATALOGUE, text)
}

/** The JSON schema of a type's `data`. */
export function eventSchema(type: EventType | typeof TEST_EVENT): TSchema {
  return type === TEST_EVENT ? Test : CATALOGUE[type]
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
