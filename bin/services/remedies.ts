// What to do on this machine about a refusal that ends the local run.
import { join } from 'node:path'
import type { LocalRun } from '../../settings.ts'

/** Prints what to do about a part that is refused for this reason, where the reason alone does not say it for a local run. */
export async function printRemedy(local: LocalRun, why: string): Promise<void> {
  const { WRONG_KEY } = await import('../../models/installation.ts')
  const remedy = why === WRONG_KEY ? ofKey(local) : /^Temporal at .* serves /.test(why) ? ofNamespace(local) : null
  if (remedy !== null) console.error(`  Remedy: ${remedy}`)
}

// A command that needs the database and Temporal of the run finds them while npm run dev goes on without its parts.
const MEANWHILE = 'npm run dev keeps the servers up meanwhile'

function ofKey({ dataDir, databaseUrl, encryptionKey }: LocalRun): string {
  const file = join(dataDir, 'encryption.key')
  if (encryptionKey !== null && databaseUrl === null)
    return `the key of this data folder is in ${file}, and ENCRYPTION_KEY in the environment is another one: unset ENCRYPTION_KEY, and npm start again`
  if (encryptionKey !== null) return 'set ENCRYPTION_KEY to the key of the service whose database DATABASE_URL names'
  if (databaseUrl !== null)
    return `set ENCRYPTION_KEY to the key of the service whose database DATABASE_URL names; without it npm start takes ${file}`
  return `${file} is not the key that this data folder began with: put that one back, from a backup of the folder. If it is lost: ${MEANWHILE}`
}

function ofNamespace({ dataDir, temporalAddress }: LocalRun): string | null {
  if (temporalAddress !== null) return `the commands above run beside a npm start that is stopped: ${MEANWHILE}`
  return `remove ${join(dataDir, 'temporal')}, and npm start again: what Temporal had to do is taken up from the books`
}
