// Checks sales orders and purchase orders: their lines, states, events and numbers.
import type { Order } from '../domain/conversion.ts'
import { DOCUMENTS, kindsThatHave } from '../domain/documents.ts'
import { creationOf, linesOf, numbersOf, type AuditQuery } from './documents.ts'

// Nothing is converted of a draft or a cancelled order.
function statesOf(kind: Order): AuditQuery {
  const { noun, table, lines, id, number, converted } = DOCUMENTS[kind]
  return {
    name: `audit states of ${noun}s`,
    text: `SELECT format('${noun} %s of %s is %s, and %s of it has been converted', o.${number}, o.org_id, o.status, sum(l.${converted})) AS wrong
           FROM ${table} AS o JOIN ${lines} AS l ON l.org_id = o.org_id AND l.${id} = o.id
           WHERE o.status IN ('DRAFT', 'CANCELLED')
           GROUP BY o.org_id, o.id HAVING sum(l.${converted}) > 0`,
  }
}

export const ORDERS: AuditQuery[] = kindsThatHave('converted').flatMap((kind) => [
  linesOf(kind),
  statesOf(kind),
  creationOf(kind),
  numbersOf(kind),
])
