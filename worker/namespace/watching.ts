// Looks at intervals whether the namespace still serves these books, and whether Temporal has lost its data.
import { EngineUnavailable } from '../../gateways/temporal/engine-unavailable.ts'
import type { Engine } from '../../gateways/temporal/engine.ts'
import { markNamespace, UnfitNamespace, type MarkingDependencies } from './marking.ts'

export interface WatchDependencies extends MarkingDependencies {
  engine: MarkingDependencies['engine'] & Pick<Engine, 'namespaceId'>
  /** Takes up what the Temporal before this mark remembered; null in a process that leaves that to others. */
  takeUp: ((generation: string) => Promise<void>) | null
  /** Called where the namespace serves other books from now on. */
  refuse(why: string): void
}

/** How often the namespace is asked for its id, which is cheap. */
export const WATCH_MS = 5_000
/** How often its mark is read although the id is the same. */
const MARK_MS = 60_000

/** Returns a function to call every WATCH_MS. While Temporal is unavailable it does nothing. */
export function createNamespaceWatch(dependencies: WatchDependencies): () => Promise<void> {
  const { engine, takeUp, refuse } = dependencies
  let settled: { id: string; at: number } | null = null
  return async () => {
    try {
      const id = await engine.namespaceId()
      const at = performance.now()
      if (settled?.id === id && at - settled.at < MARK_MS) return
      settled = null
      const { generation, isLeft } = await markNamespace(dependencies, { quiet: true })
      if (isLeft) await takeUp?.(generation)
      else settled = { id, at }
    } catch (error) {
      if (error instanceof UnfitNamespace) return refuse(error.message)
      if (!(error instanceof EngineUnavailable)) throw error
    }
  }
}
