// Checks bills: their lines, journals and events. Their numbers are checked in numbers.ts.
import { creationOf, linesOf, postingsOf, type AuditQuery } from './documents.ts'

export const BILLS: AuditQuery[] = [linesOf('BILL'), postingsOf('BILL'), creationOf('BILL')]
