// The resources that organisations share in one API process, and how much of them one may hold.
import type { Caller } from '../../commands/books/caller.ts'
import { createFairShare, type FairShare, type Release } from './fair-share.ts'

const MEGABYTE = 2 ** 20

/**
 * A call takes the shares that it needs in this order, and never waits for an earlier one while it holds a later one, so
 * calls cannot deadlock.
 */
export interface Shares {
  /** Bytes of large bodies, taken before they are read and released when their call is answered. */
  bodies: FairShare
  /** Files that are being uploaded, until their calls are answered. */
  uploads: FairShare
  /** The turn to parse a large body. */
  parsing: FairShare
  /** Answers that are streamed. */
  streams: FairShare
  /** Lists that are too large to be held in memory, and are sent at the reader's pace. */
  lists: FairShare
  /** Answers that are files, which may be rendered first, and are sent at the reader's pace. */
  files: FairShare
  /** Calls that may write at the same time. */
  writers: FairShare
  /** Calls that may use the database at the same time. */
  calls: FairShare
}

/** The database connections of a process, and how many of them may write at the same time. */
export interface ConnectionShare {
  pool: number
  writers: number
}

/** The default number of concurrent write transactions: more of them only slow each other down. */
export const writersOf = (processors: number) => 2 * processors + 1

/** The total of each share, the most that one organisation may hold, and how long a call waits for it. */
export function shareSizes({ pool, writers: most }: ConnectionShare) {
  const streams = Math.ceil(pool / 2)
  const writers = Math.min(most, streams)
  return {
    bodies: { total: 32 * MEGABYTE, each: 8 * MEGABYTE, waitSeconds: 5 },
    uploads: { total: 48, each: 6, waitSeconds: 10 },
    parsing: { total: 1, each: 1, waitSeconds: 10 },
    streams: { total: streams, each: Math.ceil(streams / 2), waitSeconds: 5 },
    lists: { total: 16, each: 8, waitSeconds: 30 },
    files: { total: 64, each: 12, waitSeconds: 25 },
    writers: { total: writers, each: Math.ceil(writers * 0.6), waitSeconds: 10 },
    // Two connections stay free for the queries that run before a call takes its share.
    calls: { total: Math.max(1, pool - 2), each: Math.max(1, Math.ceil(pool / 2)), waitSeconds: 10 },
  } satisfies Record<keyof Shares, object>
}

type OnWait = () => () => void

/** `onWait` is called when a call begins to wait for its turn to write; what it returns, when the wait has ended. */
export function createShares(connections: ConnectionShare, onWait: OnWait = () => () => undefined): Shares {
  const { bodies, uploads, parsing, streams, lists, files, calls, writers } = shareSizes(connections)
  return {
    bodies: createFairShare({ ...bodies, message: 'Too many large bodies are being read; try again.' }),
    uploads: createFairShare({ ...uploads, message: 'Too many files are being uploaded; try again.' }),
    parsing: createFairShare({ ...parsing, message: 'Too many large bodies are waiting to be read; try again.' }),
    streams: createFairShare({ ...streams, message: 'Too many long answers are being read; try again.' }),
    lists: createFairShare({ ...lists, message: 'Too many large lists are being read; try again.' }),
    files: createFairShare({ ...files, message: 'Too many files of this organisation are being read; try again.' }),
    writers: timed(createFairShare({ ...writers, message: IN_PROGRESS }), onWait),
    calls: createFairShare({ ...calls, message: IN_PROGRESS }),
  }
}

const IN_PROGRESS = 'Too many calls of this organisation are in progress; try again.'

function timed(share: FairShare, onWait: OnWait): FairShare {
  return {
    ...share,
    take(owner, amount, over): Release | Promise<Release> {
      const hasWaited = onWait()
      const taken = share.take(owner, amount, over)
      if (taken instanceof Promise) return taken.finally(hasWaited)
      hasWaited()
      return taken
    },
  }
}

/**
 * The owner against whose share a call counts: its organisation, the partner, or the person who is signed in without an
 * organisation; empty for a call without authentication.
 */
export function ownerOf({
  organization,
  partnerId,
  session,
}: Pick<Caller, 'organization' | 'partnerId' | 'session'>): string {
  return organization?.id ?? partnerId ?? session?.personId ?? ''
}

/** Runs `work` within the caller's share of concurrent calls. A call without authentication needs no share. */
export function inPlace<T>(server: { shares: Shares }, caller: Caller, work: () => Promise<T>): Promise<T> {
  return inPlaceOf(server, ownerOf(caller), work)
}

/** As inPlace, within the share of calls that write. */
export function inTurnToWrite<T>(server: { shares: Shares }, caller: Caller, work: () => Promise<T>): Promise<T> {
  return inTurnOf(server, ownerOf(caller), work)
}

/** As inPlace, for who is of no organisation: an app, a person, or an address. */
export function inPlaceOf<T>({ shares }: { shares: Shares }, owner: string, work: () => Promise<T>): Promise<T> {
  return within(shares.calls, owner, work)
}

/** As inTurnToWrite, for who is of no organisation. */
export function inTurnOf<T>({ shares }: { shares: Shares }, owner: string, work: () => Promise<T>): Promise<T> {
  return within(shares.writers, owner, () => within(shares.calls, owner, work))
}

async function within<T>(share: FairShare, owner: string, work: () => Promise<T>): Promise<T> {
  if (owner === '') return work()
  const release = await share.take(owner)
  try {
    return await work()
  } finally {
    release()
  }
}
