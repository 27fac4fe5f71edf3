// Work that comes round: each round waits for the one before, and a failed one is told and tried again.
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'

export interface PollLoop {
  /** Does the work as soon as it may, again if it is being done. */
  wake(): void
  stop(): Promise<void>
}

/**
 * Does the work now and then every `everyMs`, never twice at once. However often it is woken, `restMs` passes between
 * the end of one round and the start of the next.
 */
export function startPollLoop(name: string, everyMs: number, log: Logger, work: () => Promise<void>, restMs = 0): PollLoop {
  let stopped = false
  let woken = true
  let failing = false
  let timer: NodeJS.Timeout | undefined
  let wakeUp: (() => void) | undefined

  const sleep = () => new Promise<void>((resolve) => {
    wakeUp = resolve
    timer = setTimeout(resolve, everyMs)
  })

  async function turn(): Promise<void> {
    try {
      await work()
      if (failing) log.info({ round: name }, 'poll loop recovered')
      failing = false
    } catch (error) {
      if (!failing) log.error({ err: error, round: name }, 'poll loop failed; it is retried')
      failing = true
    }
  }

  async function run(): Promise<void> {
    while (!stopped) {
      if (!woken || failing) await sleep()
      clearTimeout(timer)
      woken = false
      if (!stopped) await turn()
      if (!stopped && restMs > 0) await delay(restMs)
    }
  }

  const running = run()
  return {
    wake() {
      woken = true
      if (!failing) wakeUp?.()
    },
    async stop() {
      stopped = true
      wakeUp?.()
      await running
    },
  }
}
