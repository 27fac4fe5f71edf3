// Connects the worker to Temporal, to a namespace that serves these books; waits while Temporal or PostgreSQL does not answer.
import { setTimeout as delay } from 'node:timers/promises'
import { NativeConnection } from '@temporalio/worker'
import type { Logger } from 'pino'
import { EngineRefused } from '../../gateways/temporal/namespace-mark.ts'
import { connectionOptionsOf, type TemporalServer } from '../../gateways/temporal/server.ts'
import { UnfitNamespace } from './marking.ts'

const AGAIN_MS = 1_000
/** One that neither answers nor refuses is told of after this time. */
const SILENT_MS = 3_000
/** The pauses between two lines about the same wait double from the first one up to the longest. */
const SAY_AGAIN_MS = { first: 5_000, longest: 60_000 }

/**
 * Connects, and does what has to be done in the namespace before it is served; both again together until they succeed. The log has
 * a line at the first failure, and then at growing intervals. Throws what no repeat would change.
 */
export async function connectToTemporal(
  server: TemporalServer,
  log: Logger,
  prepare: () => Promise<void>,
): Promise<NativeConnection> {
  const begun = Date.now()
  let sayAt = begun
  let pauseMs = SAY_AGAIN_MS.first
  const say = (reason: string) => {
    if (Date.now() < sayAt) return
    log.warn({ seconds: Math.round((Date.now() - begun) / 1_000), reason }, `the worker waits for ${server.address}`)
    sayAt = Date.now() + pauseMs
    pauseMs = Math.min(pauseMs * 2, SAY_AGAIN_MS.longest)
  }
  for (;;) {
    const silent = setTimeout(() => say('no answer'), SILENT_MS)
    // It fails at once where nothing listens; where Temporal refuses, the preparation says why.
    const connected = await NativeConnection.connect(connectionOptionsOf(server)).catch((error: Error) => error)
    if (connected instanceof Error) say(connected.message)
    try {
      await prepare()
      if (!(connected instanceof Error)) return connected
    } catch (error) {
      if (error instanceof EngineRefused || error instanceof UnfitNamespace) throw error
      say((error as Error).message)
    } finally {
      clearTimeout(silent)
    }
    if (!(connected instanceof Error)) await connected.close()
    await delay(AGAIN_MS)
  }
}
