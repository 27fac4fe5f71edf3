// The Temporal engine as the API uses it: the client is loaded and connected by the first call that needs it.
import { fault } from '../domain/faults.ts'
import type { Engine, EngineOptions } from '../gateways/temporal/engine.ts'

export interface EngineOnDemand
  extends Pick<
    Engine,
    'backlogs' | 'convert' | 'render' | 'endFormerSeries' | 'runScheduleNow' | 'startBulk' | 'runBulk' | 'runMail'
  > {
  /** Whether the namespace serves other books, as far as Temporal says now. */
  isRefused(): Promise<boolean>
  close(): Promise<void>
}

/** How long the namespace counts as that of these books before it is asked again. */
const FIT_MS = 60_000
const UNFIT = {
  message: 'The workflows of this service are those of other books at the moment; its operator has to mend that.',
  retryAfter: 60,
}

/**
 * Connects lazily, so that starting the API neither waits for Temporal nor loads its client. Calls that need a workflow get 503
 * where `unfit` says why the namespace is not that of these books; it is asked once a minute at most.
 */
export function engineOnDemand(
  options: EngineOptions,
  unfit: (engine: Engine) => Promise<string | null>,
): EngineOnDemand {
  let opened: Promise<Engine> | null = null
  let fitsUntil = -Infinity
  const open = () =>
    (opened ??= import('../gateways/temporal/engine.ts')
      .then(({ openEngine }) => openEngine(options))
      .catch((error) => {
        // The next call connects again.
        opened = null
        throw error
      }))
  async function fitting(): Promise<Engine> {
    const engine = await open()
    if (performance.now() >= fitsUntil) {
      if ((await unfit(engine)) !== null) throw fault('service.unavailable', UNFIT)
      fitsUntil = performance.now() + FIT_MS
    }
    return engine
  }
  return {
    isRefused: async () => (await unfit(await open())) !== null,
    backlogs: async () => (await open()).backlogs(),
    convert: async (...input) => (await fitting()).convert(...input),
    render: async (...input) => (await fitting()).render(...input),
    endFormerSeries: async (former) => (await open()).endFormerSeries(former),
    runScheduleNow: async (...input) => (await fitting()).runScheduleNow(...input),
    startBulk: async (input) => (await fitting()).startBulk(input),
    runBulk: async (input) => (await fitting()).runBulk(input),
    runMail: async (...input) => (await fitting()).runMail(...input),
    async close() {
      await (await opened?.catch(() => null))?.close()
    },
  }
}
