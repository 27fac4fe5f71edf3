// One attempt of a call: sends it, reads the whole answer, and turns every failure into an error of a kind.
import { BahiError, ConnectionError, errorOf, InvalidAnswerError } from './errors.ts'

/** The part of openapi-fetch that is used: it builds the request and parses the answer. */
export interface Sender {
  request(
    method: string,
    path: string,
    init: Record<string, unknown>,
  ): Promise<{ data?: unknown; error?: unknown; response: Response }>
}

export interface Attempt {
  method: string
  path: string
  init: Record<string, unknown>
  timeoutMs: number
  signal: AbortSignal | undefined
  /** The paths whose answers have no envelope. */
  isBare: boolean
}

export interface Answered {
  data: unknown
  response: Response
}

/** Sends the call once. Throws a BahiError, or the reason of the signal. */
export async function attempted(sender: Sender, attempt: Attempt): Promise<Answered> {
  const { signal, timeoutMs } = attempt
  const ending = new AbortController()
  const stop = () => ending.abort(signal!.reason)
  if (signal?.aborted) throw signal.reason
  signal?.addEventListener('abort', stop, { once: true })
  const timer = setTimeout(() => ending.abort(new Error('timed out')), timeoutMs)
  try {
    const { data, error, response } = await sender.request(attempt.method, attempt.path, {
      ...attempt.init,
      signal: ending.signal,
    })
    if (!response.ok && response.status !== 304) throw refusalOf(response, error)
    if (!attempt.isBare && response.ok && !hasEnvelope(data)) throw strange(response)
    return { data, response }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    throw failureOf(error, ending.signal.aborted ? timeoutMs : null)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

const hasEnvelope = (data: unknown) =>
  typeof data === 'object' && data !== null && (data as { code?: unknown }).code === 0

// A redirection is not followed: the token would go where the answer says.
function refusalOf(response: Response, error: unknown): BahiError {
  const isRedirection = response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)
  if (!isRedirection) return errorOf(response, error)
  const message = 'The answer is a redirection, which is not followed: give the address that it leads to as baseUrl.'
  return new InvalidAnswerError(message, { code: 'client.invalid_answer', status: response.status })
}

function strange({ status, headers }: Response): InvalidAnswerError {
  const message = "The answer is not in the API's envelope: is baseUrl the address of the API?"
  return new InvalidAnswerError(message, {
    code: 'client.invalid_answer',
    status,
    requestId: headers.get('X-Request-Id'),
  })
}

function failureOf(error: unknown, timedOutAfterMs: number | null): BahiError {
  if (error instanceof BahiError) return error
  if (timedOutAfterMs !== null)
    return new ConnectionError(`There was no whole answer within ${timedOutAfterMs} ms.`, {
      code: 'client.timed_out',
      status: null,
      cause: error,
    })
  if (error instanceof SyntaxError)
    return new InvalidAnswerError('The answer is not JSON, or not all of it.', {
      code: 'client.invalid_answer',
      status: null,
      cause: error,
    })
  return new ConnectionError('The connection failed, or was cut before the whole answer had come.', {
    code: 'client.connection_lost',
    status: null,
    cause: error,
  })
}
