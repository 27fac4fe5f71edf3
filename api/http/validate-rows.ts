// Validates the rows of a body one by one: a row of the wrong shape is refused, and the call is not.
import { setImmediate as breathe } from 'node:timers/promises'
import type { TSchema } from 'typebox'
import type { RowSent } from '../../commands/bulk/bulks.ts'
import { Fault, type FieldProblem } from '../../domain/faults.ts'
import { validationFailed } from './problems.ts'
import { findUnstorable } from './storable.ts'
import { validateBody } from './validate.ts'

type AlsoCheck = (body: unknown) => FieldProblem[]

// The most time in ms that rows are validated without a pause for other calls.
const VALIDATES_MS = 5

/** Validates each row as the body of a single call. */
export async function checkedRows(rows: unknown[], shape: TSchema, alsoCheck: AlsoCheck): Promise<RowSent[]> {
  const sent: RowSent[] = []
  let since = performance.now()
  for (const body of rows) {
    const problems = findUnstorable(body)
    // Only a body that can be stored is kept.
    if (problems.length > 0) sent.push({ body: null, refusal: validationFailed(problems) })
    else sent.push({ body, refusal: refusalOf(shape, body, alsoCheck) })
    if (performance.now() - since < VALIDATES_MS) continue
    await breathe()
    since = performance.now()
  }
  return sent
}

function refusalOf(shape: TSchema, body: unknown, alsoCheck: AlsoCheck): Fault | null {
  try {
    validateBody(shape, body, alsoCheck)
    return null
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
}
