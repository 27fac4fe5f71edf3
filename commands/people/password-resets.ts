// Resets of passwords: asked for, mailed, and used once.
import { fault } from '../../domain/faults.ts'
import { LINK_MS } from '../../domain/mail-link.ts'
import type { Connection } from '../../models/connection.ts'
import { findPerson, findPersonByEmail, lockPerson, people } from '../../models/person.ts'
import {
  areResetRequests,
  findReset,
  findUserOfPerson,
  lockEndedResets,
  lockResets,
  passwordResetRequests,
  passwordResets,
  type PasswordResetRequestRow,
} from '../../models/password-reset.ts'
import { lockSessions, sessions } from '../../models/session.ts'
import type { Books } from '../books/books.ts'
import { queueLinkMail } from '../mail/notices.ts'
import { linkEnded, type MailLinks } from './mail-links.ts'
import { checkPassword, hashOfPassword } from './passwords.ts'

/** The most requests that wait; the worker answers them within seconds. */
const MAX_WAITING = 10_000

/**
 * Stores that a reset is asked for, the same for every address: the worker finds out whether somebody has it. `site` is the origin
 * that the link in the mail will begin with. Throws service.unavailable where MAX_WAITING wait already.
 */
export async function requestPasswordReset(books: Books, email: string, site: string): Promise<void> {
  if (await areResetRequests(books.connection, MAX_WAITING))
    throw fault('service.unavailable', {
      message: 'Too many people ask for a new password; try again.',
      retryAfter: 60,
    })
  books.insertAbove(passwordResetRequests, {
    id: books.newId(),
    email: email.trim(),
    origin: books.caller.origin,
    site,
    created_time: books.now,
  })
}

/** Makes the link and queues its mail, in the books of an organisation of the person; for nobody it does nothing. */
export async function mailResetLink(books: Books, { email, site }: PasswordResetRequestRow): Promise<void> {
  const person = await findPersonByEmail(books.connection, email)
  if (!person) return
  for (const ended of await lockEndedResets(books.connection, books.now)) books.delete(passwordResets, ended)
  const id = books.newId()
  const isQueued = queueLinkMail(books, {
    to: [person.email],
    subject: 'Set a new password',
    before: `Somebody, probably you, asked to set a new password for ${person.email}. This link does it, once, within 30 minutes:`,
    link: `${site}/console/password?token=`,
    after: 'If it was not you, leave it: your password stays as it is.',
    about: { entityType: 'PASSWORD_RESET', entityId: id },
  })
  if (!isQueued) return
  books.insertAbove(passwordResets, {
    id,
    person_id: person.id,
    created_time: books.now,
    expires_time: new Date(books.now.getTime() + LINK_MS.PASSWORD_RESET),
  })
}

/** A reset that can be done: the password is accepted, and hashed. */
export interface PreparedReset {
  resetId: string
  hash: string
}

/**
 * Checks link and password before the transaction, because the hash takes long. Throws validation.invalid_value for a link that
 * does not work, with the field `token`, and for a password that is refused; the link then still works.
 */
export async function prepareReset(
  connection: Connection,
  links: MailLinks,
  { token, password }: { token: string; password: string },
  now: Date,
): Promise<PreparedReset> {
  const [resetId] = links.idsOf('PASSWORD_RESET', token) ?? []
  const reset = resetId === undefined ? null : await findReset(connection, resetId)
  const person = reset && reset.expires_time > now ? await findPerson(connection, reset.person_id) : null
  if (!person) throw linkEnded()
  checkPassword(password, person.email)
  return { resetId: resetId!, hash: await hashOfPassword(password) }
}

/**
 * Sets the password, and ends every link and every session of the person (decisions §12). Of two calls with one link, one does
 * it. Throws validation.invalid_value where the link has been used meanwhile.
 */
export async function resetPassword(books: Books, { resetId, hash }: PreparedReset): Promise<void> {
  const found = await findReset(books.connection, resetId)
  const person = found && (await lockPerson(books.connection, found.person_id))
  const open = person ? await lockResets(books.connection, person.id) : []
  const reset = open.find(({ id }) => id === resetId)
  if (!person || !reset || reset.expires_time <= books.now) throw linkEnded()
  for (const link of open) books.delete(passwordResets, link)
  for (const session of await lockSessions(books.connection, person.id)) books.delete(sessions, session)
  books.update(people, person, { password: hash, password_set_time: books.now })
  const user = await findUserOfPerson(books.connection, person.id)
  if (!user) return
  books.enter(user.org_id)
  books.record({
    action: 'PASSWORD_SET',
    entityType: 'USER',
    entityId: user.user_id,
    entityRef: person.email,
    actorUserId: user.user_id,
  })
}
