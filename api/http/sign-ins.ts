// Checks and makes hashes of passwords for visitors, a few at a time: each takes 19 MB and a thread for some time.
import { prepareAcceptance, type Acceptance, type PreparedAcceptance } from '../../commands/people/invitations.ts'
import type { MailLinks } from '../../commands/people/mail-links.ts'
import { prepareReset, type PreparedReset } from '../../commands/people/password-resets.ts'
import { countResetRequest, personByPassword } from '../../commands/people/sign-in.ts'
import type { Connection } from '../../models/connection.ts'
import type { PersonRow } from '../../models/person.ts'
import { addressBlock } from './client-address.ts'
import { createFairShare } from './fair-share.ts'

/** `ip` is the caller's address. */
export interface SignIns {
  /** The person of these credentials. Throws what personByPassword throws. */
  check(credentials: { email: string; password: string }, ip: string | null): Promise<PersonRow>
  /** Counts a request of a reset. Throws rate_limit.exceeded. */
  countReset(email: string, ip: string | null): Promise<void>
  prepareReset(links: MailLinks, sent: { token: string; password: string }, ip: string | null): Promise<PreparedReset>
  prepareAcceptance(links: MailLinks, sent: Acceptance, ip: string | null): Promise<PreparedAcceptance>
}

export function createSignIns(connection: Connection, clock: () => Date): SignIns {
  const message = 'Too many people are signing in; try again.'
  const share = createFairShare({ total: 2, each: 1, waitSeconds: 5, message })
  async function inTurn<T>(ip: string | null, work: (address: string) => Promise<T>): Promise<T> {
    const address = addressBlock(ip ?? 'unknown')
    const release = await share.take(address)
    try {
      return await work(address)
    } finally {
      release()
    }
  }
  return {
    check: (credentials, ip) =>
      inTurn(ip, (address) => personByPassword(connection, { ...credentials, address }, clock())),
    countReset: (email, ip) =>
      countResetRequest(connection, { email, address: addressBlock(ip ?? 'unknown') }, clock()),
    prepareReset: (links, sent, ip) => inTurn(ip, () => prepareReset(connection, links, sent, clock())),
    prepareAcceptance: (links, sent, ip) => inTurn(ip, () => prepareAcceptance(connection, links, sent, clock())),
  }
}
