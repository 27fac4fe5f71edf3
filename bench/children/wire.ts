// A keep-alive HTTP connection that takes the client very little CPU time: it sends requests as ready text.
import { connect, type Socket } from 'node:net'

export interface Answer {
  status: number
  body: Buffer
}

export interface Wire {
  /** Sends one whole request; one at a time. */
  send(request: string): Promise<Answer>
  close(): void
}

const BLANK_LINE = Buffer.from('\r\n\r\n')

export function openWire(port: number): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | null = null
    let received: Buffer = Buffer.alloc(0)
    const fail = (error: Error) => {
      waiting?.reject(error)
      waiting = null
    }
    socket.on('data', (part: Buffer) => {
      received = received.length === 0 ? part : Buffer.concat([received, part])
      const answer = answerIn(received)
      if (!answer) return
      received = Buffer.alloc(0)
      waiting?.resolve(answer)
      waiting = null
    })
    socket.on('close', () => fail(new Error('the server closed the connection')))
    socket.once('error', reject)
    socket.once('error', fail)
    socket.once('connect', () => resolve({
      send: (request) => new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(request)
      }),
      close: () => socket.destroy(),
    }))
  })
}

// Every answer of the service, and of the server that it is compared with, has a Content-Length.
function answerIn(bytes: Buffer): Answer | null {
  const headEnds = bytes.indexOf(BLANK_LINE)
  if (headEnds < 0) return null
  const head = bytes.toString('latin1', 0, headEnds)
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1])
  if (Number.isNaN(length)) throw new Error(`an answer without its length: ${head}`)
  const from = headEnds + BLANK_LINE.length
  if (bytes.length < from + length) return null
  return { status: Number(head.slice(9, 12)), body: bytes.subarray(from, from + length) }
}
