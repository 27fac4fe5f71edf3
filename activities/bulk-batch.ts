// Decides the rows of a batch: all in one transaction, or one by one where that fails.
import { setTimeout as delay } from 'node:timers/promises'
import { createRow, createRows, failRow, isRefusal } from '../commands/bulk/bulks.ts'
import type { Books } from '../commands/books/books.ts'
import type { Caller } from '../commands/books/caller.ts'
import { openBooks, type WriteContext } from '../commands/books/open-books.ts'
import { Fault, fault } from '../domain/faults.ts'
import { AlreadySettled, type BulkRow, type PendingItem } from '../models/bulk.ts'
import { CallerChanged } from '../models/token.ts'
import { BeginAgain, type BatchTurn } from './batch-turns.ts'

// The pauses before an unexpected error is tried again; after the last the row has failed with internal.error.
const UNEXPECTED_PAUSES_MS = [100, 500, 2_000]

export interface RowsDependencies {
  writeContext: WriteContext
  /** Called when rows are decided. */
  onDecided(counts: { succeeded: number; failed: number }): void
  /** Called for an error that is none of the caller's and not of an unavailable service. */
  onUnexpected(error: unknown, index: number): void
}

/** The caller in whose name the rows are created; replaced where the organisation has changed. */
export interface CurrentCaller {
  caller: Caller
  read(): Promise<void>
}

interface Work {
  dependencies: RowsDependencies
  bulk: BulkRow
  current: CurrentCaller
  turn: BatchTurn
}

/**
 * Creates the documents of the rows, or records their refusals. Throws what can be decided only later; then the rows that are
 * not decided stay pending.
 */
export async function decideBatch(
  dependencies: RowsDependencies,
  bulk: BulkRow,
  current: CurrentCaller,
  items: PendingItem[],
  turn: BatchTurn,
): Promise<void> {
  const work: Work = { dependencies, bulk, current, turn }
  try {
    if (!(await decideTogether(work, items))) for (const item of items) await decideRow(work, item)
    turn.decide()
  } catch (error) {
    turn.fail(error)
    throw error
  }
}

/** Returns false where the rows have to be decided one by one: an error of one of them is the end of the whole transaction. */
async function decideTogether(work: Work, items: PendingItem[]): Promise<boolean> {
  let failed = 0
  const isDone = await untilDone(work, async () => {
    try {
      await write(work, async (books) => void (failed = await createRows(books, work.bulk.entity_type, items)))
      return true
    } catch (error) {
      if (isForAll(error)) throw error
      return false
    }
  })
  if (isDone) work.dependencies.onDecided({ succeeded: items.length - failed, failed })
  else work.turn.giveUp()
  return isDone
}

/** Tries again what is to be tried again whichever row is tried. */
async function untilDone<T>({ current, turn }: Work, attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      turn.giveUp()
      if (error instanceof CallerChanged) await current.read()
      else if (error instanceof BeginAgain) await turn.afterBefore()
      else throw error
    }
  }
}

const isForAll = (error: unknown) =>
  error instanceof CallerChanged || error instanceof BeginAgain || isUnavailable(error)
const isUnavailable = (error: unknown) => error instanceof Fault && error.code === 'service.unavailable'

/** Creates the document of a row, or records its refusal. */
async function decideRow(work: Work, item: PendingItem): Promise<void> {
  const create = (books: Books) => createRow(books, work.bulk.entity_type, item)
  const refusal = await attemptRow(work, item, create)
  const unrecorded = refusal && (await attemptRow(work, item, (books) => failRow(books, item, refusal)))
  if (unrecorded) throw unrecorded
  work.dependencies.onDecided(refusal ? { succeeded: 0, failed: 1 } : { succeeded: 1, failed: 0 })
}

/** Tries until it is decided; returns the refusal, if any. */
async function attemptRow(
  work: Work,
  item: PendingItem,
  change: (books: Books) => Promise<void>,
): Promise<Fault | null> {
  for (let unexpected = 0; ; ) {
    // What untilDone throws itself, such as Suspended, is no error of the row.
    const failure = await untilDone(work, async () => {
      try {
        await write(work, change)
        return null
      } catch (error) {
        if (isForAll(error)) throw error
        work.turn.giveUp()
        return { error }
      }
    })
    // An earlier try of this activity, or one whose commit was not heard of, has decided the row.
    if (failure === null || failure.error instanceof AlreadySettled) return null
    if (isRefusal(failure.error)) return failure.error
    work.dependencies.onUnexpected(failure.error, item.index)
    const pauseMs = UNEXPECTED_PAUSES_MS[unexpected++]
    if (pauseMs === undefined) return fault('internal.error')
    await delay(pauseMs)
  }
}

/** Writes in the turn of the batch: reads at once, and writes when the batch before is decided. */
async function write({ dependencies, current, turn }: Work, change: (books: Books) => Promise<void>): Promise<void> {
  await openBooks(dependencies.writeContext, current.caller, async (books) => {
    turn.begin()
    await change(books)
    await turn.waitToWrite()
  })
}
