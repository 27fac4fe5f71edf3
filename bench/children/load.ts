// Calls an HTTP server over keep-alive connections, as many at a time as there are clients, and times every answer.
import { randomUUID } from 'node:crypto'
import { type Figures, figuresOf, paced, type Throttle } from '../figures.ts'
import { serveParent } from './parent.ts'
import { openWire, type Wire } from './wire.ts'

/**
 * A request without its Idempotency-Key; a POST gets a new one each time. In its body "<key>" is replaced by that key, and
 * the text "<number>" by the number of the call, as a JSON number.
 */
export interface Call {
  method: 'GET' | 'POST'
  path: string
  token: string
  body: unknown
}

export interface LoadJob {
  port: number
  calls: Call[]
  /** For a time, or for this many calls in their order. */
  pace: Throttle | { clients: number; count: number }
}

/** `sent` counts the warm-up too; `bytes` is the length of the last answer's body. */
export type LoadResult = Figures & { sent: number; bytes: number }

async function load({ port, calls, pace }: LoadJob): Promise<LoadResult> {
  const requests = calls.map(requestOf)
  const wires = await Promise.all(Array.from({ length: pace.clients }, () => openWire(port)))
  const run = randomUUID()
  let sent = 0
  let bytes = 0
  const one = async (client: number) => {
    // For a time: each client goes through all calls, from a start of its own.
    const request = requests[('count' in pace ? sent : sent * 7 + client) % requests.length]!
    const answer = await wires[client]!.send(request(run, (sent += 1)))
    if (answer.status >= 300) throw new Error(`answered ${answer.status}: ${answer.body.toString()}`)
    bytes = answer.body.length
  }
  const figures = 'count' in pace ? await counted(wires, pace.count, one) : await paced(pace, one)
  for (const wire of wires) wire.close()
  return { ...figures, sent, bytes }
}

async function counted(wires: Wire[], count: number, call: (client: number) => Promise<void>): Promise<Figures> {
  const latencies: number[] = []
  const begun = performance.now()
  let left = count
  await Promise.all(wires.map(async (_, client) => {
    while (left > 0) {
      left -= 1
      const start = performance.now()
      await call(client)
      latencies.push(performance.now() - start)
    }
  }))
  return figuresOf(latencies, (performance.now() - begun) / 1000)
}

function requestOf({ method, path, token, body }: Call): (run: string, number: number) => string {
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`
  if (method === 'GET') return () => `${head}\r\n`
  const text = JSON.stringify(body)
  const typed = `${head}Content-Type: application/json\r\nContent-Length: `
  const same = !/<(?:key|number)>/.test(text)
  return (run, number) => {
    const key = `${run}-${number}`
    const sent = same ? text : text.replaceAll('"<number>"', String(number)).replaceAll('<key>', key)
    return `${typed}${Buffer.byteLength(sent)}\r\nIdempotency-Key: ${key}\r\n\r\n${sent}`
  }
}

serveParent(load)
