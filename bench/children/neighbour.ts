// A neighbour that loads the service heavily: a number of connections that each repeat the same requests for a time.
import http from 'node:http'
import { serveParent } from './parent.ts'

export interface NeighbourJob {
  port: number
  connections: number
  seconds: number
  /** The requests that each connection repeats; `body` is null for one without a body. `slowly` leaves successful answers unread. */
  requests: { method: string; path: string; headers: Record<string, string>; body: string | null }[]
  slowly: boolean
}

/** How often each status was answered; 0 for a connection that broke. */
export type NeighbourResult = Record<number, number>

serveParent(async ({ port, connections, seconds, requests, slowly }: NeighbourJob): Promise<NeighbourResult> => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
  const answered: NeighbourResult = {}
  const over = AbortSignal.timeout(seconds * 1000)
  await Promise.all(Array.from({ length: connections }, async (_, connection) => {
    for (let n = connection; !over.aborted; n += 1) {
      const status = await one(requests[n % requests.length]!, slowly, over)
      if (over.aborted) return
      answered[status] = (answered[status] ?? 0) + 1
    }
  }))
  agent.destroy()
  return answered

  function one({ method, path, headers, body }: NeighbourJob['requests'][number], unread: boolean, signal: AbortSignal): Promise<number> {
    return new Promise((resolve) => {
      const length: http.OutgoingHttpHeaders = body === null ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
      // Every call has its own key or token in the place of <new>.
      const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('<new>', crypto.randomUUID())]))
      const request = http.request({ port, host: '127.0.0.1', method, path, agent, signal, headers: { ...own, ...length } }, (response) => {
        response.on('close', () => resolve(response.complete ? response.statusCode ?? 0 : 0))
        response.on('error', () => resolve(0))
        if (!unread || response.statusCode !== 200) response.resume()
      })
      request.on('error', () => resolve(0))
      request.end(body ?? undefined)
    })
  }
})
