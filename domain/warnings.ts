// The registry of warnings: what a call that succeeded may tell its caller all the same.

export const WARNINGS = {
  'validation.duplicate_resource': 'The payment was recorded although it looks like an earlier one; `details` names that one.',
  'validation.unapplied_notes': 'The document was voided while issued notes with a balance name it; `details` lists them.',
  'validation.exchange_rate_assumed': 'No exchange rate was sent and the organisation has none for the day; the rate 1 was taken.',
  'validation.state_assumed': 'Neither a GSTIN nor a state was sent for the organisation; the state in `details` was taken.',
} as const satisfies Record<string, string>

export type WarningCode = keyof typeof WARNINGS

export interface Warning {
  code: WarningCode
  message: string
  details: Record<string, unknown>
}
