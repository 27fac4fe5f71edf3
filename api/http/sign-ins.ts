// Checks passwords for the sign-in, a few at a time: each takes 19 MB and a thread for some time.
import { personByPassword } from '../../commands/people/sign-in.ts'
import type { Connection } from '../../models/connection.ts'
import type { PersonRow } from '../../models/person.ts'
import { addressBlock } from './client-address.ts'
import { createFairShare } from './fair-share.ts'

export interface SignIns {
  /** The person of these credentials; `ip` is the caller's address. Throws what personByPassword throws. */
  check(credentials: { email: string; password: string }, ip: string | null): Promise<PersonRow>
}

export function createSignIns(connection: Connection, clock: () => Date): SignIns {
  const message = 'Too many people are signing in; try again.'
  const share = createFairShare({ total: 2, each: 1, waitSeconds: 5, message })
  return {
    async check(credentials, ip) {
      const address = addressBlock(ip ?? 'unknown')
      const release = await share.take(address)
      try {
        return await personByPassword(connection, { ...credentials, address }, clock())
      } finally {
        release()
      }
    },
  }
}
