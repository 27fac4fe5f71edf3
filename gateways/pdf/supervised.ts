// Keeps one process that converts documents: starts it, watches it, repeats what fails, renews it, and ends it when it is idle.
import type { Logger } from 'pino'
import { fairSemaphore } from '../semaphore.ts'
import type { Converter } from './converter.ts'

/** The engine does not start, is stopping, or too many documents wait for it: the same document may be converted later. */
export class PdfEngineUnavailable extends Error {}

/** The engine could not convert a document, twice. */
export class NotConverted extends Error {}

export interface Supervised {
  /** See PdfEngine. */
  toPdf(flatOdt: Buffer, limits: { timeoutMs: number; owner: string }): Promise<Buffer>
  /** Throws PdfEngineUnavailable where no more documents of the owner may wait. */
  refuseIfFull(owner: string): void
  warmUp(): void
  pid(): number | null
  waiting(): number
  close(): Promise<void>
}

export interface ProcessLimits {
  /** How long the process may take to start. */
  startMs: number
  /** Without work for so long, the process ends: it holds more than a gigabyte. */
  idleMs: number
  /** After so many documents, another process takes its place. */
  renewAfter: number
  /** How many documents may wait, and how many of one owner. */
  mostWaiting: number
  mostOfOwner: number
}

export type EngineLog = Pick<Logger, 'info' | 'warn'>

const START_TRIES = 3
const TRIES = 2

interface Running {
  converter: Converter
  /** How many documents it has converted. */
  done: number
}

export function supervised(
  name: string,
  launch: () => Converter,
  log: EngineLog,
  { startMs, idleMs, renewAfter, mostWaiting, mostOfOwner }: ProcessLimits,
): Supervised {
  const turns = fairSemaphore({ places: 1 })
  const waitingOf = new Map<string, number>()
  let current: Running | null = null
  let idle: NodeJS.Timeout | undefined
  let waiting = 0
  let isClosed = false

  function running(): Running {
    if (current) return current
    const started: Running = { converter: launch(), done: 0 }
    log.info({ engine: name, pid: started.converter.pid }, 'PDF engine started')
    void started.converter.ended.then((how) => {
      if (current?.converter === started.converter) current = null
      log.info({ engine: name, pid: started.converter.pid, how, documents: started.done }, 'PDF engine ended')
    })
    return (current = started)
  }

  async function end(): Promise<void> {
    const ending = current?.converter
    current = null
    ending?.kill()
    await ending?.ended
  }

  function endWhenIdle(): void {
    clearTimeout(idle)
    idle = setTimeout(() => waiting === 0 && void end(), idleMs)
    idle.unref()
  }

  // A start that fails says nothing of a document, and the next one succeeds as a rule.
  async function ready(): Promise<Running> {
    for (let tries = 1; ; tries += 1) {
      if (isClosed) throw new PdfEngineUnavailable('the PDF engine is closed')
      const at = running()
      try {
        await within(startMs, at.converter, at.converter.ready, 'to start')
        return at
      } catch (error) {
        await end()
        const { message } = error as Error
        log.warn({ engine: name, err: message }, 'the PDF engine has not started')
        if (tries === START_TRIES)
          throw new PdfEngineUnavailable(`the PDF engine does not start: ${message}`, { cause: error })
      }
    }
  }

  async function convertBy(at: Running, document: Buffer, timeoutMs: number): Promise<Buffer> {
    try {
      const pdf = await within(timeoutMs, at.converter, at.converter.convert(document), 'for a document')
      if (pdf.subarray(0, 5).toString('latin1') !== '%PDF-') throw new Error('the result is no PDF')
      at.done += 1
      if (at.done >= renewAfter) await end()
      return pdf
    } catch (error) {
      // Whatever has failed, the next document gets a process that has seen none.
      await end()
      log.warn({ engine: name, err: (error as Error).message }, 'the PDF engine has not converted a document')
      throw error
    }
  }

  async function convert(document: Buffer, timeoutMs: number): Promise<Buffer> {
    for (let tries = 1; ; tries += 1) {
      const at = await ready()
      try {
        return await convertBy(at, document, timeoutMs)
      } catch (error) {
        if (tries === TRIES && !isClosed) throw new NotConverted((error as Error).message, { cause: error })
      }
    }
  }

  function refuseIfFull(owner: string): void {
    const own = waitingOf.get(owner) ?? 0
    if (waiting >= mostWaiting || own >= mostOfOwner)
      throw new PdfEngineUnavailable(`${waiting} documents wait for the PDF engine, ${own} of them of the organisation`)
  }

  function enter(owner: string): void {
    refuseIfFull(owner)
    const own = waitingOf.get(owner) ?? 0
    waiting += 1
    waitingOf.set(owner, own + 1)
    clearTimeout(idle)
  }

  function leave(owner: string): void {
    waiting -= 1
    const own = waitingOf.get(owner)! - 1
    if (own > 0) waitingOf.set(owner, own)
    else waitingOf.delete(owner)
    if (waiting === 0) endWhenIdle()
  }

  return {
    async toPdf(document, { timeoutMs, owner }) {
      if (!isFlatOdt(document)) throw new NotConverted('not a flat ODT')
      enter(owner)
      try {
        return await turns.through(owner, () => convert(document, timeoutMs))
      } finally {
        leave(owner)
      }
    },
    refuseIfFull,
    warmUp() {
      if (isClosed) return
      running().converter.ready.catch(() => undefined)
      if (waiting === 0) endWhenIdle()
    },
    pid: () => current?.converter.pid ?? null,
    waiting: () => waiting,
    async close() {
      isClosed = true
      clearTimeout(idle)
      await end()
    },
  }
}

// What is not a document would be printed as the text that it is.
const isFlatOdt = (document: Buffer) => /<office:document[\s>]/.test(document.subarray(0, 4096).toString('latin1'))

async function within<T>(limitMs: number, { ended }: Converter, work: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  work.catch(() => undefined)
  try {
    return await Promise.race([
      work,
      ended.then((how) => Promise.reject(new Error(`the process ended by ${how}`))),
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`it took more than ${limitMs / 1000} seconds ${what}`)), limitMs)
      }),
    ])
  } finally {
    clearTimeout(timer)
  }
}
