// The journals of the ledger, as they are found.
import { fault } from '../../domain/faults.ts'
import { existingRow, type Lock, type Scope } from '../../models/find.ts'
import { journals, wasDeleted, withReadLines, type ReadJournal } from '../../models/journal.ts'

/**
 * The journal of this id, with its lines. Throws not_found.resource for one that the organisation does not have, and
 * for a manual one that was deleted, or the reversal that deleted it, unless they are asked for (decisions §4, §10).
 */
export async function journalOf(
  scope: Scope, id: string, { includeReversed }: { includeReversed: boolean }, lock: Lock = '',
): Promise<ReadJournal> {
  const [journal] = await withReadLines(scope, [await existingRow(scope, journals, id, 'journal', lock)])
  if (!includeReversed && wasDeleted(journal!)) throw fault('not_found.resource', { message: 'This journal was deleted.' })
  return journal!
}
