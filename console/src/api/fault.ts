// The refusals of the service, as the console shows them.
import { BahiError } from '@bahi/client'

export { BahiError as ApiFault }

/** What is wrong with each field that the service names. */
export function problemsByField({ errors, field, message }: BahiError): Record<string, string> {
  const named = errors.map((problem) => [problem.field, problem.message] as const)
  return Object.fromEntries(field === null ? named : [...named, [field, message]])
}

/** Whether the call may have been carried out, or may succeed soon: it is then sent again under its key. */
export const isUnsettled = ({ status, code }: BahiError): boolean =>
  status === null || status === 429 || status >= 500 || code === 'idempotency.in_progress'

/** Why it was refused, as it is said to a person: sessions have a role, and no scopes. */
export const reasonOf = (error: Error): string =>
  error instanceof BahiError && error.code === 'auth.insufficient_scope'
    ? 'Your role in this organisation does not allow this. An owner can give you another.'
    : error.message
