// Background work for bulks: starts those again whose workflow is gone, and deletes old ones.
import type { BulkInput } from '../domain/bulk-run.ts'
import type { Engine } from '../gateways/temporal/engine.ts'
import { bulksLeft, deleteOldBulks } from '../models/bulk.ts'
import type { Database } from '../models/database.ts'

interface BulkJobsDependencies {
  connection: Database
  engine: Pick<Engine, 'startBulk'>
  /** How long completed bulks are kept, in days; 0 for ever. */
  retainBulkDays: number
  clock(): Date
}

/** The call that stored a younger bulk is about to start it. */
const LEFT_MS = 20_000
const DAY_MS = 24 * 60 * 60 * 1_000
/** Each may have thousands of rows. */
const DELETED_AT_ONCE = 20

/**
 * Starts every stored bulk that is under way: the process that stored it may have died, Temporal may have been unavailable,
 * or its workflow was terminated or lost. A workflow that is running is not disturbed.
 */
export async function startBulksLeft({
  connection,
  engine,
  clock,
}: Omit<BulkJobsDependencies, 'retainBulkDays'>): Promise<void> {
  for (const bulk of await bulksLeft(connection, new Date(clock().getTime() - LEFT_MS))) {
    const { org_id: orgId, id: bulkId, entity_type: kind, total } = bulk
    await engine.startBulk({ orgId, bulkId, kind, total } satisfies BulkInput)
  }
}

/** Deletes the bulks that were completed longer ago than they are kept; their documents stay. */
export async function forgetOldBulks({
  connection,
  retainBulkDays,
  clock,
}: Omit<BulkJobsDependencies, 'engine'>): Promise<void> {
  if (retainBulkDays === 0) return
  const before = new Date(clock().getTime() - retainBulkDays * DAY_MS)
  while ((await deleteOldBulks(connection, before, DELETED_AT_ONCE)) === DELETED_AT_ONCE);
}
