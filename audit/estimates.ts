// Are the estimates in order: their lines, their events, their numbers?
import { eventsOf, linesOf, numbersOf, type AuditQuery } from './documents.ts'

export const ESTIMATES: AuditQuery[] = [
  linesOf('ESTIMATE'),
  eventsOf('ESTIMATE', { ESTIMATE_ACCEPTED: "d.status IN ('ACCEPTED', 'CONVERTED')" }),
  numbersOf('ESTIMATE'),
]
