// A way to Temporal as a managed one has it: TLS, client certificates that it verifies, and the API keys that it is shown.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SecuredProxy {
  /** host:port, to be used in place of the server's. */
  address: string
  /** Files in PEM: who has signed the proxy's certificate, and a client's certificate and key. */
  ca: string
  clientCert: string
  clientKey: string
  /** A file with the key of another certificate. */
  otherKey: string
  /** The authorizations of all calls so far. */
  authorizations: Set<string>
  close(): void
}

/** An API key that is refused. */
export const WRONG_KEY = 'key-of-another-namespace'
const NAME = 'temporal.bahi.test'

export async function openSecuredProxy(address: string): Promise<SecuredProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'bahi-tls-'))
  const file = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Bahi test CA')
  for (const [name, alternative] of [['server', `DNS:${NAME}`], ['client', 'DNS:worker']] as const) {
    openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`)
    writeFileSync(file(`${name}.ext`), `subjectAltName=${alternative}\n`)
    openssl('x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', `${name}.ext`, '-out', `${name}.pem`)
  }
  const authorizations = new Set<string>()
  const beyond = connect(`http://${address}`)
  const read = (name: string) => readFileSync(file(name))
  const server = createSecureServer({ key: read('server.key'), cert: read('server.pem'), ca: read('ca.pem'), requestCert: true, rejectUnauthorized: true })
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    if (headers.authorization === `Bearer ${WRONG_KEY}`) {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '7', 'grpc-message': 'Request unauthorized.' }, { endStream: true })
      return
    }
    authorizations.add(headers.authorization ?? 'none')
    passOn(stream, headers, beyond)
  })
  const sockets = new Set<{ destroy(): void }>()
  server.on('secureConnection', (socket) => void sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: file('ca.pem'), clientCert: file('client.pem'), clientKey: file('client.key'), otherKey: file('server.key'), authorizations,
    close() {
      beyond.destroy()
      for (const socket of sockets) socket.destroy()
      server.close()
      rmSync(folder, { recursive: true })
    },
  }
}

// A call of gRPC: its trailers have the outcome.
function passOn(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, beyond: ReturnType<typeof connect>): void {
  const call = beyond.request(headers)
  let trailers: IncomingHttpHeaders = {}
  call.on('response', (answer, flags) => {
    const isWhole = (flags & 1) === 1
    stream.respond(answer, isWhole ? { endStream: true } : { waitForTrailers: true })
  })
  call.on('trailers', (found) => { trailers = found })
  stream.on('wantTrailers', () => stream.sendTrailers(trailers))
  for (const [one, other] of [[stream, call], [call, stream]] as const) {
    one.on('error', () => other.destroy())
    one.on('aborted', () => other.destroy())
  }
  stream.pipe(call)
  call.pipe(stream)
}
