// Finds free ports on loopback.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Whether this port can be listened on. */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/** The preferred port if it is free (that of the last run, so that bookmarks stay valid), otherwise any free port. */
export async function freePort(preferred: number | undefined, taken: Set<number> = new Set()): Promise<number> {
  if (preferred && !taken.has(preferred) && (await isFree(preferred))) return keep(preferred, taken)
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(PORTS.from, PORTS.to)
    if (!taken.has(port) && (await isFree(port))) return keep(port, taken)
  }
  throw new Error(`No free port between ${PORTS.from} and ${PORTS.to} was found on 127.0.0.1.`)
}

// Below the ports that systems give to outgoing connections, which could take a port between the probe and its use.
const PORTS = { from: 20_000, to: 32_768 }
const TRIES = 1_000

// A port is free again after the probe, so it is recorded, or two parts could get the same one.
function keep(port: number, taken: Set<number>): number {
  taken.add(port)
  return port
}
