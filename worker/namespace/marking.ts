// Marks the namespace of Temporal as that of these books, and finds out whether it is still theirs and has its data.
import { v7 as uuidv7 } from 'uuid'
import type { Logger } from 'pino'
import { unfitNamespace, type MarkedPlace } from '../../domain/namespace-mark.ts'
import type { Engine } from '../../gateways/temporal/engine.ts'
import { EngineUnavailable } from '../../gateways/temporal/engine-unavailable.ts'
import { unfitPlace } from '../../gateways/temporal/namespace-mark.ts'
import type { Database } from '../../models/database.ts'
import { booksIdentity, noteMark } from '../../models/temporal-marks.ts'

/** The namespace serves other books; the message is one line for an operator. */
export class UnfitNamespace extends Error {}

export interface MarkingDependencies {
  connection: Database
  engine: Pick<Engine, 'namespaceId' | 'readMark' | 'readMarkBeside' | 'registerSearchAttributes' | 'setMark'>
  place: MarkedPlace
  log: Logger
}

/** The mark of the namespace, and whether something is left to take up of what the Temporal before it remembered. */
export interface Marked {
  generation: string
  isLeft: boolean
}

/**
 * Adds the search attributes that the namespace lacks, and then sets its mark where there is none. Throws UnfitNamespace where it
 * serves other books, EngineRefused, EngineUnavailable, and what PostgreSQL throws.
 */
export async function markNamespace(
  { connection, engine, place, log }: MarkingDependencies,
  { quiet }: { quiet: boolean } = { quiet: false },
): Promise<Marked> {
  const own = await booksIdentity(connection)
  const refuseUnfit = (why: string | null) => {
    if (why !== null) throw new UnfitNamespace(why)
  }
  refuseUnfit(await unfitPlace(engine, own, place))
  const found = await engine.readMark()
  await engine.registerSearchAttributes().then(
    (added) => added.length > 0 && log.info({ added }, 'search attributes registered'),
    (error: Error) => {
      if (error instanceof EngineUnavailable) throw error
      if (!quiet) log.warn({ err: error.message }, 'search attributes could not be registered')
    },
  )
  const mark = found ?? (await engine.setMark({ ...own, generation: uuidv7() }))
  refuseUnfit(unfitNamespace(own, mark, place))
  // A copy with a suffix and its original without one mark two places: each looks at the other's after setting its own.
  if (!found) refuseUnfit(await unfitPlace(engine, own, place))
  const { generation } = mark
  return { generation, isLeft: await noteMark(connection, generation) }
}
