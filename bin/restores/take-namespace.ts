// Takes a namespace of Temporal over from the database whose place this one has taken.
import { v7 as uuidv7 } from 'uuid'
import { EngineUnavailable } from '../../gateways/temporal/engine-unavailable.ts'
import { openEngine } from '../../gateways/temporal/engine.ts'
import { EngineRefused } from '../../gateways/temporal/namespace-mark.ts'
import type { Database } from '../../models/database.ts'
import { booksIdentity, noteMark } from '../../models/temporal-marks.ts'
import { temporalOf, type Settings } from '../../settings.ts'

/** Workers of the other database stop serving it; those of this one take up all that is under way. Says how it went; returns the exit code. */
export async function takeNamespace(settings: Settings, database: Database): Promise<0 | 1> {
  const place = temporalOf(settings)
  const engine = openEngine(place)
  try {
    const mark = { ...(await booksIdentity(database)), generation: uuidv7() }
    await noteMark(database, mark.generation, true)
    await engine.replaceMark(mark)
    console.error(`Temporal at ${place.address} (namespace ${place.namespace}) serves this database from now on.`)
    return 0
  } catch (error) {
    if (!(error instanceof EngineUnavailable || error instanceof EngineRefused)) throw error
    console.error(
      `The namespace is not taken: ${error.message}. Once it answers: npm run after-restore -- --take-namespace`,
    )
    return 1
  } finally {
    await engine.close()
  }
}
