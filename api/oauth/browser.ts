// The session of a browser that visits a page of ours.
import type { IncomingMessage } from 'node:http'
import type { Connection } from '../../models/connection.ts'
import { findSession, type SignedIn } from '../../models/session.ts'
import { hashOf } from '../../models/token.ts'
import { secretsIn } from '../http/cookies.ts'

/** Null without a session, and with two: one may be that of an attacker, who wants a person to consent in their name. */
export async function browserSession(
  connection: Connection,
  request: IncomingMessage,
  now: Date,
): Promise<SignedIn | null> {
  const found = await Promise.all(
    secretsIn(request).map((secret) => findSession(connection, { hash: hashOf(secret), orgId: null, now })),
  )
  const [only, another] = found.filter((one) => one !== null)
  return only && !another ? only.session : null
}
