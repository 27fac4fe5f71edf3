// The database of an operator's command: that of DATABASE_URL, otherwise that of the local run.
import { readLocalRun } from '../settings.ts'
import { readDemoCard } from './services/demo-card.ts'

/** Prints an error and exits with 2 if there is neither. */
export function databaseUrl(): string {
  const { databaseUrl: configured, dataDir } = readLocalRun()
  if (configured) return configured
  const card = readDemoCard(dataDir)
  if (card) return card.database_url
  console.error(
    `DATABASE_URL is not set, and there is no local run in ${dataDir}. Start one with npm start, or set DATABASE_URL.`,
  )
  process.exit(2)
}
