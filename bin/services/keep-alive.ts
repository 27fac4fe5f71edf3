// Keeps a part of the run alive: starts it again when it ends or does not respond.
import { PartRefused } from './part-log.ts'
import { end, lastLines, type StartedServer, sleep } from './process.ts'
import { secondsSince, printLine } from './steps.ts'

export interface RunPart {
  name: string
  log: string
  start(): Promise<StartedServer>
  /** The printed detail of a running part: its address, without a password. */
  detail(server: StartedServer): string
  /** Whether the part responds within PROBE_MS; called every PROBE_MS. A part without it is only watched for its end. */
  answers?(server: StartedServer): Promise<boolean>
  /** Why the process that has ended would end again however often it is started, as it says itself; null where it says nothing of it. */
  refusal?(): string | null
}

/** The interval and the timeout of the probes of a running part. */
export const PROBE_MS = 5_000
/** After so many consecutive failed probes a part is started again. */
export const FAILED_PROBES = 3
/** How long a part that does not respond has to end after its signal; then it is killed. */
export const DEAF_PATIENCE_MS = 5_000

const PATIENCE_MS = 60_000
const TOO_OFTEN = 5
const FIRST_PAUSE_MS = 100
/** So short that a part is back within ten seconds after what ended it is over: it also needs a few seconds to start. */
export const LONGEST_PAUSE_MS = 4_000

/** The pause before a part starts again that has ended so often within a minute. */
export const pauseMs = (ends: number): number => Math.min(FIRST_PAUSE_MS * 4 ** (ends - 1), LONGEST_PAUSE_MS)

/**
 * Watches a part until `stopping`. A part that ends is reported and started again, after 0.1 s the first time and after
 * longer waits, of up to 4 s, if it ends again within a minute. A part that does not respond is ended. If a part ends five times
 * within a minute, the last lines of its log are printed. Throws PartRefused where no repeat would help.
 */
export async function keepAlive(part: RunPart, server: StartedServer | Error, stopping: AbortSignal): Promise<void> {
  let deaths: number[] = []
  let now: StartedServer | Error = server
  while (!stopping.aborted) {
    const how: string = now instanceof Error ? now.message : await endOf(part, now, stopping)
    if (stopping.aborted) return
    const refusal = part.refusal?.() ?? null
    if (refusal !== null) throw new PartRefused(part.name, refusal)
    deaths = [...deaths.filter((at) => at > Date.now() - PATIENCE_MS), Date.now()]
    const waitMs = pauseMs(deaths.length)
    printLine(
      part.name,
      `${now instanceof Error ? 'does not start' : 'ended'} (${how}); starts again in ${waitMs / 1000} s`,
    )
    if (deaths.length === TOO_OFTEN) {
      printLine(
        part.name,
        `has ended ${TOO_OFTEN} times within a minute; the last lines of ${part.log}:\n${lastLines(part.log)}`,
      )
    }
    await sleep(waitMs, stopping)
    if (stopping.aborted) return
    const begun = Date.now()
    now = await part.start().catch((error: Error) => error)
    if (!(now instanceof Error)) printLine(part.name, 'back', part.detail(now), secondsSince(begun))
  }
}

// Resolves when the part has ended, by itself or because it did not respond, with a description of how.
async function endOf(part: RunPart, server: StartedServer, stopping: AbortSignal): Promise<string> {
  const { answers } = part
  if (!answers) return server.process.ended
  const over = new AbortController()
  const ended = server.process.ended.finally(() => over.abort())
  const until = AbortSignal.any([stopping, over.signal])
  let failed = 0
  while (failed < FAILED_PROBES) {
    await sleep(PROBE_MS, until)
    if (until.aborted) return ended
    failed = (await answers(server)) ? 0 : failed + 1
  }
  if (until.aborted) return ended
  printLine(part.name, `does not answer (${FAILED_PROBES} times in a row); is ended`)
  await end(server.process, { patienceMs: DEAF_PATIENCE_MS, hurry: stopping })
  return ended
}
