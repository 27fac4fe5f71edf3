// The registry of warnings that a successful call may return.

export const WARNINGS = {
  'validation.duplicate_resource':
    'The payment was recorded, but it may be a duplicate; `details` names the earlier payment.',
  'validation.unapplied_notes': 'Issued notes with a balance refer to the voided document; `details` lists them.',
  'validation.exchange_rate_assumed': 'No exchange rate was sent and none is stored for the date; the rate 1 was used.',
  'email.undeliverable_address':
    'The mail was sent, but earlier mail to some of its addresses did not arrive; `details` lists them.',
  'validation.state_assumed':
    'Neither a GSTIN nor a state was sent for the organisation; the state in `details` was used.',
} as const satisfies Record<string, string>

export type WarningCode = keyof typeof WARNINGS

export interface Warning {
  code: WarningCode
  message: string
  details: Record<string, unknown>
}
