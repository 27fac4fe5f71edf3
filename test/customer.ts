// A customer's machine that takes webhooks: it verifies each signature by the specification alone.
import { createHmac, timingSafeEqual } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Arrival {
  at: number
  path: string
  deliveryId: string
  eventType: string
  timestamp: number
  body: Buffer
  /** Whether the signature holds for the customer's secret, and is no older than 300 seconds. */
  genuine: boolean
}

/** What to answer: a status, or nothing at all. */
export type Answer = number | 'silence' | { status: number; headers?: Record<string, string>; body?: string }

export interface Customer {
  url: string
  port: number
  arrivals: Arrival[]
  /** How each delivery is answered from now on. */
  answer: (arrival: Arrival) => Answer
  /** Resolves with the arrivals once there are so many; throws when they do not come in time. */
  received(count: number, withinMs?: number): Promise<Arrival[]>
  close(): Promise<void>
}

const TOLERANCE_SECONDS = 300

export async function openCustomer(secret: string): Promise<Customer> {
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const arrival = arrivalOf(request, Buffer.concat(chunks), secret)
      customer.arrivals.push(arrival)
      const answer = customer.answer(arrival)
      if (answer === 'silence') return
      const { status, headers, body } = typeof answer === 'number' ? { status: answer } : { headers: {}, body: '', ...answer }
      response.writeHead(status, headers)
      response.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const customer: Customer = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    arrivals: [],
    answer: () => 200,
    async received(count, withinMs = 30_000) {
      const until = Date.now() + withinMs
      while (customer.arrivals.length < count) {
        if (Date.now() > until) throw new Error(`${customer.arrivals.length} of ${count} webhooks arrived within ${withinMs} ms`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      return customer.arrivals
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return customer
}

function arrivalOf({ headers, url }: http.IncomingMessage, body: Buffer, secret: string): Arrival {
  const signature = String(headers['x-svc-signature'])
  const t = /(?:^|,)t=(\d+)/.exec(signature)?.[1] ?? ''
  const given = [...signature.matchAll(/(?:^|,)v1=([0-9a-f]{64})/g)].map((match) => Buffer.from(match[1]!, 'hex'))
  const right = createHmac('sha256', secret).update(`${t}.`).update(body).digest()
  const fresh = Math.abs(Date.now() / 1_000 - Number(t)) <= TOLERANCE_SECONDS
  return {
    at: Date.now(),
    path: url ?? '',
    deliveryId: String(headers['x-svc-delivery']),
    eventType: String(headers['x-svc-event']),
    timestamp: Number(headers['x-svc-timestamp']),
    body,
    genuine: fresh && Number(t) === Number(headers['x-svc-timestamp']) && given.some((hmac) => timingSafeEqual(hmac, right)),
  }
}
