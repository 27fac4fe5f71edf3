// Are the bills in order: their lines, their journals, their events? Their numbers are asked for in audit-numbers.ts.
import { creationOf, linesOf, postingsOf, type Question } from './audit-documents.ts'

export const BILLS: Question[] = [linesOf('BILL'), postingsOf('BILL'), creationOf('BILL')]
