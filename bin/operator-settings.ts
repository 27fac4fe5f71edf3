// The settings of an operator's command: those of the environment, and for what it lacks those of the local run.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readLocalRun, readSettings, type Settings } from '../settings.ts'
import { explainErrors } from './plain-errors.ts'
import { readDemoCard } from './services/demo-card.ts'
import { servicesOf } from './services/run-record.ts'

/** Names every setting that is missing or invalid, and ends the process with 2. A database that is away is told in one line. */
export function operatorSettings(): Settings {
  try {
    const settings = readSettings(operatorEnvironment())
    explainErrors(settings.databaseUrl)
    return settings
  } catch (error) {
    console.error((error as Error).message)
    process.exit(2)
  }
}

/** The environment, and for what it lacks the services and the key of the local run, unless DATABASE_URL names another database. */
export function operatorEnvironment(): NodeJS.ProcessEnv {
  const { dataDir, inherited } = readLocalRun()
  const run = settingsOfRun(dataDir)
  if (inherited.DATABASE_URL && inherited.DATABASE_URL !== run.DATABASE_URL) return inherited
  // What is set to nothing is not set, as for the service.
  const isGiven = ([name, value]: [string, string | undefined]) => value !== '' || !(name in run)
  return { ...run, ...Object.fromEntries(Object.entries(inherited).filter(isGiven)) }
}

/** Where the files of the service are, by the settings of an operator's command; null where no blob store is configured. */
export function operatorStorage(): { connectionString: string; container: string; publicUrl: null } | null {
  const { storageConnectionString: connectionString, storageContainer: container } = readLocalRun(operatorEnvironment())
  return connectionString === null ? null : { connectionString, container, publicUrl: null }
}

// A run of an earlier version has only the card.
function settingsOfRun(dataDir: string): NodeJS.ProcessEnv {
  const card = readDemoCard(dataDir)
  const key = join(dataDir, 'encryption.key')
  return {
    ...(card && { DATABASE_URL: card.database_url, TEMPORAL_ADDRESS: card.temporal_address }),
    ...servicesOf(dataDir),
    ...(existsSync(key) && { ENCRYPTION_KEY: readFileSync(key, 'utf8').trim() }),
  }
}
