// What a process's history says of its timers.
import { defaultPayloadConverter, type Payload } from '@temporalio/common'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import type { Engine } from '../../gateways/temporal/engine.ts'

export interface Timer {
  summary: string
  ms: number
  /** When it was started, by Temporal's clock. */
  at: number
}

/** Every timer that the process started, in order. */
export async function timersOf(engine: Engine, workflowId: string): Promise<Timer[]> {
  const { events } = await engine.client.workflow.getHandle(workflowId).fetchHistory()
  const timers: Timer[] = []
  for (const { timerStartedEventAttributes: timer, userMetadata, eventTime } of events ?? []) {
    if (!timer) continue
    const payload = userMetadata?.summary && (await decrypted(engine, userMetadata.summary))
    const summary = payload ? defaultPayloadConverter.fromPayload<string>(payload) : ''
    const inMs = (time: typeof eventTime) => Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6
    timers.push({ summary, ms: inMs(timer.startToFireTimeout), at: inMs(eventTime) })
  }
  return timers
}

async function decrypted(engine: Engine, payload: Payload): Promise<Payload> {
  let read = payload
  for (const codec of engine.client.options.loadedDataConverter.payloadCodecs) [read = payload] = await codec.decode([read])
  return read
}

/** The message and stack trace of a failure, which Temporal stores encrypted. */
export async function failureText(engine: Engine, { encodedAttributes }: { encodedAttributes?: Payload | null }): Promise<string> {
  return Buffer.from((await decrypted(engine, encodedAttributes!)).data!).toString()
}

interface JsonPayload {
  metadata: Record<string, string>
  data?: string
}

/** Every payload of the history as text, search attributes left out: decrypted, or as Temporal stores it. */
export async function payloadsOf(engine: Engine, workflowId: string, stored: 'decrypted' | 'stored' = 'decrypted'): Promise<string[]> {
  const found: Payload[] = []
  const history = JSON.parse(historyToJSON(await engine.client.workflow.getHandle(workflowId).fetchHistory()))
  JSON.stringify(history, (key, value) => {
    if (key === 'searchAttributes') return
    if (typeof value?.metadata?.encoding !== 'string') return value
    const { metadata, data = '' } = value as JsonPayload
    const bytes = Object.entries(metadata).map(([name, text]) => [name, Buffer.from(text, 'base64')])
    found.push({ metadata: Object.fromEntries(bytes), data: Buffer.from(data, 'base64') })
    return value
  })
  const payloads = stored === 'stored' ? found : await Promise.all(found.map((payload) => decrypted(engine, payload)))
  return payloads.map(({ data }) => Buffer.from(data ?? []).toString())
}

/** Resolves when the process is there and its last timer is the one of this summary. */
export async function untilTimer(engine: Engine, workflowId: string, summary: string, withinMs = 90_000): Promise<void> {
  const last = Date.now() + withinMs
  for (;;) {
    const timers = await timersOf(engine, workflowId).catch(() => [])
    if (timers.at(-1)?.summary === summary) return
    if (Date.now() > last) throw new Error(`no timer "${summary}" within ${withinMs} ms: ${JSON.stringify(timers)}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
