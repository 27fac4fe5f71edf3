// The generated source of the client: the types of the public API, and those of the console's calls.
import { internalOpenapi, openapi } from '../api/http/openapi.ts'
import { INTERNAL_ROUTES, routesOf } from '../api/routes.ts'
import { schemaSource } from '../client/bin/schema-source.ts'

/** The files, and the text that each should have. */
export async function clientSchemas(): Promise<[file: string, text: string][]> {
  const document = openapi(routesOf({ publicUrl: '' }), '/api/public/v1')
  const internal = internalOpenapi(INTERNAL_ROUTES, '/internal/v1')
  return [
    ['client/src/schema.ts', await schemaSource(document, 'The types of the public API.')],
    ['client/src/internal-schema.ts', await schemaSource(internal, "The types of the console's calls.")],
  ]
}
