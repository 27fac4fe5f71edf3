// The engine of PDFs: one process that converts a document at a time, watched, repeated, renewed, and ended when it is idle.
import type { Logger } from 'pino'
import { fairSemaphore } from '../semaphore.ts'
import type { Converter } from './converter.ts'
import { embeddedConverter } from './embedded.ts'
import { findSoffice, sofficeConverter } from './soffice.ts'

export interface PdfEngine {
  name: 'embedded' | 'soffice'
  /**
   * Converts a document, a flat ODT, to a tagged PDF. Documents are converted one after the other, in turns of their owners. One
   * that takes longer than `timeoutMs` is repeated in a new process. Throws NotConverted, and PdfEngineUnavailable.
   */
  toPdf(flatOdt: Buffer, limits: { timeoutMs: number; owner: string }): Promise<Buffer>
  /** Starts the process, for a document that is about to come. */
  warmUp(): void
  /** The process id of the process that runs now, if any. */
  pid(): number | null
  waiting(): number
  close(): Promise<void>
}

/** The engine does not start, is stopping, or too many documents wait for it: the same document may be converted later. */
export class PdfEngineUnavailable extends Error {}

/** The engine could not convert a document, twice. */
export class NotConverted extends Error {}

export interface EngineSettings {
  engine: 'auto' | 'embedded' | 'soffice'
  /** The folders in which programs are looked for. */
  path: readonly string[]
  log: Pick<Logger, 'info' | 'warn'>
}

export interface EngineLimits {
  /** How long the process may take to start. */
  startMs: number
  /** Without work for so long, the process ends: it holds more than a gigabyte. */
  idleMs: number
  /** After so many documents, another process takes its place. */
  renewAfter: number
  /** How many documents may wait. */
  mostWaiting: number
}

const LIMITS: EngineLimits = { startMs: 120_000, idleMs: 300_000, renewAfter: 200, mostWaiting: 40 }
const START_TRIES = 3
const TRIES = 2

interface Running {
  converter: Converter
  /** How many documents it has converted. */
  done: number
}

/**
 * The engine of the settings: `auto` takes LibreOffice where it is installed, and looks for it when the first document comes.
 * Throws where `soffice` is asked for and missing.
 */
export function createPdfEngine(settings: EngineSettings, limits: EngineLimits = LIMITS): PdfEngine {
  let chosen: PdfEngine | null = null
  const engine = () => (chosen ??= engineOf(settings, limits))
  if (settings.engine === 'soffice') engine()
  return {
    get name() {
      return engine().name
    },
    toPdf: async (...document) => engine().toPdf(...document),
    warmUp: () => engine().warmUp(),
    pid: () => chosen?.pid() ?? null,
    waiting: () => chosen?.waiting() ?? 0,
    close: async () => chosen?.close(),
  }
}

function engineOf({ engine, path, log }: EngineSettings, limits: EngineLimits): PdfEngine {
  const installed = engine === 'embedded' ? null : findSoffice(path)
  if (installed) return supervised('soffice', () => sofficeConverter(installed), log, limits)
  if (engine === 'soffice')
    throw new Error(
      'PDF_ENGINE=soffice, but LibreOffice or its module uno for python3 is missing (Debian: libreoffice-writer-nogui python3-uno)',
    )
  return supervised('embedded', embeddedConverter, log, limits)
}

/** Keeps one converter: starts it, watches each conversion, and ends it. */
function supervised(
  name: PdfEngine['name'],
  launch: () => Converter,
  log: EngineSettings['log'],
  { startMs, idleMs, renewAfter, mostWaiting }: EngineLimits,
): PdfEngine {
  const turns = fairSemaphore({ places: 1 })
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

  return {
    name,
    async toPdf(document, { timeoutMs, owner }) {
      if (!isFlatOdt(document)) throw new NotConverted('not a flat ODT')
      if (waiting >= mostWaiting) throw new PdfEngineUnavailable(`${waiting} documents wait for the PDF engine`)
      waiting += 1
      clearTimeout(idle)
      try {
        return await turns.through(owner, () => convert(document, timeoutMs))
      } finally {
        waiting -= 1
        if (waiting === 0) endWhenIdle()
      }
    },
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
