// The activity of PDFs: renders a document into the blob store.
import { ApplicationFailure } from '@temporalio/activity'
import { renderedKey, NOT_RENDERED, type RenderedFile, type RenderInput } from '../domain/render-run.ts'
import type { PdfEngine } from '../gateways/pdf/engine.ts'
import { merge, MergeFailed } from '../gateways/pdf/merge.ts'
import { NotConverted, PdfEngineUnavailable } from '../gateways/pdf/supervised.ts'
import type { BlobStore } from '../gateways/storage/blobs.ts'
import type { Database } from '../models/database.ts'
import { findPrintKey } from '../reports/print/print-key.ts'
import { readPrinted } from '../reports/print/printed.ts'
import { withHeartbeat } from './heartbeat.ts'
import { unknownRow } from './unknown-row.ts'

export interface RenderDependencies {
  connection: Database
  blobs: BlobStore
  pdf: PdfEngine
  /** Is told of each render: how it ended, and how long it took. */
  onRendered(outcome: RenderOutcome, seconds: number): void
}

export type RenderOutcome = 'rendered' | 'failed' | 'postponed'

/** How long the engine may take for one document. One of 500 lines takes about a second. */
const DOCUMENT_MS = 60_000
/** A document that has stopped the engine twice is not tried again for so long, so that it does not hold up the others. */
const REFUSED_MS = 600_000
const MOST_REFUSED = 1_000
const BUSY_RETRY = '1 second'
/** While the engine has no room, one try in so many looks whether the file has come meanwhile, beginning with the first. */
const LOOK_AGAIN = 10

export function renderActivities(dependencies: RenderDependencies) {
  const { connection, blobs, pdf } = dependencies
  const refused = new Map<string, { message: string; until: number }>()
  const underWay = new Map<string, Promise<RenderedFile>>()

  async function stored(key: string): Promise<number | null> {
    const blob = await blobs.read(key)
    blob?.body.destroy()
    return blob?.bytes ?? null
  }

  /** Throws where the engine has no room for the owner; where that is so, a file that is there already needs none. */
  async function fileUnlessRoom(input: RenderInput, attempt: number): Promise<RenderedFile | null> {
    try {
      pdf.refuseIfFull(input.orgId)
      return null
    } catch (error) {
      if (attempt % LOOK_AGAIN !== 1) throw error
      const current = await findPrintKey({ connection, orgId: input.orgId }, input.kind, input.id, input.template)
      const key = current && renderedKey(input, current)
      const bytes = key === null ? null : await stored(key)
      if (key === null || bytes === null) throw error
      return { key, bytes, version: current!.version, number: current!.number }
    }
  }

  async function render(input: RenderInput, attempt: number): Promise<RenderedFile> {
    const { orgId } = input
    // Many at once come here every second until it is their turn: reading and merging in vain would take what the others need.
    const kept = await fileUnlessRoom(input, attempt)
    if (kept) return kept
    // The file is named by what is read together with what is printed, so its name is right whatever changes meanwhile.
    const printed = await readPrinted({ database: connection, orgId }, input.kind, input.id, input.template)
    if (!printed) throw unknownRow(`there is no ${input.kind} ${input.id}`, 'UnknownDocument')
    const { version, number, template, data, pictures } = printed
    const key = renderedKey(input, printed)
    return once(key, async () => {
      const before = refused.get(key)
      const isRefused = before !== undefined && before.until > performance.now()
      // Seldom in vain: who asks has found no file. So it goes on while the blob store answers.
      const merging = isRefused ? null : merge(template, data, pictures as Record<string, Buffer>)
      merging?.catch(() => undefined)
      // Another worker may have rendered what this one could not.
      const there = await stored(key)
      if (there !== null) return { key, bytes: there, version, number }
      if (!merging) throw new NotConverted(before!.message)
      pdf.warmUp()
      const file = await convert(orgId, key, merging)
      await blobs.write(key, file, { contentType: 'application/pdf' })
      return { key, bytes: file.length, version, number }
    })
  }

  // Workflows of two versions, or a workflow and a mail, may come to the same file.
  function once(key: string, make: () => Promise<RenderedFile>): Promise<RenderedFile> {
    const made = underWay.get(key) ?? make().finally(() => underWay.delete(key))
    underWay.set(key, made)
    return made
  }

  async function convert(owner: string, key: string, merged: Promise<Buffer>): Promise<Buffer> {
    try {
      return await pdf.toPdf(await merged, { timeoutMs: DOCUMENT_MS, owner })
    } catch (error) {
      if (error instanceof NotConverted) {
        refused.delete(key)
        refused.set(key, { message: error.message, until: performance.now() + REFUSED_MS })
        const [oldest] = refused.keys()
        if (refused.size > MOST_REFUSED && oldest !== undefined) refused.delete(oldest)
      }
      throw error
    }
  }

  return {
    /**
     * Renders a document as it is now, unless its file is in the blob store already, whatever the engine said of it before. Every error but NOT_RENDERED is of a
     * service that is unavailable, and passes.
     */
    async renderDocument(input: RenderInput): Promise<RenderedFile> {
      const begunAt = performance.now()
      const ended = (outcome: RenderOutcome) => dependencies.onRendered(outcome, (performance.now() - begunAt) / 1000)
      try {
        const file = await withHeartbeat(({ info }) => render(input, info.attempt))
        ended('rendered')
        return file
      } catch (error) {
        const isFinal = error instanceof NotConverted || error instanceof MergeFailed
        ended(isFinal ? 'failed' : 'postponed')
        throw failureOf(error, isFinal)
      }
    },
  }
}

function failureOf(error: unknown, isFinal: boolean): unknown {
  const { message } = error as Error
  if (isFinal) return ApplicationFailure.nonRetryable(message, NOT_RENDERED)
  if (error instanceof PdfEngineUnavailable)
    return ApplicationFailure.create({ message, type: 'PdfEngineUnavailable', nextRetryDelay: BUSY_RETRY })
  return error
}
