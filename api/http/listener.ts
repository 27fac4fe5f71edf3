// Listens: bounds connections, heads, bodies and answers, refuses what is no request of ours, and stops in order.
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
  /** Takes a request whose head is sound; always answers. */
  serve(request: IncomingMessage, response: ServerResponse): void
  /** Told of each connection that is refused, and of each that is broken off since it was abused. */
  onRefused(why: Excess | 'pipelining', address: string): void
}

export interface Listener {
  /** Resolves with the port. */
  listen(port: number, host: string): Promise<number>
  /**
   * Stops accepting, closes idle connections, and lets what is under way be answered with `Connection: close` for
   * `seconds`; what is left then is broken off.
   */
  close(seconds: number): Promise<void>
}

const ALLOWED = 'GET, HEAD, POST, PUT, DELETE'

export function createListener(dependencies: ListenerDependencies): Listener {
  const { connections, unmatched } = dependencies
  const state = { stopping: false }
  const server = createServer({
    maxHeaderSize: bounds.MOST_HEAD_BYTES,
    headersTimeout: bounds.HEAD_SECONDS * 1000,
    requestTimeout: bounds.REQUEST_SECONDS * 1000,
    keepAliveTimeout: bounds.KEEP_ALIVE_SECONDS * 1000,
    connectionsCheckingInterval: bounds.CHECK_SECONDS * 1000,
    // A missing Host is refused by ourselves, in the envelope.
    requireHostHeader: false,
    // A request with `Upgrade` is answered as if the header were not there (decisions §11).
    shouldUpgradeCallback: () => false,
  })
  server.maxHeadersCount = bounds.MOST_HEADERS
  const receive = (request: IncomingMessage, response: ServerResponse, refused: Error | null = null) => {
    const connection = connections.of(request.socket)
    // A refused connection has its answer already.
    if (!connection || request.socket.destroyed) return
    if (connection.isLast || isAnnounced(connection)) return
    if (connection.unanswered.size >= bounds.MOST_UNANSWERED) {
      dependencies.onRefused('pipelining', connection.address)
      return takeNoMore(connection)
    }
    follow(connection, response, state)
    // Whatever comes behind a refused request may be its body: nothing of it is taken for a request.
    if (!respond(dependencies, request, response, refused)) takeNoMore(connection)
  }
  server.on('request', receive)
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    receive(request, response, fault('request.malformed', { status: 417, message: 'The only Expect header that is supported is 100-continue.' })))
  server.on('connect', (_request: IncomingMessage, socket: Duplex) =>
    end(socket, unmatched.bytes(fault('request.method_not_allowed', { message: 'The method CONNECT is not supported.' }), { method: 'CONNECT' })))
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

// Answers whether another request may follow.
function respond({ unmatched, serve }: ListenerDependencies, request: IncomingMessage, response: ServerResponse, refused: Error | null): boolean {
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

// A caller that hung up is past answering. Behind an answer that has begun, or that came before the body, no other fits.
const mayBeAnswered = ({ socket, unanswered, answeredEarly }: OpenConnection) =>
  socket.writable && !answeredEarly && ![...unanswered].some(({ headersSent }) => headersSent)

// What could not be read came after requests that were: those are still answered.
function isBehind({ unanswered }: OpenConnection): boolean {
  const [first] = unanswered
  return first !== undefined && (first.req.complete || unanswered.size > 1)
}

// The connection closes behind the last of its answers: Node closes it behind the first that says `close`, so no other may.
function closeBehindLast({ unanswered }: OpenConnection): void {
  const responses = [...unanswered]
  for (const response of responses.filter(({ headersSent }) => !headersSent)) {
    if (response === responses.at(-1)) response.setHeader('Connection', 'close')
    else response.removeHeader('Connection')
  }
}

// A caller that was told of the end of the connection knows that nothing is done of what it sent behind that request.
const isAnnounced = ({ unanswered }: OpenConnection) => (
  [...unanswered].some((response) => response.headersSent && response.getHeader('Connection') === 'close')
)

// What was taken is answered, in its order; what comes behind it is read and thrown away. Were it not read, or the
// connection closed at once, the system would reset it, and answers that the caller has not read yet would be lost.
function takeNoMore(connection: OpenConnection): void {
  const { socket } = connection
  connection.isLast = true
  closeBehindLast(connection)
  let bytes = 0
  socket.removeAllListeners('data')
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > bounds.MOST_DISCARDED_BYTES) socket.destroy()
  })
  // What Node calls behind the last answer.
  socket.destroySoon = () => {
    setTimeout(() => socket.destroy(), bounds.REFUSED_SECONDS * 1000).unref()
    socket.end()
  }
}

// Knows which answers a connection waits for, and lets none of them be waited for without end.
function follow(connection: OpenConnection, response: ServerResponse, state: { stopping: boolean }): void {
  const { socket, unanswered } = connection
  unanswered.add(response)
  connection.answeredEarly = false
  if (state.stopping) closeBehindLast(connection)
  connection.overdue ??= setTimeout(() => socket.destroy(), bounds.ANSWER_SECONDS * 1000)
  // From here on there is nothing to wait for but the caller; what moves in the meantime begins the time anew.
  response.once('prefinish', () => void socket.setTimeout(bounds.UNREAD_SECONDS * 1000))
  response.once('close', () => {
    unanswered.delete(response)
    connection.answeredEarly = !response.req.complete
    const [next] = unanswered
    if (next) {
      // Answers leave in the order of their requests: the next one has its time from now on. Where it was ended behind the
      // one before, its `prefinish` is past already.
      socket.setTimeout(next.writableEnded ? bounds.UNREAD_SECONDS * 1000 : 0)
      return void connection.overdue?.refresh()
    }
    clearTimeout(connection.overdue)
    connection.overdue = undefined
    if (state.stopping || connection.isLast) socket.destroySoon()
  })
}

// A refused connection is told so at once; what it sends is read and thrown away until it closes, or a second has passed.
function admitting({ connections, unmatched, onRefused }: ListenerDependencies): (socket: Socket) => void {
  let refused = 0
  return (socket) => {
    const excess = connections.admit(socket)
    if (excess === null) return
    onRefused(excess, socket.remoteAddress ?? '')
    if (refused >= bounds.MOST_REFUSED) return void socket.destroy()
    refused += 1
    const patience = setTimeout(() => socket.destroy(), bounds.REFUSED_SECONDS * 1000)
    socket.once('close', () => {
      clearTimeout(patience)
      refused -= 1
    })
    const message = excess === 'total' ? 'There are too many connections; try again.' : 'There are too many connections from your address; close some.'
    socket.end(unmatched.bytes(fault('service.unavailable', { message, retryAfter: bounds.REFUSED_SECONDS }), { ip: socket.remoteAddress ?? null }))
  }
}

function end(socket: Duplex, answer: string): void {
  // A caller that breaks the connection meanwhile is not told anything.
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

async function closing(server: Server, connections: Connections, state: { stopping: boolean }, seconds: number): Promise<void> {
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
