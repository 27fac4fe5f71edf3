// The client of the public API of Bahi.
import { Api } from './api.ts'
import type { components, paths } from './schema.ts'

/** Calls the public API: `new Bahi({ baseUrl, token })`. */
export class Bahi extends Api<paths> {}

/** The shapes of the API by their names: `Schema<'Invoice'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

export type { ClientOptions, FileAnswer } from './api.ts'
export {
  AuthenticationError,
  BahiError,
  ConflictError,
  ConnectionError,
  InvalidAnswerError,
  NotFoundError,
  PermissionError,
  RateLimitedError,
  ServerError,
  SignatureError,
  ValidationError,
} from './errors.ts'
export type { ApiErrorCode, ClientErrorCode, FieldProblem } from './errors.ts'
export type { CallOptions, KeyedOptions } from './operations.ts'
export type { Pages } from './pages.ts'
export { verifyWebhook } from './webhooks.ts'
export type { VerifyOptions, WebhookEvent, WebhookHeaders } from './webhooks.ts'
export type { components, paths } from './schema.ts'
