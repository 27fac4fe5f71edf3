// The e-invoice of a document as JSON.
import { Type } from 'typebox'
import { E_INVOICE_STATUSES } from '../../domain/e-invoice/state.ts'
import { nullable, Timestamp } from './fields.ts'

/** Null where the document needs none. */
export const EInvoice = nullable(
  Type.Object({
    status: Type.Enum([...E_INVOICE_STATUSES]),
    irn: nullable(Type.String()),
    ack_no: nullable(Type.String()),
    ack_date: nullable(Timestamp),
    signed_qr: nullable(Type.String({ description: 'A JWT, to be printed as a QR code as it is.' })),
    errors: Type.Array(
      Type.Object({
        code: Type.String({ description: "The portal's code; PAYLOAD for what was refused before it was sent." }),
        message: Type.String(),
        field: nullable(Type.String()),
      }),
    ),
  }),
)
