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
  /** Writes those that are not written yet, where a blob store is configured; where that fails, says what is not kept. Never throws. */
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
      const unwritten = changes.splice(0)
      if (unwritten.length === 0 || connectionString === null) return
      try {
        const { id } = await installationOf(database)
        await writeChanges(openBlobStore({ connectionString, container, publicUrl: null }), id, unwritten, new Date())
      } catch {
        console.error(
          'The security log in the blob store could not be written. Keep these lines for npm run after-restore -- --security-log FILE:',
        )
        for (const change of unwritten) console.error(JSON.stringify(change))
      }
    },
  }
}
