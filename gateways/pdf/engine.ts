// The engine of PDFs: a process for short documents, and one beside it for long ones, which would hold up the others.
import type { Converter } from './converter.ts'
import { embeddedConverter, hasEmbedded } from './embedded.ts'
import { findSoffice, sofficeConverter } from './soffice.ts'
import { supervised, type EngineLog, type ProcessLimits, type Supervised } from './supervised.ts'

export interface PdfEngine {
  name: 'embedded' | 'soffice'
  /**
   * Converts a document, a flat ODT, to a tagged PDF. Short documents are converted one after the other, in turns of their owners,
   * and so are long ones, beside them. One that takes longer than `timeoutMs` is repeated in a new process. Throws NotConverted,
   * and PdfEngineUnavailable.
   */
  toPdf(flatOdt: Buffer, limits: { timeoutMs: number; owner: string }): Promise<Buffer>
  /** Throws PdfEngineUnavailable where a short document of the owner could not wait: before anything is done for it. */
  refuseIfFull(owner: string): void
  /** Starts the process for short documents, for one that is about to come. */
  warmUp(): void
  /** The process ids of the processes that run now. */
  pids(): number[]
  waiting(): number
  close(): Promise<void>
}

export interface EngineSettings {
  engine: 'auto' | 'embedded' | 'soffice'
  /** The folders in which programs are looked for. */
  path: readonly string[]
  log: EngineLog
}

export interface EngineLimits {
  short: ProcessLimits
  long: ProcessLimits
  /** The largest document that is short. */
  shortBytes: number
}

// An invoice of about 120 lines, or of 70 with long descriptions: up to half a second. The largest take twenty times as long.
const SHORT_BYTES = 256 * 1024
const SHORT: ProcessLimits = { startMs: 120_000, idleMs: 300_000, renewAfter: 200, mostWaiting: 100, mostOfOwner: 20 }
const LIMITS: EngineLimits = {
  short: SHORT,
  // Their process is there only while there are such documents. A document that waits has a megabyte.
  long: { ...SHORT, idleMs: 30_000, mostWaiting: 40, mostOfOwner: 10 },
  shortBytes: SHORT_BYTES,
}
// How far they stand back: calls of the API on the same machine go first, then short documents.
const NICE = { short: 10, long: 15 }

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
    refuseIfFull: (owner) => engine().refuseIfFull(owner),
    warmUp: () => engine().warmUp(),
    pids: () => chosen?.pids() ?? [],
    waiting: () => chosen?.waiting() ?? 0,
    close: async () => chosen?.close(),
  }
}

const NO_SOFFICE =
  'PDF_ENGINE=soffice, but LibreOffice or its module uno for python3 is missing (Debian: libreoffice-writer-nogui python3-uno)'

/** Why there is no engine of these settings; null where there is one. */
export function enginesMissing({ engine, path }: Pick<EngineSettings, 'engine' | 'path'>): string | null {
  if (engine !== 'embedded' && findSoffice(path)) return null
  if (engine === 'soffice') return NO_SOFFICE
  return hasEmbedded() ? null : 'neither LibreOffice nor the package @matbee/libreoffice-converter is installed'
}

function engineOf({ engine, path, log }: EngineSettings, limits: EngineLimits): PdfEngine {
  const installed = engine === 'embedded' ? null : findSoffice(path)
  if (installed) return inLanes('soffice', (nice) => sofficeConverter(installed, nice), log, limits)
  if (engine === 'soffice') throw new Error(NO_SOFFICE)
  return inLanes('embedded', embeddedConverter, log, limits)
}

function inLanes(
  name: PdfEngine['name'],
  launch: (nice: number) => Converter,
  log: EngineLog,
  { short, long, shortBytes }: EngineLimits,
): PdfEngine {
  const lane = (which: 'short' | 'long', limits: ProcessLimits): Supervised =>
    supervised(`${name}, ${which} documents`, () => launch(NICE[which]), log, limits)
  const [shortLane, longLane] = [lane('short', short), lane('long', long)]
  return {
    name,
    toPdf: (document, about) => (document.length > shortBytes ? longLane : shortLane).toPdf(document, about),
    refuseIfFull: shortLane.refuseIfFull,
    warmUp: shortLane.warmUp,
    pids: () => [shortLane, longLane].flatMap((each) => each.pid() ?? []),
    waiting: () => shortLane.waiting() + longLane.waiting(),
    close: async () => void (await Promise.all([shortLane.close(), longLane.close()])),
  }
}
