// Lets an operator's command keep what it is about to change of access in the security log, as the API does.
import type { WriteContext } from '../../commands/books/open-books.ts'
import type { AccessLine } from '../../domain/restoration.ts'
import { openBlobStore } from '../../gateways/storage/azure-blobs.ts'
import { isInTime, writeLines } from '../../gateways/storage/security-log.ts'
import { installationOf } from '../../models/installation.ts'
import type { Database } from '../../models/database.ts'
import { operatorStorage } from '../operator-settings.ts'
import { operatorContext } from '../operator.ts'

/** The context of a command that keeps each change. */
export async function keepingContext(database: Database): Promise<WriteContext> {
  // Before a transaction has the one connection of the command.
  const installation = await installationOf(database)
  return {
    ...operatorContext(database),
    async keepAccess(changes) {
      await writeOrPrint(installation, changes)
      return () =>
        void writeOrPrint(
          installation,
          changes.map((change) => ({ not_made: change })),
        )
    },
  }
}

/**
 * Keeps lines before what they say is done. Where there is no blob store, or it fails or does not answer in time, prints them. Never
 * rejects for that.
 */
export async function keepLines(database: Database, lines: readonly AccessLine[]): Promise<void> {
  if (lines.length > 0) await writeOrPrint(await installationOf(database), lines)
}

// A command waits once for a store that does not answer.
let isAway = false

async function writeOrPrint({ id }: { id: string }, lines: readonly AccessLine[]): Promise<void> {
  const storage = operatorStorage()
  if (storage === null) return printUnkept(NO_STORE, lines)
  try {
    isAway ||= !(await isInTime(writeLines(openBlobStore(storage), id, lines, new Date())))
  } catch {
    isAway = true
  }
  if (isAway) printUnkept(NOT_WRITTEN, lines)
}

const NO_STORE = 'No blob store is configured (AZURE_STORAGE_CONNECTION_STRING), so there is no security log.'
const NOT_WRITTEN = 'The security log in the blob store could not be written.'

/** On stderr, so that what the command answers stays as it is. */
function printUnkept(why: string, lines: readonly AccessLine[]): void {
  console.error(`${why} Keep these lines for npm run after-restore -- --security-log FILE:`)
  for (const line of lines) console.error(JSON.stringify(line))
}
