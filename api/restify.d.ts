// Type declarations for the part of Restify that this project uses; the package has none.
declare module 'restify' {
  import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
  import type { AddressInfo } from 'node:net'
  import type { Logger } from 'pino'

  namespace restify {
    interface Response extends ServerResponse {
      /** Sends the body unchanged, without a formatter. */
      sendRaw(status: number, body: string | Buffer, headers: Record<string, string>): void
    }
    type Handler = (request: IncomingMessage & { params?: Record<string, string> }, response: Response) => Promise<void>
    interface Server {
      server: HttpServer
      head(route: { path: string; name: string }, handler: Handler): void
      get(route: { path: string; name: string }, handler: Handler): void
      post(route: { path: string; name: string }, handler: Handler): void
      put(route: { path: string; name: string }, handler: Handler): void
      del(route: { path: string; name: string }, handler: Handler): void
      on(
        event: 'restifyError',
        listener: (request: IncomingMessage, response: Response, error: Error, done: () => void) => void,
      ): void
      listen(port: number, host: string, listening: () => void): void
      address(): AddressInfo
    }
    function createServer(options: { name: string; log: Logger; maxParamLength?: number }): Server
  }
  export default restify
}
