// The context and the caller with which an operator's command opens the books.
import type { WriteContext } from '../commands/books/open-books.ts'
import type { Caller } from '../commands/books/caller.ts'
import type { Database } from '../models/database.ts'

/** Does not wake the relay: it finds deliveries of an operator's command by polling. */
export const operatorContext = (database: Database): WriteContext => ({
  database,
  wakeRelay: () => undefined,
  forgetCallers: () => undefined,
  clock: () => new Date(),
})

/** The operator, who has no organisation until `books.enter`. */
export const operator = (): Caller => ({
  subject: '',
  kind: 'SYSTEM',
  tier: 'DEFAULT',
  scopes: [],
  userId: null,
  partnerId: null,
  organization: null,
  origin: { request_id: null, ip: null, user_agent: null, source: 'OPERATOR' },
})
