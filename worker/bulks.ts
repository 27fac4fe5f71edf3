// Background work for bulks: starts those again whose workflow is gone.
import type { BulkInput } from '../domain/bulk-run.ts'
import type { Engine } from '../gateways/temporal/engine.ts'
import { bulksLeft } from '../models/bulk.ts'
import type { Database } from '../models/database.ts'

interface BulkJobsDependencies {
  connection: Database
  engine: Pick<Engine, 'startBulk'>
  clock(): Date
}

/** The call that stored a younger bulk is about to start it. */
const LEFT_MS = 20_000

/**
 * Starts every stored bulk that is under way: the process that stored it may have died, Temporal may have been unavailable,
 * or its workflow was terminated or lost. A workflow that is running is not disturbed.
 */
export async function startBulksLeft({ connection, engine, clock }: BulkJobsDependencies): Promise<void> {
  for (const bulk of await bulksLeft(connection, new Date(clock().getTime() - LEFT_MS))) {
    const { org_id: orgId, id: bulkId, entity_type: kind, total } = bulk
    await engine.startBulk({ orgId, bulkId, kind, total } satisfies BulkInput)
  }
}
