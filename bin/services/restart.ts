// Restarts a part of the run when its source changes.
import { type EventEmitter, once } from 'node:events'
import type { Watch } from './local-run.ts'
import { end, type StartedServer } from './process.ts'
import { STOP_PATIENCE_MS } from './bahi.ts'
import { concerns } from './source-changes.ts'
import { secondsSince, printLine } from './steps.ts'

/** Emits `change` with the paths of the files that have changed. */
export type Changes = EventEmitter<{ change: [paths: string[]] }>

/**
 * Returns a watch that restarts its part after each change that concerns it. A part that ends by itself or does not start
 * is only started again after the next change, because its source probably has an error.
 */
export function restartAt(changes: Changes, say = printLine): Watch {
  return async (part, started, stopping) => {
    const now: { runs: StartedServer | null } = { runs: null }
    const watch = (server: StartedServer | Error) => {
      if (server instanceof Error) {
        say(part.name, `does not start: ${server.message.split(/[;\n]/, 1)[0]}; retried after the next change`)
        return
      }
      now.runs = server
      void server.process.ended.then((how) => {
        if (now.runs === server && !stopping.aborted) say(part.name, `ended (${how}); restarts after the next change`)
      })
    }
    watch(started)
    for await (const path of changesOf(part.name, changes, stopping)) {
      say(part.name, `restarting: ${path} has changed`)
      const begun = Date.now()
      const old = now.runs
      now.runs = null
      if (old) await end(old.process, { patienceMs: STOP_PATIENCE_MS, hurry: stopping })
      if (stopping.aborted) return
      const restarted = await part.start().catch((error: Error) => error)
      watch(restarted)
      if (!(restarted instanceof Error)) say(part.name, 'back', part.detail(restarted), secondsSince(begun))
    }
  }
}

// Changes that arrive during a restart cause one more restart together.
async function* changesOf(name: string, changes: Changes, stopping: AbortSignal): AsyncGenerator<string> {
  let latest: string | undefined
  changes.on('change', (paths) => {
    latest = paths.find((path) => concerns(name, path)) ?? latest
  })
  while (!stopping.aborted) {
    const path = latest
    latest = undefined
    if (path !== undefined) yield path
    else await once(changes, 'change', { signal: stopping }).catch(() => undefined)
  }
}
