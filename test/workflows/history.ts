// What a process's history says of its timers.
import { defaultPayloadConverter } from '@temporalio/common'
import type { Engine } from '../../gateways/temporal/engine.ts'

export interface Timer {
  summary: string
  ms: number
}

/** Every timer that the process started, in order. */
export async function timersOf(engine: Engine, workflowId: string): Promise<Timer[]> {
  const { events } = await engine.client.workflow.getHandle(workflowId).fetchHistory()
  return (events ?? []).flatMap(({ timerStartedEventAttributes: timer, userMetadata }) => {
    if (!timer) return []
    const { seconds, nanos } = timer.startToFireTimeout ?? {}
    const summary = userMetadata?.summary ? defaultPayloadConverter.fromPayload<string>(userMetadata.summary) : ''
    return [{ summary, ms: Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1e6 }]
  })
}

/** Resolves when the process is there and its last timer is the one of this summary. */
export async function untilTimer(engine: Engine, workflowId: string, summary: string, withinMs = 30_000): Promise<void> {
  const last = Date.now() + withinMs
  for (;;) {
    const timers = await timersOf(engine, workflowId).catch(() => [])
    if (timers.at(-1)?.summary === summary) return
    if (Date.now() > last) throw new Error(`no timer "${summary}" within ${withinMs} ms: ${JSON.stringify(timers)}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
