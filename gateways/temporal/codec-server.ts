// The codec server: decrypts payloads for Temporal's UI and CLI, by the remote codec protocol of Temporal.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Payload, PayloadCodec } from '@temporalio/common'

export interface CodecServerOptions {
  host: string
  /** 0 for any free port. */
  port: number
  codec: PayloadCodec
  /** The origins of Temporal's UI; pages of others are refused. */
  origins: readonly string[]
}

export interface CodecServer {
  port: number
  close(): Promise<void>
}

/** Payloads in the JSON of protobuf: bytes are in base64. */
interface JsonPayload {
  metadata?: Record<string, string>
  data?: string
}

/** The most bytes of a request. The UI sends a payload or the payloads of an event at a time, and Temporal allows 2 MB for these. */
export const CODEC_BODY_BYTES = 8 * 1024 * 1024
/** The time limit for a request to arrive and its answer to be read. */
const CODEC_SECONDS = 10
const CODEC_CONNECTIONS = 50

/** Starts the server. Throws an Error that names the port where it cannot be opened. */
export async function openCodecServer({ host, port, codec, origins }: CodecServerOptions): Promise<CodecServer> {
  const limits = { headersTimeout: CODEC_SECONDS * 1000, requestTimeout: CODEC_SECONDS * 1000 }
  const server = createServer(
    limits,
    (request, response) =>
      // The client may be gone before its request has arrived.
      void answer(request, response, codec, origins).catch(() => response.destroy()),
  )
  server.maxConnections = CODEC_CONNECTIONS
  server.on('connection', (socket) => socket.setTimeout(CODEC_SECONDS * 1000, () => socket.destroy()))
  await listening(server, port, host)
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => void server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  codec: PayloadCodec,
  origins: readonly string[],
): Promise<void> {
  const { origin } = request.headers
  const { status, body, headers = {} } = await respond(request, codec, origins)
  if (response.destroyed) return
  const isAllowed = origin !== undefined && origins.includes(origin)
  response.writeHead(status, {
    ...(isAllowed ? crossOrigin(origin) : {}),
    ...headers,
    Vary: 'Origin',
    'Cache-Control': 'no-store',
    'Content-Type': 'application/json',
  })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}

interface Answer {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

const refusal = (status: number, message: string, headers?: Record<string, string>): Answer => ({
  status,
  body: { message },
  ...(headers && { headers }),
})

async function respond(request: IncomingMessage, codec: PayloadCodec, origins: readonly string[]): Promise<Answer> {
  const { method = '', headers } = request
  // A page of another origin could not read the answer, but the request alone would already be answered.
  if (headers.origin !== undefined && !origins.includes(headers.origin))
    return refusal(403, `The origin ${headers.origin} is not one of CODEC_ORIGINS.`)
  const direction = /\/(encode|decode)(?:\?|$)/.exec(request.url ?? '')?.[1] as 'encode' | 'decode' | undefined
  if (!direction) return refusal(404, 'There are /encode and /decode.')
  if (method === 'OPTIONS') return { status: 204 }
  if (method !== 'POST') return refusal(405, 'Only POST is allowed here.', { Allow: 'POST, OPTIONS' })
  const bytes = await read(request)
  if (bytes === null) return refusal(413, `A request may have ${CODEC_BODY_BYTES} bytes.`, { Connection: 'close' })
  const payloads = payloadsIn(bytes)
  if (payloads === null) return refusal(400, 'The body is not {"payloads": [...]}.')
  try {
    return { status: 200, body: { payloads: (await codec[direction](payloads)).map(inJson) } }
  } catch (error) {
    return refusal(400, `A payload cannot be read: ${(error as Error).message}.`)
  }
}

// Browsers ask for the last one when a page of another network calls a server of this machine.
const crossOrigin = (origin: string) => ({
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': 'Authorization, Authorization-Extras, Content-Type, X-Namespace',
  'Access-Control-Allow-Credentials': 'true',
  'Access-Control-Allow-Private-Network': 'true',
  'Access-Control-Max-Age': '600',
})

async function read(request: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > CODEC_BODY_BYTES) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function payloadsIn(bytes: Buffer): Payload[] | null {
  try {
    // Temporal's CLI sends {} where there is nothing to encode.
    const { payloads = [] } = JSON.parse(bytes.toString('utf8')) as { payloads?: JsonPayload[] }
    return payloads.map(({ metadata = {}, data = '' }) => ({
      metadata: Object.fromEntries(
        Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]),
      ),
      data: Buffer.from(data, 'base64'),
    }))
  } catch {
    return null
  }
}

function inJson({ metadata, data }: Payload): JsonPayload {
  const base64 = (value: Uint8Array | null | undefined) => Buffer.from(value ?? []).toString('base64')
  return {
    metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)])),
    data: base64(data),
  }
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new Error(`The codec server cannot listen on ${host}:${port}: ${error.message}`, { cause: error })),
    )
    server.listen(port, host, () => resolve())
  })
}
