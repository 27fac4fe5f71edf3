// The database of an operator's command: that of DATABASE_URL, otherwise that of the local run.
import type { ServiceRole } from '../models/service-role.ts'
import { isDatabaseUrl, NO_DATABASE_URL, readLocalRun } from '../settings.ts'
import { operatorEnvironment } from './operator-settings.ts'
import { explainErrors } from './plain-errors.ts'
import { localMigrating, type Migrating } from './services/local-roles.ts'

/** Prints an error and exits with 2 if there is neither. From then on a database that is away is told in one line. */
export function databaseUrl(): string {
  const url = configuredUrl()
  explainErrors(url)
  return url
}

/**
 * As databaseUrl, for migrations: with DATABASE_URL the role of SERVICE_ROLE is granted what the service does, which has to be
 * there, unless SERVICE_PASSWORD is set; in the local run the owner migrates.
 */
export function migrating(): Omit<Migrating, 'service'> & { service: ServiceRole | null } {
  const url = databaseUrl()
  const { databaseUrl: configured, dataDir, serviceRole, servicePassword } = readLocalRun()
  if (configured === null) return localMigrating(dataDir, url)
  return { url, service: serviceRole === null ? null : { name: serviceRole, password: servicePassword } }
}

function configuredUrl(): string {
  const { databaseUrl: configured, dataDir } = readLocalRun()
  if (configured !== null && isDatabaseUrl(configured)) return configured
  if (configured !== null) {
    console.error(`DATABASE_URL: ${NO_DATABASE_URL}`)
    process.exit(2)
  }
  const { DATABASE_URL: ofRun } = operatorEnvironment()
  if (ofRun) return ofRun
  console.error(
    `DATABASE_URL is not set, and there is no local run in ${dataDir}. Start one with npm start, or set DATABASE_URL.`,
  )
  process.exit(2)
}
