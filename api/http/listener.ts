// The HTTP listener: limits connections, requests and answers, refuses malformed requests, and shuts down gracefully.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { fault } from '../../domain/faults.ts'
import * as bounds from './bounds.ts'
import type { OpenConnection, Connections, Excess } from './connections.ts'
import { runWithRequest } from './current-request.ts'
import { checkTarget } from './target.ts'
import { clientError, type Unmatched } from './unmatched.ts'

export interface ListenerDependencies {
  connections: Connections
  unmatched: Unmatched
  /** Handles a request whose head is valid; always answers. */
  serve(request: IncomingMessage, response: ServerResponse): void
  /** Called for each connection that is refused, and for each that is closed because of pipelining. */
  onRefused(why: Excess | 'pipelining', address: string): void
}

export interface Listener {
  /** Resolves with the port. */
  listen(port: number, host: string): Promise<number>
  /**
   * Stops accepting connections, closes idle ones, and lets requests in progress be answered with `Connection: close` for
   * `seconds`; then closes the remaining connections.
   */
  close(seconds: number): Promise<void>
}

const ALLOWED = 'GET, HEAD, POST, PUT, DELETE'

export function createListener(dependencies: ListenerDependencies): Listener {
  const { connections, unmatched } = dependencies
  const state = { stopping: false }
  const server = createServer({
    maxHeaderSize: bounds.MAX_HEAD_BYTES,
    headersTimeout: bounds.HEAD_SECONDS * 1000,
    requestTimeout: bounds.REQUEST_SECONDS * 1000,
    keepAliveTimeout: bounds.KEEP_ALIVE_SECONDS * 1000,
    connectionsCheckingInterval: bounds.CHECK_SECONDS * 1000,
    // checkTarget refuses a missing Host, with our envelope.
    requireHostHeader: false,
    // The header `Upgrade` is ignored (decisions §11).
    shouldUpgradeCallback: () => false,
  })
  server.maxHeadersCount = bounds.MAX_HEADERS
  const receive = (request: IncomingMessage, response: ServerResponse, refused: Error | null = null) => {
    const connection = connections.of(request.socket)
    // A refused connection was already answered.
    if (!connection || request.socket.destroyed) return
    if (connection.isLast || isAnnounced(connection)) return
    if (connection.unanswered.size >= bounds.MAX_UNANSWERED) {
      dependencies.onRefused('pipelining', connection.address)
      return takeNoMore(connection)
    }
    follow(connection, response, state)
    // Data after a refused request may be its body, and must not be read as another request.
    if (!respond(dependencies, request, response, refused)) takeNoMore(connection)
  }
  server.on('request', receive)
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    receive(
      request,
      response,
      fault('request.malformed', { status: 417, message: 'The only Expect header that is supported is 100-continue.' }),
    ),
  )
  server.on('connect', (_request: IncomingMessage, socket: Duplex) =>
    end(
      socket,
      unmatched.bytes(fault('request.method_not_allowed', { message: 'The method CONNECT is not supported.' }), {
        method: 'CONNECT',
      }),
    ),
  )
  server.on('connection', admitting(dependencies))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const connection = connections.of(socket as Socket)
    if (!connection || !mayBeAnswered(connection)) return void socket.destroy()
    if (isBehind(connection)) takeNoMore(connection)
    else end(socket, unmatched.bytes(clientError(error.code), { ip: connection.address }))
  })
  return {
    listen: (port, host) => listening(server, port, host),
    close: (seconds) => closing(server, connections, state, seconds),
  }
}

// Serves or refuses a request. Returns whether another request may follow on the connection.
function respond(
  { unmatched, serve }: ListenerDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  refused: Error | null,
): boolean {
  const refuse = (problem: Error) => {
    unmatched.answer(request, response, problem, { close: true })
    return false
  }
  const problem = refused ?? checkTarget(request)
  if (problem) return refuse(problem)
  if (request.url === '*') {
    unmatched.answer(request, response, fault('request.method_not_allowed'), { allow: ALLOWED })
    return true
  }
  return runWithRequest({ request, response }, () => {
    try {
      serve(request, response)
      return true
    } catch (error) {
      return refuse(error as Error)
    }
  })
}

// A closed connection cannot be answered, nor one on which an answer has begun or was sent before the body had arrived.
const mayBeAnswered = ({ socket, unanswered, answeredEarly }: OpenConnection) =>
  socket.writable && !answeredEarly && ![...unanswered].some(({ headersSent }) => headersSent)

