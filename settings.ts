// Reads and validates the environment: every setting of the service, with its default.
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { isZone } from './domain/dates.ts'
import { mailAddress } from './domain/mail-address.ts'
import type { TickPlan } from './domain/tick.ts'
import { isAddressRange } from './gateways/webhook/address-range.ts'
import { TEMPORAL_SETTINGS, temporalIn, temporalOf } from './settings-temporal.ts'

export { temporalOf }

const MailAddress = Type.Refine(
  Type.String(),
  (text) => mailAddress(text) !== null,
  () => 'must be an address such as books@example.com',
)

export const NO_DATABASE_URL = 'must be an address such as postgres://user:password@host:5432/bahi'
/** Whether the text is the address of a PostgreSQL database. */
export const isDatabaseUrl = (text: string): boolean => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text)

export const Settings = Type.Object({
  port: Type.Integer({ minimum: 0, maximum: 65535 }),
  host: Type.String({ minLength: 1 }),
  healthPort: Type.Union([Type.Integer({ minimum: 1, maximum: 65535 }), Type.Null()]),
  healthPortOnly: Type.Boolean(),
  databaseUrl: Type.Refine(Type.String(), isDatabaseUrl, () => NO_DATABASE_URL),
  databasePool: Type.Integer({ minimum: 1, maximum: 500 }),
  databaseWriters: Type.Union([Type.Integer({ minimum: 1, maximum: 500 }), Type.Null()]),
  ...TEMPORAL_SETTINGS,
  redisUrl: Type.Union([Type.String(), Type.Null()]),
  azureStorageConnectionString: Type.Union([
    Type.String({ pattern: 'AccountKey=|UseDevelopmentStorage=true' }),
    Type.Null(),
  ]),
  azureStorageContainer: Type.String({ pattern: '^[a-z0-9](-?[a-z0-9]){2,62}$' }),
  azureStoragePublicUrl: Type.Union([Type.String({ pattern: '^https?://[^/]+/?$' }), Type.Null()]),
  maxUploadBytes: Type.Integer({ minimum: 1, maximum: 2 ** 30 }),
  maxAttachments: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }),
  maxAttachmentBytes: Type.Integer({ minimum: 0 }),
  encryptionKey: Type.String({ pattern: '^[A-Za-z0-9+/]{43}=(,[A-Za-z0-9+/]{43}=)*$' }),
  publicUrl: Type.Union([Type.String(), Type.Null()]),
  otelExporterOtlpEndpoint: Type.Union([Type.String({ pattern: '^https?://[^/]+' }), Type.Null()]),
  logLevel: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']),
  rowMemoryMb: Type.Integer({ minimum: 0, maximum: 65_536 }),
  maxConnections: Type.Integer({ minimum: 1 }),
  maxConnectionsPerAddress: Type.Integer({ minimum: 1 }),
  shutdownSeconds: Type.Integer({ minimum: 1, maximum: 600 }),
  rateLimitDefault: Type.Integer({ minimum: 1 }),
  rateLimitPartner: Type.Integer({ minimum: 1 }),
  trustedProxies: Type.Array(
    Type.Refine(Type.String(), isAddressRange, () => 'must be address ranges such as 10.0.0.0/8 or fd00::/8'),
  ),
  bulkWaitSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 58 }),
  retainBulk: Type.Integer({ minimum: 0 }),
  retainConversions: Type.Integer({ minimum: 0 }),
  retainEvents: Type.Integer({ minimum: 0 }),
  retainIdempotency: Type.Integer({ minimum: 0 }),
  retainRequests: Type.Integer({ minimum: 0 }),
  webhookLadderSeconds: Type.Array(Type.Number({ minimum: 0 })),
  webhookTimeoutSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 240 }),
  webhookAllowCidrs: Type.Array(Type.String()),
  webhookAllowHttp: Type.Boolean(),
  webhookCircuitFailures: Type.Integer({ minimum: 1 }),
  webhookCircuitFirstSeconds: Type.Number({ exclusiveMinimum: 0 }),
  webhookCircuitLongestSeconds: Type.Number({ exclusiveMinimum: 0 }),
  webhookDnsServers: Type.Array(Type.String({ pattern: '^[0-9A-Fa-f.:\\[\\]]+$' })),
  sendgridApiKey: Type.Union([Type.String({ pattern: '^[\\x21-\\x7e]+$' }), Type.Null()]),
  mailApiUrl: Type.Union([Type.String({ pattern: '^https?://[^\\s#?]+$' }), Type.Null()]),
  mailFrom: Type.Union([MailAddress, Type.Null()]),
  mailDailyLimit: Type.Integer({ minimum: 1 }),
  mailEventsPublicKey: Type.Union([Type.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$', maxLength: 1000 }), Type.Null()]),
  mailTimeoutSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 25 }),
  retainMail: Type.Integer({ minimum: 0 }),
  eInvoiceTimeoutSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 120 }),
  eInvoiceRetrySeconds: Type.Number({ exclusiveMinimum: 0, maximum: 3_600 }),
  pdfEngine: Type.Enum(['auto', 'embedded', 'soffice']),
  pdfWarmUp: Type.Boolean(),
  retainPdf: Type.Integer({ minimum: 0 }),
  paymentLinkBaseUrl: Type.Union([Type.String({ pattern: '^https?://[^\\s#]+$' }), Type.Null()]),
  paymentLinkSecret: Type.Union([Type.String({ minLength: 16 }), Type.Null()]),
  recurringTick: Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' }),
  recurringZone: Type.Refine(Type.String(), isZone, () => 'must be an IANA time zone such as Asia/Kolkata'),
  recurringTickSeconds: Type.Union([Type.Number({ exclusiveMinimum: 0, maximum: 86_400 }), Type.Null()]),
})
export type Settings = Static<typeof Settings>

