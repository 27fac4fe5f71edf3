// A part of the run that is kept alive: started, watched, and started again when it ends.
import { lastLines, type Machine, sleep } from './process.ts'
import { secondsSince, tell } from './steps.ts'

export interface Part {
  name: string
  log: string
  start(): Promise<Machine>
  /** What is shown of a running one: its place, without a password. */
  detail(machine: Machine): string
}

const PATIENCE_MS = 60_000
const TOO_OFTEN = 5
const SLOW_MS = 15_000

/**
 * Watches a running part until `stopping`: each end is told and followed by a new start, at once the first time,
 * then after longer and longer waits. A part that ends five times within a minute is told about with the
 * last lines of its log, and tried every 15 s from then on.
 */
export async function keepAlive(part: Part, machine: Machine | Error, stopping: AbortSignal): Promise<void> {
  let deaths: number[] = []
  let now: Machine | Error = machine
  while (!stopping.aborted) {
    const how: string = now instanceof Error ? now.message : await now.process.ended
    if (stopping.aborted) return
    deaths = [...deaths.filter((at) => at > Date.now() - PATIENCE_MS), Date.now()]
    const waitMs = deaths.length >= TOO_OFTEN ? SLOW_MS : 100 * 4 ** (deaths.length - 1)
    tell(part.name, `${now instanceof Error ? 'does not start' : 'ended'} (${how}); starts again in ${waitMs / 1000} s`)
    if (deaths.length === TOO_OFTEN) {
      tell(part.name, `has ended ${TOO_OFTEN} times within a minute; the last lines of ${part.log}:\n${lastLines(part.log)}`)
    }
    await sleep(waitMs, stopping)
    if (stopping.aborted) return
    const begun = Date.now()
    now = await part.start().catch((error: Error) => error)
    if (!(now instanceof Error)) tell(part.name, 'back', part.detail(now), secondsSince(begun))
  }
}
