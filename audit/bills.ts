// Are the bills in order: their lines, their journals, their events? Their numbers are asked for in audit-numbers.ts.
import { creationOf, linesOf, postingsOf, type AuditQuery } from './documents.ts'

export const BILLS: AuditQuery[] = [linesOf('BILL'), postingsOf('BILL'), creationOf('BILL')]
