// Lets an operator's command keep what it changes of access in the security log, as the API does.
import type { WriteContext } from '../../commands/books/open-books.ts'
import type { AccessChange } from '../../domain/restoration.ts'
import { openBlobStore } from '../../gateways/storage/azure-blobs.ts'
import { writeChanges } from '../../gateways/storage/security-log.ts'
import { installationOf } from '../../models/installation.ts'
import type { Database } from '../../models/database.ts'
import { readLocalRun } from '../../settings.ts'
import { operatorContext } from '../operator.ts'

interface Keeping {
  context: WriteContext
  keep(changes: readonly AccessChange[]): void
  /** Writes them, where a blob store is configured; where that fails, says what is not kept. */
  kept(): Promise<void>
}

export function keepingContext(database: Database): Keeping {
  const changes: AccessChange[] = []
  const keep = (more: readonly AccessChange[]) => void changes.push(...more)
  return {
    context: { ...operatorContext(database), onAccessChanges: keep },
    keep,
    async kept() {
      const { storageConnectionString: connectionString, storageContainer: container } = readLocalRun()
      if (changes.length === 0 || connectionString === null) return
      const { id } = await installationOf(database)
      const blobs = openBlobStore({ connectionString, container, publicUrl: null })
      await writeChanges(blobs, id, changes, new Date()).catch(() => {
        console.error(
          'The security log in the blob store could not be written. Keep these lines for npm run after-restore -- --security-log FILE:',
        )
        for (const change of changes) console.error(JSON.stringify(change))
      })
    },
  }
}
