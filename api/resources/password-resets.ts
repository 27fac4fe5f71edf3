// The routes by which a person who has forgotten the password sets another, by a link in a mail.
import { Type } from 'typebox'
import { requestPasswordReset, resetPassword, type PreparedReset } from '../../commands/people/password-resets.ts'
import { route } from '../http/route.ts'
import { PasswordReset, PasswordResetRequest } from '../shapes/password-reset.ts'

const visitor = { tag: 'Sessions', scope: null, by: 'visitor', bodyLimit: 16_384, answer: Type.Object({}) } as const

export const passwordResetRoutes = [
  route({
    ...visitor,
    method: 'POST',
    path: '/password_resets',
    does: 'Ask for a mail by which a new password can be set',
    status: 202,
    body: PasswordResetRequest,
    prepare: ({ body }, { signIns }, { origin }) => signIns.countReset(body.email, origin.ip),
    async write(books, { body }, { site }, prepared) {
      prepared()
      await requestPasswordReset(books, body.email, site.origin)
      return { message: 'If this address is known here, a mail is on its way to it.' }
    },
  }),
  route({
    ...visitor,
    method: 'POST',
    path: '/password_resets/confirm',
    does: 'Set a new password by the link in the mail',
    body: PasswordReset,
    prepare: ({ body }, { signIns, links }, { origin }) => signIns.prepareReset(links, body, origin.ip),
    async write(books, _input, _gateways, prepared) {
      await resetPassword(books, prepared() as PreparedReset)
      return { message: 'The password is set. Sign in with it.' }
    },
  }),
]
