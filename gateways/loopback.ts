// Finds a free port on loopback, for the metrics of Temporal's SDK.
import { createServer, type AddressInfo } from 'node:net'

/** An address that nothing listens on now, for those who do not say which port they were given for 0. */
export function freeLoopbackAddress(): Promise<string> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(`127.0.0.1:${port}`))
    })
  })
}
