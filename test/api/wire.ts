// Requests as bytes: for what no well-mannered client would send.
import { connect } from 'node:net'
import { jsonOf, type Json } from './client.ts'

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  text: string
  body: Json
}

/** Sends the bytes on a connection of their own; answers what comes back before it is closed, or falls silent. */
export function sendBytes(port: number, ...parts: (string | Buffer)[]): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part)
    })
    const done = () => {
      socket.destroy()
      resolve(answerOf(Buffer.concat(chunks).toString('utf8')))
    }
    socket.setTimeout(4_000, done)
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (isWhole(Buffer.concat(chunks).toString('utf8'))) done()
    })
    socket.once('end', done)
    // What was answered before the connection broke is an answer.
    socket.once('error', (error) => (chunks.length > 0 ? done() : reject(error)))
  })
}

/** Sends the bytes and hangs up after a moment, without waiting for an answer. */
export function hangUp(port: number, bytes: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, () => setTimeout(() => socket.destroy(), 50)))
    socket.once('error', reject)
    socket.once('close', () => resolve())
  })
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(text.slice(0, end))?.[1]
  return end >= 0 && length !== undefined && Buffer.byteLength(text.slice(end + 4)) >= Number(length)
}

function answerOf(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]))
  const body = rest.join('\r\n\r\n')
  return { status: Number(first.split(' ')[1] ?? 0), headers, text: body, body: jsonOf(body) }
}
