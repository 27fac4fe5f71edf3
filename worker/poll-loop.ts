// Repeats a piece of work at intervals or when woken; never twice at once, and again after a failure.
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'

export interface PollLoop {
  /** Does the work as soon as possible; once more if it is running now. */
  wake(): void
  /** When the work last succeeded; null before that. */
  lastSuccess(): Date | null
  stop(): Promise<void>
}

/**
 * Does the work now and then every `everyMs`, never twice at once. However often the loop is woken, `restMs` passes between
 * the end of one run and the start of the next. A failure is logged, and the work is tried again after `everyMs`.
 */
export function startPollLoop(
  name: string,
  everyMs: number,
  log: Logger,
  work: () => Promise<void>,
  restMs = 0,
): PollLoop {
  let stopped = false
  let woken = true
  let failing = false
  let succeeded: Date | null = null
  let timer: NodeJS.Timeout | undefined
  let wakeUp: (() => void) | undefined

  const sleep = () =>
    new Promise<void>((resolve) => {
      wakeUp = resolve
      timer = setTimeout(resolve, everyMs)
    })

  async function turn(): Promise<void> {
    try {
      await work()
      if (failing) log.info({ job: name }, 'poll loop recovered')
      failing = false
      succeeded = new Date()
    } catch (error) {
      if (!failing) log.error({ err: error, job: name }, 'poll loop failed; it is retried')
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
    lastSuccess: () => succeeded,
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

/** Does the work of one turn, each part whether those before it have failed or not; then throws what has failed. */
export async function inTurn(parts: (() => Promise<unknown>)[]): Promise<void> {
  const failed: unknown[] = []
  for (const part of parts) await part().catch((error: unknown) => failed.push(error))
  throwAny(failed)
}

export function throwAny(failed: unknown[]): void {
  if (failed.length > 1) throw new AggregateError(failed, failed.map(String).join('; '))
  if (failed.length > 0) throw failed[0]
}
