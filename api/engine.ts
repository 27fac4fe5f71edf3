// The Temporal engine as the API uses it: the client is loaded and connected by the first call that needs it.
import type { Engine, EngineOptions } from '../gateways/temporal/engine.ts'

export interface EngineOnDemand
  extends Pick<
    Engine,
    'convert' | 'render' | 'endFormerSeries' | 'runScheduleNow' | 'startBulk' | 'runBulk' | 'runMail'
  > {
  close(): Promise<void>
}

/** Connects lazily, so that starting the API neither waits for Temporal nor loads its client. */
export function engineOnDemand(options: EngineOptions): EngineOnDemand {
  let opened: Promise<Engine> | null = null
  const open = () =>
    (opened ??= import('../gateways/temporal/engine.ts')
      .then(({ openEngine }) => openEngine(options))
      .catch((error) => {
        // The next call connects again.
        opened = null
        throw error
      }))
  return {
    convert: async (...input) => (await open()).convert(...input),
    render: async (...input) => (await open()).render(...input),
    endFormerSeries: async (former) => (await open()).endFormerSeries(former),
    runScheduleNow: async (...input) => (await open()).runScheduleNow(...input),
    startBulk: async (input) => (await open()).startBulk(input),
    runBulk: async (input) => (await open()).runBulk(input),
    runMail: async (...input) => (await open()).runMail(...input),
    async close() {
      await (await opened?.catch(() => null))?.close()
    },
  }
}
