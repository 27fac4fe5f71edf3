// A way to Temporal that can be shut.
import net from 'node:net'

export interface TcpProxy {
  /** host:port, to be used in place of the server's. */
  address: string
  /** Cuts every connection and refuses new ones. */
  shut(): void
  open(): Promise<void>
}

export async function openTcpProxy(address: string): Promise<TcpProxy> {
  const [host, port] = address.split(':') as [string, string]
  const through = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    const beyond = net.connect(Number(port), host)
    for (const end of [socket, beyond]) {
      through.add(end)
      end.on('error', () => undefined)
      end.on('close', () => {
        socket.destroy()
        beyond.destroy()
        through.delete(end)
      })
    }
    socket.pipe(beyond).pipe(socket)
  })
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  await listen(0)
  const mine = (server.address() as net.AddressInfo).port
  return {
    address: `127.0.0.1:${mine}`,
    shut() {
      server.close()
      for (const socket of through) socket.destroy()
    },
    open: () => listen(mine),
  }
}