// True if the data that could not be parsed came after valid requests, which are still to be answered.
function isBehind({ unanswered }: OpenConnection): boolean {
  const [first] = unanswered
  return first !== undefined && (first.req.complete || unanswered.size > 1)
}

// Sets `Connection: close` on the last answer only, because Node closes the connection after the first answer that has it.
function closeBehindLast({ unanswered }: OpenConnection): void {
  const responses = [...unanswered]
  for (const response of responses.filter(({ headersSent }) => !headersSent)) {
    if (response === responses.at(-1)) response.setHeader('Connection', 'close')
    else response.removeHeader('Connection')
  }
}

// True if an answer with `Connection: close` was begun: requests sent after it are ignored, as HTTP allows.
const isAnnounced = ({ unanswered }: OpenConnection) =>
  [...unanswered].some((response) => response.headersSent && response.getHeader('Connection') === 'close')

// Accepted requests are answered in order; later data is read and discarded. If it were not read, or if the connection
// were closed at once, the operating system would reset the connection, and the caller would lose unread answers.
function takeNoMore(connection: OpenConnection): void {
  const { socket } = connection
  connection.isLast = true
  closeBehindLast(connection)
  let bytes = 0
  socket.removeAllListeners('data')
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > bounds.MAX_DISCARDED_BYTES) socket.destroy()
  })
  // Node calls this after the last answer.
  socket.destroySoon = () => {
    setTimeout(() => socket.destroy(), bounds.REFUSED_SECONDS * 1000).unref()
    socket.end()
  }
}

// Tracks the unanswered requests of a connection, and closes it if an answer takes too long.
function follow(connection: OpenConnection, response: ServerResponse, state: { stopping: boolean }): void {
  const { socket, unanswered } = connection
  unanswered.add(response)
  connection.answeredEarly = false
  if (state.stopping) closeBehindLast(connection)
  connection.overdue ??= setTimeout(() => socket.destroy(), bounds.ANSWER_SECONDS * 1000)
  // From here on only the caller can cause a delay; each transferred byte restarts the timeout.
  response.once('prefinish', () => void socket.setTimeout(bounds.UNREAD_SECONDS * 1000))
  response.once('close', () => {
    unanswered.delete(response)
    connection.answeredEarly = !response.req.complete
    const [next] = unanswered
    if (next) {
      // Answers are sent in the order of their requests, so the time of the next one starts now. If it has already ended,
      // its `prefinish` was emitted while it waited for the previous one.
      socket.setTimeout(next.writableEnded ? bounds.UNREAD_SECONDS * 1000 : 0)
      return void connection.overdue?.refresh()
    }
    clearTimeout(connection.overdue)
    connection.overdue = undefined
    if (state.stopping || connection.isLast) socket.destroySoon()
  })
}

// Answers a refused connection at once, and closes it when the caller does, or after a second.
function admitting({ connections, unmatched, onRefused }: ListenerDependencies): (socket: Socket) => void {
  let refused = 0
  return (socket) => {
    const excess = connections.admit(socket)
    if (excess === null) return
    onRefused(excess, socket.remoteAddress ?? '')
    if (refused >= bounds.MAX_REFUSED) return void socket.destroy()
    refused += 1
    const patience = setTimeout(() => socket.destroy(), bounds.REFUSED_SECONDS * 1000)
    socket.once('close', () => {
      clearTimeout(patience)
      refused -= 1
    })
    const message =
      excess === 'total'
        ? 'There are too many connections; try again.'
        : 'There are too many connections from your address; close some.'
    socket.end(
      unmatched.bytes(fault('service.unavailable', { message, retryAfter: bounds.REFUSED_SECONDS }), {
        ip: socket.remoteAddress ?? null,
      }),
    )
  }
}

function end(socket: Duplex, answer: string): void {
  // The caller may close the connection before the answer is sent.
  socket.on('error', () => socket.destroy())
  setTimeout(() => socket.destroy(), bounds.UNREAD_SECONDS * 1000).unref()
  socket.end(answer, () => socket.destroy())
}

function listening(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

async function closing(
  server: Server,
  connections: Connections,
  state: { stopping: boolean },
  seconds: number,
): Promise<void> {
  state.stopping = true
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
  for (const connection of connections.all()) {
    if (connection.unanswered.size === 0) connection.socket.destroySoon()
    else closeBehindLast(connection)
  }
  const deadline = new AbortController()
  await Promise.race([closed, delay(seconds * 1000, undefined, { signal: deadline.signal }).catch(() => undefined)])
  deadline.abort()
  for (const { socket } of connections.all()) socket.destroy()
  server.closeAllConnections()
  await closed
}
