// Receives webhooks: believes only what is signed with the endpoint's secret, and takes each delivery once.
import { createHmac, timingSafeEqual } from 'node:crypto'
import http from 'node:http'

const TOLERANCE_SECONDS = 300

/** Whether a header X-Svc-Signature is of this very body, by one of the secrets, and of the last 300 seconds. */
export function isGenuine(header: string, body: Buffer, secrets: string[], now = Date.now() / 1000): boolean {
  const parts = header.split(',').map((part) => part.split('=', 2) as [string, string | undefined])
  const t = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d+$/.test(t) || Math.abs(now - Number(t)) > TOLERANCE_SECONDS) return false
  const given = parts.filter(([name]) => name === 'v1').map(([, hex]) => Buffer.from(hex ?? '', 'hex'))
  const right = secrets.map((secret) => createHmac('sha256', secret).update(`${t}.`).update(body).digest())
  return right.some((hmac) => given.some((one) => one.length === hmac.length && timingSafeEqual(one, hmac)))
}

// Deliveries come at least once. In production this is a table with a unique key, written in the transaction that does the
// work of the event, so that a crash in between neither loses nor repeats it.
const taken = new Set<string>()

async function receive(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray()) // the raw bytes: JSON that is parsed and written again is not the same text
  const secrets = (process.env.WEBHOOK_SECRET ?? '').split(' ').filter((secret) => secret !== '')
  if (!isGenuine(String(request.headers['x-svc-signature']), body, secrets)) {
    response.writeHead(401).end()
    return
  }
  const delivery = String(request.headers['x-svc-delivery'])
  if (!taken.has(delivery)) {
    taken.add(delivery)
    console.log(delivery, body.toString())
  }
  response.writeHead(204).end() // a repeated one too, or it would be sent again
}

const server = http.createServer((request, response) => {
  receive(request, response).catch(() => response.destroy())
})
const port = Number(process.env.PORT ?? 9090)
server.listen(port, '127.0.0.1', () => console.log(`listening on ${port}`))
