// Calls about the service itself: ping, whoami, echo, and the list of error codes.
import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { FAULTS } from '../../domain/faults.ts'
import { WARNINGS } from '../../domain/warnings.ts'
import { errorCatalogue } from '../http/envelope.ts'
import { route } from '../http/route.ts'
import { Id, nullable, one, Timestamp } from '../shapes/fields.ts'

const tag = 'Utility'
const API_VERSION = 'v1'
const ECHO_LIMIT = 64 * 1024

export const utilityRoutes = [
  route({
    method: 'GET',
    path: '/ping',
    tag,
    does: 'Check that the service responds',
    scope: null,
    by: 'anyone',
    answer: one('ping', Type.Object({ ok: Type.Boolean(), server_time: Timestamp, api_version: Type.String() })),
    read: async ({ now }) => ({ ping: { ok: true, server_time: now.toISOString(), api_version: API_VERSION } }),
  }),
  route({
    method: 'GET',
    path: '/whoami',
    tag,
    does: 'Read the token of this call and its organisation',
    scope: null,
    answer: Type.Object({
      token: Type.Object({
        token_id: Id,
        org_id: Id,
        user_id: nullable(Id),
        scopes: Type.Array(Type.String()),
        tier: Type.Enum(['DEFAULT', 'PARTNER']),
      }),
      organization: Type.Object({
        org_id: Id,
        name: Type.String(),
        status: Type.Enum(['ACTIVE', 'SUSPENDED']),
        sandbox: Type.Boolean(),
      }),
    }),
    async read({ caller }) {
      const { id, name, status, sandbox } = caller.organization!
      return {
        token: {
          token_id: caller.subject,
          org_id: id,
          user_id: caller.userId,
          scopes: caller.scopes,
          tier: caller.tier,
        },
        organization: { org_id: id, name, status, sandbox },
      }
    },
  }),
  route({
    method: 'POST',
    path: '/echo',
    tag,
    does: 'Return an object as it was sent',
    scope: null,
    bodyLimit: ECHO_LIMIT,
    body: Type.Object({}, { additionalProperties: true, description: 'Any JSON object up to 64 KB.' }),
    answer: Type.Object({ request_id: Id, echo: Type.Object({}, { additionalProperties: true }) }),
    write: async (_books, { body }) => ({ request_id: randomUUID(), echo: body }),
  }),
  route({
    method: 'GET',
    path: '/errors',
    tag,
    does: 'List all error and warning codes',
    scope: null,
    by: 'anyone',
    answer: Type.Object({
      errors: Type.Array(
        Type.Object({ code: Type.Enum(Object.keys(FAULTS)), status: Type.Integer(), meaning: Type.String() }),
      ),
      warning_codes: Type.Array(Type.Object({ code: Type.Enum(Object.keys(WARNINGS)), meaning: Type.String() })),
    }),
    read: async () => ({
      errors: errorCatalogue(),
      warning_codes: Object.entries(WARNINGS).map(([code, meaning]) => ({ code, meaning })),
    }),
  }),
]
