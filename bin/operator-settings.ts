// The settings of an operator's command: those of the environment, and for what it lacks those of the local run.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readLocalRun, readSettings, type Settings } from '../settings.ts'
import { explainErrors } from './plain-errors.ts'
import { readDemoCard } from './services/demo-card.ts'

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

/** The environment, and for what it lacks the addresses and the key of the local run, unless DATABASE_URL names another service. */
export function operatorEnvironment(): NodeJS.ProcessEnv {
  const { dataDir, inherited } = readLocalRun()
  const card = inherited.DATABASE_URL ? null : readDemoCard(dataDir)
  const key = join(dataDir, 'encryption.key')
  const local = card && {
    DATABASE_URL: card.database_url,
    TEMPORAL_ADDRESS: card.temporal_address,
    ...(existsSync(key) && { ENCRYPTION_KEY: readFileSync(key, 'utf8').trim() }),
  }
  return { ...local, ...inherited }
}
