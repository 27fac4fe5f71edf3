// A refusal of the service, as the console shows it.
export interface FieldProblem {
  field: string
  code: string
  message: string
}

interface Refusal {
  status: number
  code: string
  message: string
  field?: string
  errors?: FieldProblem[]
  details?: Record<string, unknown>
  requestId?: string | null
  retryAfterMs?: number | null
}

export class ApiFault extends Error {
  override name = 'ApiFault'
  readonly status: number
  readonly code: string
  readonly field: string | null
  readonly errors: FieldProblem[]
  readonly details: Record<string, unknown>
  readonly requestId: string | null
  readonly retryAfterMs: number | null

  constructor({ status, code, message, field, errors, details, requestId, retryAfterMs }: Refusal, cause?: unknown) {
    super(message, { cause })
    this.status = status
    this.code = code
    this.field = field ?? null
    this.errors = errors ?? []
    this.details = details ?? {}
    this.requestId = requestId ?? null
    this.retryAfterMs = retryAfterMs ?? null
  }

  /** Whether the same call may succeed soon. */
  get isPassing(): boolean {
    return [0, 429, 503].includes(this.status)
  }

  /** What is wrong with each field that the service names. */
  get byField(): Record<string, string> {
    const named = this.errors.map(({ field, message }) => [field, message] as const)
    return Object.fromEntries(this.field === null ? named : [...named, [this.field, this.message]])
  }
}

export async function faultOf(answer: Response): Promise<ApiFault> {
  const seconds = Number(answer.headers.get('Retry-After'))
  const body = (await answer.json().catch(() => ({}))) as Partial<Refusal> & { request_id?: string }
  return new ApiFault({
    message: `The service answered ${answer.status}.`,
    code: 'unknown',
    ...body,
    status: answer.status,
    requestId: body.request_id ?? answer.headers.get('X-Request-Id'),
    retryAfterMs: seconds > 0 ? seconds * 1000 : null,
  })
}

export const lostConnection = (cause: unknown) =>
  new ApiFault({ status: 0, code: 'connection', message: 'The service cannot be reached. Is the network up?' }, cause)
