// A program for engine.test.ts: closes its engine while a call waits for its next retry, and prints how many requests were sent.
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { openEngine } from '../../gateways/temporal/engine.ts'

// Answers every call with UNAVAILABLE, which Temporal's client retries.
let requests = 0
const server = http2.createServer()
server.on('stream', (stream) => {
  requests += 1
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '14' }, { endStream: true })
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

const engine = openEngine({ address: `127.0.0.1:${(server.address() as AddressInfo).port}`, namespace: 'default', queueSuffix: '' })
const call = engine.ensureSchedule('Asia/Kolkata').then(() => 'answered', (error: Error) => error.name)
while (requests < 3) await delay(1)
await engine.close()
const atClose = requests
// Longer than a retry is ever put off.
await delay(1_000)
console.log(JSON.stringify({ atClose, afterwards: requests, outcome: await call }))
server.close()
