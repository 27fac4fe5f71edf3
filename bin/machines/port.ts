// Free ports on loopback.
import { createServer } from 'node:net'

/** Can this port be listened on? */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return listens(port, host).then((got) => got !== null)
}

/** The wanted port when it is free (last time's, so that bookmarks stay good), otherwise any free one. */
export async function freePort(wanted: number | undefined, taken: Set<number> = new Set()): Promise<number> {
  if (wanted && !taken.has(wanted) && (await isFree(wanted))) return keep(wanted, taken)
  for (;;) {
    const port = await listens(0, '127.0.0.1')
    if (port === null) throw new Error('No free port is left on 127.0.0.1.')
    if (!taken.has(port)) return keep(port, taken)
  }
}

// A port is free again once probed: without this note two parts could be given the same one.
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
