// The client of the console's calls, which a signed-in person makes from a page of the service.
import { Api } from './api.ts'
import type { components, paths } from './internal-schema.ts'

/** Calls /internal/v1 with the cookie of the session: `new Internal({ baseUrl: '/internal/v1' })`. */
export class Internal extends Api<paths> {}

/** The shapes of these calls by their names: `InternalSchema<'Member'>`. */
export type InternalSchema<Name extends keyof components['schemas']> = components['schemas'][Name]

export type { components as internalComponents, paths as internalPaths } from './internal-schema.ts'
