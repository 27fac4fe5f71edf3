// Sends one request at a time over one connection, and reports the status and length of the answer.
import http from 'node:http'
import { serveParent } from './parent.ts'

export interface SendJob {
  port: number
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

export interface SendResult {
  status: number
  bytes: number
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })

serveParent(({ port, method, path, headers, body }: SendJob) => new Promise<SendResult>((resolve, reject) => {
  const length = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
  const request = http.request({ port, host: '127.0.0.1', method, path, agent, headers: { ...headers, ...length } }, (response) => {
    let bytes = 0
    response.on('data', (part: Buffer) => (bytes += part.length))
    response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes }))
    response.on('error', reject)
  })
  request.on('error', reject)
  request.end(body)
}))
