// Sends requests to an invoice registration portal, with a time limit, and reads answers up to a bound.
import { EInvoiceUnavailable } from './provider.ts'

export interface IrpRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: object
}

/** An answer of NIC's API; nothing of it is checked but that it is an object. */
export interface IrpAnswer {
  Status?: unknown
  Data?: unknown
  ErrorDetails?: unknown
  InfoDtls?: unknown
}

/** An answer repeats the document of at most a thousand lines, signed. */
const MOST_BYTES = 8 * 1024 * 1024

/** Throws EInvoiceUnavailable for anything but a JSON object within the time and the bound, whatever its status. */
export async function askIrp({ method, url, headers, body }: IrpRequest, timeoutMs: number): Promise<IrpAnswer> {
  try {
    const response = await fetch(url, {
      method,
      headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await textOf(response)
    if (response.status >= 500 || response.status === 429)
      throw new EInvoiceUnavailable(`the portal answered ${response.status}`)
    const answer: unknown = JSON.parse(text)
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
      throw new EInvoiceUnavailable('the portal answered no object')
    return answer as IrpAnswer
  } catch (error) {
    if (error instanceof EInvoiceUnavailable) throw error
    throw new EInvoiceUnavailable(`the portal could not be asked: ${reasonOf(error)}`, { cause: error })
  }
}

async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += (part as Uint8Array).length
    if (bytes > MOST_BYTES) throw new EInvoiceUnavailable(`the answer of the portal has more than ${MOST_BYTES} bytes`)
    parts.push(part as Uint8Array)
  }
  return Buffer.concat(parts).toString('utf8')
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason'
  if (error instanceof SyntaxError) return 'the answer is not JSON'
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
}
