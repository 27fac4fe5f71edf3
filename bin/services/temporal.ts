// Starts Temporal's development server from the CLI, with SQLite in the data folder and its UI.
import { connect } from 'node:http2'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { SEARCH_ATTRIBUTES } from '../../domain/search-attributes.ts'
import { end, isAlive, lastLines, launch, type Launched, type StartedServer, sizeOf, sleep } from './process.ts'

// The CLI's names for the types of search attributes.
const KINDS = { KEYWORD: 'Keyword', INT: 'Int', DATETIME: 'Datetime' } as const

export interface TemporalOptions {
  binary: string
  namespace: string
  databaseFile: string
  port: number
  uiPort: number
  /** The address of the codec server, which decrypts what the UI shows; without it the UI shows it encrypted. */
  codecUrl?: string
  log: string
  /** False for a server as it is elsewhere before a worker has registered the search attributes. */
  withSearchAttributes?: boolean
  inherited: NodeJS.ProcessEnv
  onLaunch?: (launched: Launched) => void
  hurry?: AbortSignal
}

/**
 * Starts the server with its database file; `url` of the result is its address without a scheme.
 * Throws an Error with the last lines of its log if it does not start.
 */
export async function startTemporal(options: TemporalOptions): Promise<StartedServer> {
  const { binary, databaseFile, port, log, inherited } = options
  mkdirSync(dirname(databaseFile), { recursive: true, mode: 0o700 })
  const from = sizeOf(log)
  // Calls of the API go before workflows where both want the processor.
  const launched = await launch({
    name: 'Temporal',
    command: binary,
    args: argumentsOf(options),
    log,
    env: inherited,
    isBackground: true,
  })
  options.onLaunch?.(launched)
  const stop = () => end(launched, { patienceMs: 10_000, hurry: options.hurry })
  try {
    await waitUntilServing(launched, port, log, from)
    return { url: `127.0.0.1:${port}`, process: launched, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function argumentsOf(options: TemporalOptions): string[] {
  const { namespace, databaseFile, port, uiPort, codecUrl, withSearchAttributes = true } = options
  const searchAttributes = withSearchAttributes ? Object.values(SEARCH_ATTRIBUTES) : []
  return [
    'server',
    'start-dev',
    '--ip',
    '127.0.0.1',
    '--port',
    String(port),
    '--ui-port',
    String(uiPort),
    ...(codecUrl ? ['--ui-codec-endpoint', codecUrl] : []),
    '--db-filename',
    databaseFile,
    '--namespace',
    namespace,
    // With a write-ahead log kill -9 loses nothing; a power failure may lose the latest writes.
    '--sqlite-pragma',
    'journal_mode=WAL',
    '--sqlite-pragma',
    'synchronous=NORMAL',
    // While tasks wait, each organisation has the same share of them; see fairShareOf.
    '--dynamic-config-value',
    'matching.enableFairness=true',
    '--log-level',
    'error',
    ...searchAttributes.flatMap(({ name, type }) => ['--search-attribute', `${name}=${KINDS[type]}`]),
  ]
}

async function waitUntilServing(launched: Launched, port: number, log: string, from: number): Promise<void> {
  const begun = Date.now()
  for (;;) {
    // The banner is printed after the search attributes are registered, which is after the port responds.
    if ((await isServing(port)) && (bannerIn(log, from) || Date.now() - begun > 10_000)) return
    if (launched.hasEnded() || !isAlive(launched)) {
      throw new Error(`Temporal ended at start; the last lines of ${log}:\n${lastLines(log, 15, from)}`)
    }
    if (Date.now() - begun > 60_000) throw new Error(`Temporal does not answer on port ${port}; see ${log}`)
    await sleep(50)
  }
}

function bannerIn(log: string, from: number): boolean {
  return readFileSync(log).subarray(from).includes('Temporal UI:')
}

/**
 * Queries the server's gRPC health service on this port of loopback. Uses HTTP/2 directly, because the client library takes
 * longer to load than the server takes to start.
 */
function isServing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(`http://127.0.0.1:${port}`)
    const answer = (serving: boolean) => {
      clearTimeout(timer)
      session.destroy()
      resolve(serving)
    }
    const timer = setTimeout(answer, 2000, false)
    session.once('error', () => answer(false))
    const call = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    const received: Buffer[] = []
    call.on('data', (part: Buffer) => received.push(part))
    call.once('error', () => answer(false))
    // After the five bytes of the frame header: field 1 (status) = 1 (SERVING).
    call.once('end', () =>
      answer(
        Buffer.concat(received)
          .subarray(5)
          .equals(Buffer.from([8, 1])),
      ),
    )
    call.end(framed('temporal.api.workflowservice.v1.WorkflowService'))
  })
}

// HealthCheckRequest { service = 1 } in a gRPC frame: uncompressed, with the length in four bytes.
function framed(service: string): Buffer {
  const message = Buffer.concat([Buffer.from([10, service.length]), Buffer.from(service)])
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}