const checked = Compile(Settings)

/** How long pools and clients may take to close after SHUTDOWN_SECONDS; then the process exits. */
export const CLOSE_SECONDS = 3

/**
 * Reads the settings from an environment.
 * Throws an Error that names every invalid variable.
 */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const number = (name: string, otherwise: number) => (env[name] ? Number(env[name]) : otherwise)
  const list = (name: string, otherwise: string) => listOf(env[name] ?? otherwise)
  const flag = (name: string) => ({ true: true, false: false, '': false })[env[name] ?? ''] as boolean
  const settings = {
    port: number('PORT', 8080),
    host: env.HOST || '127.0.0.1',
    healthPort: env.HEALTH_PORT ? Number(env.HEALTH_PORT) : null,
    healthPortOnly: flag('HEALTH_PORT_ONLY'),
    databaseUrl: env.DATABASE_URL ?? '',
    databasePool: number('DATABASE_POOL', 20),
    databaseWriters: env.DATABASE_WRITERS ? Number(env.DATABASE_WRITERS) : null,
    ...temporalIn(env, list),
    redisUrl: env.REDIS_URL || null,
    azureStorageConnectionString: env.AZURE_STORAGE_CONNECTION_STRING || null,
    azureStorageContainer: env.AZURE_STORAGE_CONTAINER || 'bahi',
    azureStoragePublicUrl: env.AZURE_STORAGE_PUBLIC_URL || null,
    maxUploadBytes: number('MAX_UPLOAD_BYTES', 26_214_400),
    maxAttachments: number('MAX_ATTACHMENTS', 100_000),
    maxAttachmentBytes: number('MAX_ATTACHMENT_BYTES', 20 * 2 ** 30),
    encryptionKey: list('ENCRYPTION_KEY', '').join(),
    publicUrl: env.PUBLIC_URL || null,
    otelExporterOtlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT || null,
    logLevel: env.LOG_LEVEL || 'info',
    rowMemoryMb: number('ROW_MEMORY_MB', 64),
    maxConnections: number('MAX_CONNECTIONS', 2000),
    maxConnectionsPerAddress: number('MAX_CONNECTIONS_PER_ADDRESS', 500),
    shutdownSeconds: number('SHUTDOWN_SECONDS', 10),
    rateLimitDefault: number('RATE_LIMIT_DEFAULT', 600),
    rateLimitPartner: number('RATE_LIMIT_PARTNER', 3000),
    trustedProxies: list('TRUSTED_PROXIES', ''),
    bulkWaitSeconds: number('BULK_WAIT_SECONDS', 58),
    retainBulk: number('RETAIN_BULK', 90),
    retainConversions: number('RETAIN_CONVERSIONS', 90),
    retainEvents: number('RETAIN_EVENTS', 90),
    retainIdempotency: number('RETAIN_IDEMPOTENCY', 1),
    retainRequests: number('RETAIN_REQUESTS', 7),
    webhookLadderSeconds: list('WEBHOOK_LADDER_SECONDS', '30,300,1800,7200,21600,86400').map(Number),
    webhookTimeoutSeconds: number('WEBHOOK_TIMEOUT_SECONDS', 10),
    webhookAllowCidrs: list('WEBHOOK_ALLOW_CIDRS', ''),
    webhookAllowHttp: flag('WEBHOOK_ALLOW_HTTP'),
    webhookCircuitFailures: number('WEBHOOK_CIRCUIT_FAILURES', 20),
    webhookCircuitFirstSeconds: number('WEBHOOK_CIRCUIT_FIRST_SECONDS', 30),
    webhookCircuitLongestSeconds: number('WEBHOOK_CIRCUIT_LONGEST_SECONDS', 3_600),
    webhookDnsServers: list('WEBHOOK_DNS_SERVERS', ''),
    ...mailIn(env, number),
    ...documentSettings(env, number),
    recurringTick: env.RECURRING_TICK || '09:00',
    recurringZone: env.RECURRING_ZONE || 'Asia/Kolkata',
    recurringTickSeconds: env.RECURRING_TICK_SECONDS ? Number(env.RECURRING_TICK_SECONDS) : null,
  }
  if (!checked.Check(settings)) throw invalid(checked.Errors(settings))
  if (mailOf(settings) === null && (settings.sendgridApiKey ?? settings.mailApiUrl) !== null)
    throw new Error('Invalid settings:\n  MAIL_FROM: must be set, because SENDGRID_API_KEY or MAIL_API_URL is')
  // Only to refuse what cannot be used.
  temporalOf(settings)
  return settings
}

