// The environment of the API and the worker of a local run: what was inherited, and where the servers of the run are.
import type { LocalRun } from '../../settings.ts'
import type { Addresses } from './local-servers.ts'
import { MAILBOX_KEY, MAILBOX_SENDER } from './mailbox.ts'

// How a managed Temporal is reached; the local run's own is reached without.
const OF_OTHER_TEMPORALS = {
  TEMPORAL_API_KEY: '',
  TEMPORAL_TLS: '',
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: '',
  TEMPORAL_TLS_SERVER_NAME: '',
  TEMPORAL_TLS_CLIENT_CERT_PATH: '',
  TEMPORAL_TLS_CLIENT_KEY_PATH: '',
}

export function environmentOf(
  local: LocalRun,
  addresses: Addresses,
  { port, encryptionKey, mailEventsKey }: { port: number; encryptionKey: string; mailEventsKey: string | null },
): NodeJS.ProcessEnv {
  const { inherited } = local
  const { databaseUrl, temporalAddress, redisUrl, storageConnectionString, mailboxUrl } = addresses
  return {
    ...inherited,
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    ...(addresses.temporalUiUrl === null ? {} : OF_OTHER_TEMPORALS),
    ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
    AZURE_STORAGE_CONNECTION_STRING: storageConnectionString,
    ENCRYPTION_KEY: encryptionKey,
    ...(mailboxUrl
      ? { MAIL_API_URL: mailboxUrl, SENDGRID_API_KEY: MAILBOX_KEY, MAIL_FROM: inherited.MAIL_FROM || MAILBOX_SENDER }
      : {}),
    ...(mailEventsKey ? { MAIL_EVENTS_PUBLIC_KEY: mailEventsKey } : {}),
    // The local run may send webhooks to receivers on this computer, unless the settings say otherwise.
    WEBHOOK_ALLOW_CIDRS: inherited.WEBHOOK_ALLOW_CIDRS ?? '127.0.0.0/8,::1/128',
    WEBHOOK_ALLOW_HTTP: inherited.WEBHOOK_ALLOW_HTTP ?? 'true',
  }
}
