// How the Temporal server is reached: its address, TLS, and an API key.
import type { TLSConfig } from '@temporalio/client'

/** The certificates are texts in PEM. */
export interface TemporalTls {
  /** Who has signed the server's certificate; null for the certificate authorities of the system. */
  serverCa: string | null
  /** How this service proves who it is (mTLS); null where it need not. */
  client: { cert: string; key: string } | null
  /** The name in the server's certificate, where that is not the host of the address. */
  serverName: string | null
}

export interface TemporalServer {
  address: string
  /** Null or left out: without TLS. */
  tls?: TemporalTls | null
  apiKey?: string | null
}

interface ServerOptions {
  address: string
  tls?: TLSConfig
  apiKey?: string
}

/** The options with which a client or a worker connects. */
export function connectionOptionsOf({ address, tls = null, apiKey = null }: TemporalServer): ServerOptions {
  return { address, ...(tls && { tls: tlsConfigOf(tls) }), ...(apiKey !== null && { apiKey }) }
}

function tlsConfigOf({ serverCa, client, serverName }: TemporalTls): TLSConfig {
  return {
    ...(serverName !== null && { serverNameOverride: serverName }),
    ...(serverCa !== null && { serverRootCACertificate: Buffer.from(serverCa) }),
    ...(client && { clientCertPair: { crt: Buffer.from(client.cert), key: Buffer.from(client.key) } }),
  }
}