const mailIn = (env: NodeJS.ProcessEnv, number: (name: string, otherwise: number) => number) => ({
  sendgridApiKey: env.SENDGRID_API_KEY || null,
  mailApiUrl: env.MAIL_API_URL || null,
  mailFrom: env.MAIL_FROM || null,
  mailDailyLimit: number('MAIL_DAILY_LIMIT', 2_000),
  mailEventsPublicKey: env.MAIL_EVENTS_PUBLIC_KEY || null,
  mailTimeoutSeconds: number('MAIL_TIMEOUT_SECONDS', 15),
  retainMail: number('RETAIN_MAIL', 365),
})

/** The Error that names every invalid variable. */
export function invalid(errors: { instancePath: string; message: string }[]): Error {
  const problems = errors.map((problem) => `${variableOf(problem.instancePath)}: ${problem.message}`)
  return new Error(`Invalid settings:\n  ${problems.join('\n  ')}`)
}

export const listOf = (text = '') => text.split(',').flatMap((part) => part.trim() || [])

const documentSettings = (env: NodeJS.ProcessEnv, number: (name: string, otherwise: number) => number) => ({
  eInvoiceTimeoutSeconds: number('E_INVOICE_TIMEOUT_SECONDS', 30),
  eInvoiceRetrySeconds: number('E_INVOICE_RETRY_SECONDS', 30),
  pdfEngine: env.PDF_ENGINE || 'auto',
  pdfWarmUp: ({ true: true, false: false, '': true } as Record<string, boolean>)[env.PDF_WARM_UP ?? ''],
  retainPdf: number('RETAIN_PDF', 30),
  paymentLinkBaseUrl: env.PAYMENT_LINK_BASE_URL || null,
  paymentLinkSecret: env.PAYMENT_LINK_SECRET || null,
})

/** When recurring schedules run. */
export const tickPlanOf = (settings: Settings): TickPlan => ({
  time: settings.recurringTick,
  zone: settings.recurringZone,
  everySeconds: settings.recurringTickSeconds,
})

/** The origin by which others reach the service. */
export const originOf = ({ publicUrl, host, port }: Settings): string =>
  publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Where files and rendered documents are kept. */
export const storageOf = (settings: Settings) => ({
  connectionString: settings.azureStorageConnectionString,
  container: settings.azureStorageContainer,
  publicUrl: settings.azureStoragePublicUrl,
})

/** How mail is sent; null where neither SENDGRID_API_KEY nor MAIL_API_URL is set, or MAIL_FROM is missing: mail is off. */
export const mailOf = ({ sendgridApiKey, mailApiUrl, mailFrom, mailDailyLimit, mailTimeoutSeconds }: Settings) =>
  (sendgridApiKey ?? mailApiUrl) === null || mailFrom === null
    ? null
    : {
        apiUrl: mailApiUrl ?? 'https://api.sendgrid.com',
        apiKey: sendgridApiKey,
        from: mailFrom,
        dailyLimit: mailDailyLimit,
        timeoutMs: mailTimeoutSeconds * 1_000,
      }

/** How payment links are made: by default they lead to /pay of the service's own origin. */
export const paymentLinksOf = (settings: Settings) => ({
  baseUrl: settings.paymentLinkBaseUrl ?? `${originOf(settings)}/pay`,
  secret: settings.paymentLinkSecret,
  encryptionKey: settings.encryptionKey,
})

// '/rateLimitDefault' becomes RATE_LIMIT_DEFAULT, the name of the variable that the operator sets.
function variableOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}

/** The settings that only the local run, the tests and migrations use (decisions §9). */
export function readLocalRun(env: NodeJS.ProcessEnv = process.env) {
  return {
    dataDir: resolve(env.DATA_DIR || '.data'),
    cacheDir: join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'bahi'),
    databaseUrl: env.DATABASE_URL || null,
    serviceRole: env.SERVICE_ROLE || null,
    servicePassword: env.SERVICE_PASSWORD || null,
    temporalAddress: env.TEMPORAL_ADDRESS || null,
    redisUrl: env.REDIS_URL || null,
    storageConnectionString: env.AZURE_STORAGE_CONNECTION_STRING || null,
    storageContainer: env.AZURE_STORAGE_CONTAINER || 'bahi',
    encryptionKey: env.ENCRYPTION_KEY || null,
    hasMailProvider: Boolean(env.SENDGRID_API_KEY || env.MAIL_API_URL),
    underNpm: env.npm_lifecycle_event !== undefined,
    ci: env.CI === 'true' || env.CI === '1',
    path: (env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''),
    inherited: env,
  }
}
export type LocalRun = ReturnType<typeof readLocalRun>
