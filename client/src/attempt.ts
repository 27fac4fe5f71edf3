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
  /** Whether a success has what this call answers: the envelope, or a file. */
  isAnswer(data: unknown, response: Response): boolean
  fetch(request: Request): Promise<Response>
}

export interface Answered {
  data: unknown
  response: Response
}

/** Sends the call once. Throws a BahiError, the reason of the signal, or what makes it impossible to send. */
export async function attempted(sender: Sender, attempt: Attempt): Promise<Answered> {
  const { signal, timeoutMs } = attempt
  const ending = new AbortController()
  const stop = () => ending.abort(signal!.reason)
  if (signal?.aborted) throw signal.reason
  signal?.addEventListener('abort', stop, { once: true })
  let isSent = false
  const timer = setTimeout(() => ending.abort(new Error('timed out')), timeoutMs)
  try {
    const { data, error, response } = await sender.request(attempt.method, attempt.path, {
      ...attempt.init,
      signal: ending.signal,
      fetch(request: Request) {
        isSent = true
        return attempt.fetch(request)
      },
    })
    if (!response.ok && response.status !== 304) throw refusalOf(response, error)
    if (response.ok && !attempt.isAnswer(data, response)) throw strange(response)
    return { data, response }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (!isSent) throw error
    throw failureOf(error, ending.signal.aborted ? timeoutMs : null)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

export const hasEnvelope = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && (data as { code?: unknown }).code === 0

// A redirection is not followed: the token would go where the answer says.
function refusalOf(response: Response, error: unknown): BahiError {
  const isRedirection = response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)
  if (!isRedirection) return errorOf(response, error)
  const message = 'The answer is a redirection, which is not followed: give the address that it leads to as baseUrl.'
  return new InvalidAnswerError(message, { code: 'client.invalid_answer', status: response.status })
}

function strange({ status, headers }: Response): InvalidAnswerError {
  const message = "The answer is none of the API's: is baseUrl its address?"
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
