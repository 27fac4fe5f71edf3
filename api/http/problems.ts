// The problems of a body: so many at the most, each with a path of bounded length, so that no answer outgrows its request.
import { fault, type Fault, type FieldProblem } from '../../domain/faults.ts'

/** The most problems that one answer lists. */
export const MOST_PROBLEMS = 100
/** The longest field path and the longest message that an answer quotes, in characters. */
export const MOST_FIELD = 200
export const MOST_MESSAGE = 500

/** The text itself, or its beginning and an ellipsis. Never ends with half of a surrogate pair. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`
}

/** Makes the `422 validation.failed` of these problems; its message tells when there are more than it lists. */
export function validationFailed(problems: FieldProblem[]): Fault {
  const listed = problems.slice(0, MOST_PROBLEMS).map(({ field, code, message }) => (
    { field: shortened(field, MOST_FIELD), code, message: shortened(message, MOST_MESSAGE) }
  ))
  if (problems.length <= MOST_PROBLEMS) return fault('validation.failed', { errors: listed })
  return fault('validation.failed', {
    errors: listed, message: `The body has the wrong shape; the first ${MOST_PROBLEMS} of its problems are listed.`,
  })
}
