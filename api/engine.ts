// The engine as the API has it: its client is loaded and connected by the first call that needs it.
import type { Engine, EngineOptions } from '../gateways/temporal/engine.ts'

export interface EngineOnDemand extends Pick<Engine, 'convert'> {
  close(): Promise<void>
}

/** Starting the API must neither wait for Temporal nor pay for its client. */
export function engineOnDemand(options: EngineOptions): EngineOnDemand {
  let opened: Promise<Engine> | null = null
  const open = () => (opened ??= import('../gateways/temporal/engine.ts').then(({ openEngine }) => openEngine(options)).catch((error) => {
    // The next call tries again.
    opened = null
    throw error
  }))
  return {
    convert: async (...asked) => (await open()).convert(...asked),
    async close() {
      await (await opened?.catch(() => null))?.close()
    },
  }
}
