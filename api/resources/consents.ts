// The routes of what a person has allowed OAuth clients, in whichever of their organisations.
import { Type } from 'typebox'
import { withdrawConsent } from '../../commands/oauth/consents.ts'
import { consentsOfPerson } from '../../models/oauth-consent.ts'
import { route } from '../http/route.ts'
import { Consent, showConsent } from '../shapes/oauth.ts'

const consents = { tag: 'OAuth', by: 'session', scope: null } as const

export const consentRoutes = [
  route({
    ...consents,
    method: 'GET',
    path: '/consents',
    does: 'List what the person has allowed apps',
    answer: Type.Object({ consents: Type.Array(Consent) }),
    read: async ({ connection, caller }) => ({
      consents: (await consentsOfPerson(connection, caller.session!.personId)).map(showConsent),
    }),
  }),
  route({
    ...consents,
    method: 'DELETE',
    path: '/consents/{consent_id}',
    does: 'Withdraw a consent, with every token that it gave',
    answer: Type.Object({}),
    async write(books, { params }) {
      await withdrawConsent(books, books.caller.session!.personId, params.consent_id!)
      return { message: 'Consent withdrawn.' }
    },
  }),
]
