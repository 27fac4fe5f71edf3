// An estimate as JSON, in and out.
import { Type, type Static } from 'typebox'
import { showDate } from '../../domain/dates.ts'
import { STATUSES } from '../../domain/lifecycle.ts'
import type { Estimate as EstimateWithLines } from '../../models/estimate.ts'
import { newDocument, PlaceOfSupply, showUnrounded, unroundedFields } from './document.ts'
import { DocumentDate, Id, nullable, optional, Reference, Text, Timestamp } from './fields.ts'

export const ESTIMATE_STATUSES = [...STATUSES.ESTIMATE]

export const NewEstimate = Type.Object(
  {
    customer_id: Reference,
    date: optional(DocumentDate),
    place_of_supply: optional(PlaceOfSupply),
    ...newDocument,
    expiry_date: optional(DocumentDate),
  },
  {
    examples: [
      {
        customer_id: 'the contact_id of a customer',
        expiry_date: '2026-12-31',
        line_items: [{ name: 'Ruled notebook', quantity: 100, rate: 49.5, discount: 50 }],
      },
    ],
  },
)

export const EstimateChanges = Type.Object(
  {
    date: Type.Optional(DocumentDate),
    expiry_date: optional(DocumentDate),
    reference_number: optional(Text(100)),
    notes: optional(Text(5000)),
    status: Type.Optional(
      Type.Enum(ESTIMATE_STATUSES, {
        description: 'SENT, DECLINED or CANCELLED; other statuses are set by their own calls.',
      }),
    ),
  },
  { examples: [{ status: 'SENT' }] },
)

export const Estimate = Type.Object({
  estimate_id: Id,
  estimate_number: Type.String(),
  customer_id: Id,
  customer_name: Type.String(),
  expiry_date: nullable(Timestamp),
  ...unroundedFields,
  status: Type.Enum(ESTIMATE_STATUSES),
  converted_to_sales_order_id: nullable(Id),
  invoices: Type.Array(Id, { description: 'The invoices of its sales order, earliest first.' }),
})

export function showEstimate(estimate: EstimateWithLines): Static<typeof Estimate> {
  return {
    estimate_id: estimate.id,
    estimate_number: estimate.estimate_number,
    customer_id: estimate.customer_id,
    customer_name: estimate.customer_name,
    expiry_date: estimate.expiry_date === null ? null : showDate(estimate.expiry_date),
    ...showUnrounded(estimate),
    status: estimate.status,
    converted_to_sales_order_id: estimate.converted_to_sales_order_id,
    invoices: estimate.invoices,
  }
}
