// Receives webhooks, and accepts only those signed with the endpoint's secret within the last 300 seconds.
import { createHmac, timingSafeEqual } from 'node:crypto'
import http from 'node:http'

async function receive(request, response) {
  const body = Buffer.concat(await request.toArray()) // the raw bytes, not re-serialized JSON
  const parts = String(request.headers['x-svc-signature'])
    .split(',')
    .map((part) => part.split('='))
  const t = parts.find(([name]) => name === 't')?.[1]
  const right = createHmac('sha256', process.env.WEBHOOK_SECRET).update(`${t}.`).update(body).digest()
  const given = parts.filter(([name]) => name === 'v1').map(([, hex]) => Buffer.from(hex ?? '', 'hex'))
  const genuine = given.some((hmac) => hmac.length === right.length && timingSafeEqual(hmac, right))
  const fresh = Math.abs(Date.now() / 1000 - Number(t)) <= 300
  response.writeHead(genuine && fresh ? 204 : 401).end()
  if (genuine && fresh) console.log(request.headers['x-svc-delivery'], body.toString())
}
const server = http.createServer((request, response) => receive(request, response).catch(() => response.destroy()))
server.listen(process.env.PORT ?? 9090, '127.0.0.1', () => console.log(`listening on ${server.address().port}`))
