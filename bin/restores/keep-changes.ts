// Lets an operator's command keep what it changes of access in the security log, as the API does.
import type { WriteContext } from '../../commands/books/open-books.ts'
import type { AccessChange } from '../../domain/restoration.ts'
import { openBlobStore } from '../../gateways/storage/azure-blobs.ts'
import { writeChanges } from '../../gateways/storage/security-log.ts'
import { installationOf } from '../../models/installation.ts'
import type { Database } from '../../models/database.ts'
import { operatorStorage } from '../operator-settings.ts'
import { operatorContext } from '../operator.ts'

interface Keeping {
  context: WriteContext
  keep(changes: readonly AccessChange[]): void
  /** Writes those that are not written yet; where there is no blob store, or it fails, prints them. Never throws. */
  kept(): Promise<void>
}

export function keepingContext(database: Database): Keeping {
  const changes: AccessChange[] = []
  const keep = (more: readonly AccessChange[]) => void changes.push(...more)
  return {
    context: { ...operatorContext(database), onAccessChanges: keep },
    keep,
    async kept() {
      const unwritten = changes.splice(0)
      if (unwritten.length === 0) return
      const storage = operatorStorage()
      if (storage === null) return printUnkept(NO_STORE, unwritten)
      try {
        const { id } = await installationOf(database)
        await writeChanges(openBlobStore(storage), id, unwritten, new Date())
      } catch {
        printUnkept(NOT_WRITTEN, unwritten)
      }
    },
  }
}

const NO_STORE = 'No blob store is configured (AZURE_STORAGE_CONNECTION_STRING), so there is no security log.'
const NOT_WRITTEN = 'The security log in the blob store could not be written.'

/** On stderr, so that what the command answers stays as it is. */
function printUnkept(why: string, changes: readonly AccessChange[]): void {
  console.error(`${why} Keep these lines for npm run after-restore -- --security-log FILE:`)
  for (const change of changes) console.error(JSON.stringify(change))
}
