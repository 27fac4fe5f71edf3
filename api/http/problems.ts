// The problems of a body, limited in number and length, so that an answer cannot outgrow its request.
import { fault, type Fault, type FieldProblem } from '../../domain/faults.ts'

/** The most problems that one answer lists. */
export const MAX_PROBLEMS = 100
/** The longest field path and the longest message that an answer quotes, in characters. */
export const MAX_FIELD = 200
export const MAX_MESSAGE = 500

/** The text, cut to `most` characters with an ellipsis if it is longer. Never ends with half of a surrogate pair. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`
}

/** The `422 validation.failed` with these problems; its message says so if there are more than it lists. */
export function validationFailed(problems: FieldProblem[]): Fault {
  const listed = problems.slice(0, MAX_PROBLEMS).map(({ field, code, message }) => ({
    field: shortened(field, MAX_FIELD),
    code,
    message: shortened(message, MAX_MESSAGE),
  }))
  if (problems.length <= MAX_PROBLEMS) return fault('validation.failed', { errors: listed })
  return fault('validation.failed', {
    errors: listed,
    message: `The body has the wrong shape; the first ${MAX_PROBLEMS} of its problems are listed.`,
  })
}
