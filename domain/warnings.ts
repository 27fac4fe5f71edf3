// The registry of warnings that a successful call may return.

export const WARNINGS = {
  'validation.duplicate_resource':
    'The payment was recorded, but it may be a duplicate; `details` names the earlier payment.',
  'validation.unapplied_notes': 'Issued notes with a balance refer to the voided document; `details` lists them.',
  'validation.exchange_rate_assumed': 'No exchange rate was sent and none is stored for the date; the rate 1 was used.',
  'validation.intra_state_tax':
    'CGST and SGST were charged on a supply to a special economic zone, on which IGST is due.',
  'email.undeliverable_address':
    'The mail was sent, but earlier mail to some of its addresses did not arrive; `details` lists them.',
  'email.not_in_force': 'The mail was sent, but the document is a draft or cancelled; `details` has its status.',
  'email.e_invoice_not_registered':
    'The mail was sent, but the e-invoice of the document was not registered by then; `details` has its status and errors.',
  'e_invoice.credentials_missing':
    'E-invoices are enabled at a portal for which a branch in `details` has no credentials; none will be registered.',
  'validation.state_assumed':
    'Neither a GSTIN nor a state was sent for the organisation; the state in `details` was used.',
} as const satisfies Record<string, string>

export type WarningCode = keyof typeof WARNINGS

export interface Warning {
  code: WarningCode
  message: string
  details: Record<string, unknown>
}
