// Looks at a Temporal that the settings name, before a local run works with it: it may be that of another run.
import { openDatabase } from '../../models/database.ts'
import { booksIdentity } from '../../models/temporal-marks.ts'
import { EngineUnavailable } from '../../gateways/temporal/engine-unavailable.ts'
import { openEngine } from '../../gateways/temporal/engine.ts'
import { unfitPlace } from '../../gateways/temporal/namespace-mark.ts'
import { readSettings, temporalOf } from '../../settings.ts'

/** Throws where it serves other books, or has no such namespace; says what is the matter where it does not answer. */
export async function examineNamedTemporal(environment: NodeJS.ProcessEnv, say: (line: string) => void): Promise<void> {
  const settings = readSettings(environment)
  const place = temporalOf(settings)
  const engine = openEngine(place)
  const database = openDatabase({ url: settings.databaseUrl, pool: 1, name: 'bahi start' })
  try {
    await engine.namespaceId()
    const why = await unfitPlace(engine, await booksIdentity(database), place)
    if (why) throw new Error(why)
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error
    say(
      `nothing answers at ${place.address}, which TEMPORAL_ADDRESS names; if it is of an earlier run: unset TEMPORAL_ADDRESS`,
    )
  } finally {
    await engine.close()
    await database.close()
  }
}
