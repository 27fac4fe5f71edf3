// A server for the client's tests that answers each request by the next step of its script, and remembers what was sent.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Sent {
  method: string
  path: string
  key: string | undefined
  headers: IncomingMessage['headers']
  body: string
}

export type Step = (response: ServerResponse, sent: Sent) => void

export interface HostileServer {
  baseUrl: string
  /** What was received, in order. */
  sent: Sent[]
  /** The steps for the next requests; the last is repeated. */
  script(...steps: Step[]): void
  close(): Promise<void>
}

export async function openHostileServer(): Promise<HostileServer> {
  let steps: Step[] = []
  const sent: Sent[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const one = { method: request.method!, path: request.url!, key: request.headers['idempotency-key'] as string | undefined, headers: request.headers, body }
    sent.push(one)
    const step = steps.length > 1 ? steps.shift()! : steps[0]!
    step(response, one)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    script: (...next) => {
      steps = next
      sent.length = 0
    },
    close: () => new Promise((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    }),
  }
}

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Step => (response) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

export const refusal = (status: number, code: string, headers: Record<string, string> = {}): Step =>
  json(status, { code, message: 'No.', request_id: '6a1f0f6e-4b39-4f0e-8f6b-3c1f0f5f9a44' }, headers)

export const text = (status: number, body: string, headers: Record<string, string> = {}): Step => (response) => {
  response.writeHead(status, { 'content-type': 'text/html', ...headers })
  response.end(body)
}

/** Takes the request, and ends the connection without an answer. */
export const lost: Step = (response) => void response.destroy()

/** Begins an answer, and ends the connection in its middle. */
export const cut: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"code": 0, "contacts": [', () => response.destroy())
}

/** The same, in chunks: the answer has no length. */
export const cutInChunks: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"code": 0, "contacts": [', () => response.destroy())
}

/** Takes the request, and never answers. */
export const hanging: Step = () => undefined

/** Answers the head, and then nothing more. */
export const hangingBody: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"code": 0')
}
