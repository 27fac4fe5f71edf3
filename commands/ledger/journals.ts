// Finds a journal of the ledger by its id.
import { fault } from '../../domain/faults.ts'
import { existingRow, type Lock, type Scope } from '../../models/find.ts'
import { journals, wasDeleted, withReadLines, type ReadJournal } from '../../models/journal.ts'

/**
 * The journal of this id, with its lines. Throws not_found.resource for one that the organisation does not have, and,
 * unless `includeReversed`, for a manual journal that was deleted and for its reversal (decisions §4, §10).
 */
export async function journalOf(
  scope: Scope,
  id: string,
  { includeReversed }: { includeReversed: boolean },
  lock: Lock = '',
): Promise<ReadJournal> {
  const [journal] = await withReadLines(scope, [await existingRow(scope, journals, id, 'journal', lock)])
  if (!includeReversed && wasDeleted(journal!))
    throw fault('not_found.resource', { message: 'This journal was deleted.' })
  return journal!
}
