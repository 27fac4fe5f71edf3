// What a rule refuses with: the fault that a piece of work throws.
import { Fault } from '../../domain/faults.ts'

/** The fault that `work` throws, as the fields that a caller sees. An ordinary error, or none, fails the test. */
export function refusalOf(work: () => unknown): Pick<Fault, 'code' | 'status' | 'field' | 'details'> {
  try {
    work()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { code: error.code, status: error.status, field: error.field, details: error.details }
  }
  throw new Error('nothing was refused')
}
