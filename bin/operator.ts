// What an operator's command writes with: the same open books as everybody, in the operator's name.
import type { WriteContext } from '../commands/books/open-books.ts'
import type { Caller } from '../commands/books/caller.ts'
import type { Database } from '../models/database.ts'

/** Deliveries that an operator's command queues are found by the relay's own sweep. */
export const operatorContext = (database: Database): WriteContext => ({
  database, wakeRelay: () => undefined, forgetCallers: () => undefined, clock: () => new Date(),
})

/** The operator: of no organisation until the books are entered. */
export const operator = (): Caller => ({
  subject: '', kind: 'SYSTEM', tier: 'DEFAULT', scopes: [], userId: null, partnerId: null, organization: null,
  origin: { request_id: null, ip: null, user_agent: null, source: 'OPERATOR' },
})
