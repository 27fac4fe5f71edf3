// A name server of this machine, which answers for the names that a test tells it, or says nothing at all.
import dgram from 'node:dgram'
import type { AddressInfo } from 'node:net'

export interface NameServer {
  /** address:port */
  address: string
  /** The IPv4 addresses of each name; a name that is not there does not exist, one of `null` is never answered. */
  names: Record<string, string[] | null>
  ttlSeconds: number
  /** What was asked for so far: the names, and the type of record (1 is A, 28 is AAAA). */
  questions: { name: string; type: number }[]
  /** Resolves when a question has come for the name. */
  asked(name: string): Promise<void>
  close(): Promise<void>
}

const A = 1
const NO_SUCH_NAME = 3

export async function openNameServer(names: NameServer['names']): Promise<NameServer> {
  const socket = dgram.createSocket('udp4')
  socket.on('message', (message, from) => {
    const { name, type, end } = questionIn(message)
    server.questions.push({ name, type })
    const known = name in server.names ? server.names[name]! : []
    if (known === null) return
    const addresses = type === A ? known : []
    const head = Buffer.from(message.subarray(0, 12))
    head.writeUInt16BE(0x8180 | (name in server.names ? 0 : NO_SUCH_NAME), 2)
    head.writeUInt16BE(addresses.length, 6)
    head.writeUInt32BE(0, 8)
    socket.send(Buffer.concat([head, message.subarray(12, end), ...addresses.map((address) => recordOf(address, server.ttlSeconds))]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const server: NameServer = {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    names,
    ttlSeconds: 60,
    questions: [],
    async asked(name) {
      const last = Date.now() + 15_000
      while (!server.questions.some((question) => question.name === name)) {
        if (Date.now() > last) throw new Error(`nobody has asked for ${name}`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
  return server
}

function questionIn(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let place = 12
  for (let length = message[place]!; length > 0; length = message[place]!) {
    labels.push(message.subarray(place + 1, place + 1 + length).toString())
    place += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(place + 1), end: place + 5 }
}

function recordOf(address: string, ttlSeconds: number): Buffer {
  const record = Buffer.alloc(16)
  record.writeUInt16BE(0xc00c, 0)
  record.writeUInt16BE(A, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt32BE(ttlSeconds, 6)
  record.writeUInt16BE(4, 10)
  Buffer.from(address.split('.').map(Number)).copy(record, 12)
  return record
}
