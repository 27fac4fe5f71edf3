// Checks estimates: their lines, events and numbers.
import { eventsOf, linesOf, numbersOf, type AuditQuery } from './documents.ts'

export const ESTIMATES: AuditQuery[] = [
  linesOf('ESTIMATE'),
  eventsOf('ESTIMATE', { ESTIMATE_ACCEPTED: "d.status IN ('ACCEPTED', 'CONVERTED')" }),
  numbersOf('ESTIMATE'),
]
