// Whether the namespace of Temporal is that of these books, before the API starts a workflow in it.
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'
import type { MarkedPlace } from '../domain/namespace-mark.ts'
import { atMostEvery } from '../gateways/process-metrics.ts'
import type { Engine } from '../gateways/temporal/engine.ts'
import type { Connection } from '../models/connection.ts'
import { booksIdentity } from '../models/temporal-marks.ts'

/** The calls have limits of their own for a Temporal that does not answer. */
const ASK_MS = 1_000
/** How often the metrics ask at most. */
const ASK_EVERY_MS = 30_000

/**
 * Returns a function that says why it is not, and null where it is, where it has no mark yet, and where that cannot be found out:
 * a call then finds out by itself whether Temporal answers. The reason is logged each time it is asked for.
 */
export function createNamespaceCheck(connection: Connection, place: MarkedPlace, log: Pick<Logger, 'error'>) {
  async function ask(engine: Pick<Engine, 'readMark' | 'readMarkBeside'>): Promise<string | null> {
    // Read each time: a restored database may have taken the place of the one before, under its name.
    const own = await booksIdentity(connection)
    const { unfitPlace } = await import('../gateways/temporal/namespace-mark.ts')
    return unfitPlace(engine, own, place)
  }
  return async (engine: Pick<Engine, 'readMark' | 'readMarkBeside'>): Promise<string | null> => {
    const asked = ask(engine).catch(() => null)
    const why = await Promise.race([asked, setTimeout(ASK_MS, null, { ref: false })])
    if (why !== null) log.error(why)
    return why
  }
}

/** Adds the gauge of whether the namespace serves other books; Temporal is asked at most every 30 seconds. */
export function addNamespaceMetric(registry: Registry, { isRefused }: { isRefused(): Promise<boolean> }): void {
  const read = atMostEvery(ASK_EVERY_MS, isRefused)
  new Gauge({
    name: 'bahi_temporal_namespace_refused',
    help: 'Whether the namespace of Temporal serves other books, so that nothing of these runs there: 1 or 0.',
    registers: [registry],
    async collect() {
      this.set((await read()) ? 1 : 0)
    },
  })
}
