// A part of the run that is kept alive: started, watched, and started again when it ends.
import { end, lastLines, type Machine, sleep } from './process.ts'
import { secondsSince, tell } from './steps.ts'

export interface Part {
  name: string
  log: string
  start(): Promise<Machine>
  /** What is shown of a running one: its place, without a password. */
  detail(machine: Machine): string
  /** Whether it still answers, within PROBE_MS; asked again and again. A part without it is only watched for its end. */
  answers?(machine: Machine): Promise<boolean>
}

/** How often a running part is asked, and how long for an answer. */
export const PROBE_MS = 5_000
/** So many probes in a row without an answer, and the part is started again. */
export const FAILED_PROBES = 3
/** What does not answer is asked to end, and is killed when it has not after so long. */
export const DEAF_PATIENCE_MS = 5_000

const PATIENCE_MS = 60_000
const TOO_OFTEN = 5
const SLOW_MS = 15_000

/**
 * Watches a running part until `stopping`: each end is told and followed by a new start, at once the first time,
 * then after longer and longer waits. A part that does not answer any more is ended. A part that ends five times within a minute is told about with the
 * last lines of its log, and tried every 15 s from then on.
 */
export async function keepAlive(part: Part, machine: Machine | Error, stopping: AbortSignal): Promise<void> {
  let deaths: number[] = []
  let now: Machine | Error = machine
  while (!stopping.aborted) {
    const how: string = now instanceof Error ? now.message : await endOf(part, now, stopping)
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

// Resolves with words for how it ended, of itself or by us since it did not answer.
async function endOf(part: Part, machine: Machine, stopping: AbortSignal): Promise<string> {
  const { answers } = part
  if (!answers) return machine.process.ended
  const over = new AbortController()
  const ended = machine.process.ended.finally(() => over.abort())
  const until = AbortSignal.any([stopping, over.signal])
  let failed = 0
  while (failed < FAILED_PROBES) {
    await sleep(PROBE_MS, until)
    if (until.aborted) return ended
    failed = (await answers(machine)) ? 0 : failed + 1
  }
  if (until.aborted) return ended
  tell(part.name, `does not answer (${FAILED_PROBES} times in a row); is ended`)
  await end(machine.process, { patienceMs: DEAF_PATIENCE_MS, hurry: stopping })
  return ended
}
