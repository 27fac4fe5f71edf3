// Finds free ports on loopback.
import { createServer } from 'node:net'

/** Whether this port can be listened on. */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return listens(port, host).then((got) => got !== null)
}

/** The preferred port if it is free (that of the last run, so that bookmarks stay valid), otherwise any free port. */
export async function freePort(preferred: number | undefined, taken: Set<number> = new Set()): Promise<number> {
  if (preferred && !taken.has(preferred) && (await isFree(preferred))) return keep(preferred, taken)
  for (;;) {
    const port = await listens(0, '127.0.0.1')
    if (port === null) throw new Error('No free port is left on 127.0.0.1.')
    if (!taken.has(port)) return keep(port, taken)
  }
}

// A port is free again after the probe, so it is recorded, or two parts could get the same one.
function keep(port: number, taken: Set<number>): number {
  taken.add(port)
  return port
}

function listens(port: number, host: string): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null))
    })
  })
}
