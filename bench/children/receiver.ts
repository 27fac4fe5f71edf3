// A webhook receiver like that of a subscriber: verifies every signature and counts each delivery once.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from './parent.ts'

/** Listen; or use these secrets, by path; or wait until this many deliveries have arrived or the time is over. */
export type ReceiverJob = { listen: true } | { secrets: Record<string, string> } | { await: number; patienceMs: number }

/** `lastAt` is when the last counted delivery arrived, in ms of the wall clock. */
export interface Received {
  port: number
  deliveries: number
  refused: number
  lastAt: number
}

const secrets = new Map<string, string>()
const seen = new Set<string>()
let refused = 0
let lastAt = 0

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const secret = secrets.get(request.url ?? '')
    const delivery = String(request.headers['x-svc-delivery'])
    if (secret && isSigned(secret, String(request.headers['x-svc-signature']), Buffer.concat(parts))) {
      if (!seen.has(delivery)) lastAt = Date.now()
      seen.add(delivery)
      response.writeHead(204).end()
    } else {
      refused += 1
      response.writeHead(401).end()
    }
  })
})

function isSigned(secret: string, header: string, body: Buffer): boolean {
  const [, timestamp, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
  if (!timestamp || !hex) return false
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest()
  return timingSafeEqual(expected, Buffer.from(hex, 'hex'))
}

serveParent(async (job: ReceiverJob): Promise<Received> => {
  if ('listen' in job && !server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  if ('secrets' in job) {
    secrets.clear()
    seen.clear()
    for (const [path, secret] of Object.entries(job.secrets)) secrets.set(path, secret)
  }
  if ('await' in job) {
    const until = Date.now() + job.patienceMs
    while (seen.size < job.await && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return { port: (server.address() as AddressInfo).port, deliveries: seen.size, refused, lastAt }
})
