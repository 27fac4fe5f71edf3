// The settings of Temporal: where it is, how it is reached, and what of it a worker serves.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Type } from 'typebox'
import { QUEUES } from './domain/task-queues.ts'
import type { TemporalTls } from './gateways/temporal/server.ts'

const Text = Type.Union([Type.String(), Type.Null()])

/** Those of the connection have the names that Temporal's CLI reads too. */
export const TEMPORAL_SETTINGS = {
  temporalAddress: Type.String({ minLength: 1 }),
  temporalNamespace: Type.String({ minLength: 1 }),
  temporalQueueSuffix: Type.String({ pattern: '^[A-Za-z0-9-]*$' }),
  temporalApiKey: Type.Union([Type.String({ pattern: '^[\\x21-\\x7e]+$' }), Type.Null()]),
  temporalTls: Type.Boolean(),
  temporalTlsServerCaCertPath: Text,
  temporalTlsServerName: Text,
  temporalTlsClientCertPath: Text,
  temporalTlsClientKeyPath: Text,
  workerQueues: Type.Array(Type.Enum(QUEUES), { minItems: 1 }),
  workflowBundle: Text,
}

interface TemporalSettings {
  temporalAddress: string
  temporalNamespace: string
  temporalQueueSuffix: string
  temporalApiKey: string | null
  temporalTls: boolean
  temporalTlsServerCaCertPath: string | null
  temporalTlsServerName: string | null
  temporalTlsClientCertPath: string | null
  temporalTlsClientKeyPath: string | null
  encryptionKey: string
}

export function temporalIn(env: NodeJS.ProcessEnv, list: (name: string, otherwise: string) => string[]) {
  const secured = {
    temporalApiKey: env.TEMPORAL_API_KEY || null,
    temporalTlsServerCaCertPath: env.TEMPORAL_TLS_SERVER_CA_CERT_PATH || null,
    temporalTlsServerName: env.TEMPORAL_TLS_SERVER_NAME || null,
    temporalTlsClientCertPath: env.TEMPORAL_TLS_CLIENT_CERT_PATH || null,
    temporalTlsClientKeyPath: env.TEMPORAL_TLS_CLIENT_KEY_PATH || null,
  }
  const isSecured = Object.values(secured).some((value) => value !== null)
  return {
    temporalAddress: env.TEMPORAL_ADDRESS || '127.0.0.1:7233',
    temporalNamespace: env.TEMPORAL_NAMESPACE || 'default',
    temporalQueueSuffix: env.TEMPORAL_QUEUE_SUFFIX ?? '',
    temporalTls: ({ true: true, false: false, '': isSecured } as Record<string, boolean>)[env.TEMPORAL_TLS ?? ''],
    ...secured,
    workerQueues: list('WORKER_QUEUES', QUEUES.join()),
    workflowBundle: env.WORKFLOW_BUNDLE || null,
  }
}

/** How Temporal is reached, and what of it is served. Throws an Error that names what does not fit together or cannot be read. */
export function temporalOf(settings: TemporalSettings) {
  const { temporalAddress: address, temporalNamespace: namespace, temporalQueueSuffix: queueSuffix } = settings
  const { encryptionKey, temporalApiKey: apiKey } = settings
  return { address, namespace, queueSuffix, encryptionKey, apiKey, tls: tlsOf(settings) }
}

function tlsOf(settings: TemporalSettings): TemporalTls | null {
  const named: Record<string, string | null> = {
    TEMPORAL_API_KEY: settings.temporalApiKey,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: settings.temporalTlsServerCaCertPath,
    TEMPORAL_TLS_SERVER_NAME: settings.temporalTlsServerName,
    TEMPORAL_TLS_CLIENT_CERT_PATH: settings.temporalTlsClientCertPath,
    TEMPORAL_TLS_CLIENT_KEY_PATH: settings.temporalTlsClientKeyPath,
  }
  if (!settings.temporalTls) {
    const [set] = Object.entries(named).find(([, value]) => value !== null) ?? []
    if (set) throw wrong('TEMPORAL_TLS', `must not be false, because ${set} is set, which is for TLS alone`)
    return null
  }
  const { temporalTlsClientCertPath: cert, temporalTlsClientKeyPath: key } = settings
  if (cert !== null && key === null)
    throw wrong('TEMPORAL_TLS_CLIENT_KEY_PATH', 'must be set, because TEMPORAL_TLS_CLIENT_CERT_PATH is')
  if (key !== null && cert === null)
    throw wrong('TEMPORAL_TLS_CLIENT_CERT_PATH', 'must be set, because TEMPORAL_TLS_CLIENT_KEY_PATH is')
  const serverCa = fileOf('TEMPORAL_TLS_SERVER_CA_CERT_PATH', settings.temporalTlsServerCaCertPath)
  if (serverCa !== null) certificateIn('TEMPORAL_TLS_SERVER_CA_CERT_PATH', serverCa)
  return { serverCa, client: clientOf(cert, key), serverName: settings.temporalTlsServerName }
}

function clientOf(certPath: string | null, keyPath: string | null): TemporalTls['client'] {
  const cert = fileOf('TEMPORAL_TLS_CLIENT_CERT_PATH', certPath)
  const key = fileOf('TEMPORAL_TLS_CLIENT_KEY_PATH', keyPath)
  if (cert === null || key === null) return null
  const certificate = certificateIn('TEMPORAL_TLS_CLIENT_CERT_PATH', cert)
  const isOfCertificate = attempt('TEMPORAL_TLS_CLIENT_KEY_PATH', 'is no private key in PEM', () =>
    certificate.checkPrivateKey(createPrivateKey(key)),
  )
  if (!isOfCertificate)
    throw wrong('TEMPORAL_TLS_CLIENT_KEY_PATH', 'is not the key of the certificate in TEMPORAL_TLS_CLIENT_CERT_PATH')
  return { cert, key }
}

const fileOf = (name: string, path: string | null) =>
  path === null ? null : attempt(name, 'cannot be read', () => readFileSync(path, 'utf8'))

const certificateIn = (name: string, pem: string) =>
  attempt(name, 'is no certificate in PEM', () => new X509Certificate(pem))

function attempt<T>(name: string, what: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw wrong(name, `${what} (${(error as Error).message})`)
  }
}

const wrong = (name: string, what: string) => new Error(`Invalid settings:\n  ${name}: ${what}`)
