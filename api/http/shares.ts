// What organisations share within one API process, and how much of it each may hold.
import type { Caller } from '../../commands/books/caller.ts'
import { createFairShare, type FairShare } from './fair-share.ts'

const MEGABYTE = 2 ** 20

/**
 * Whoever needs several takes them in this order, and nobody waits for an earlier one while holding a later one:
 * so no circle of waits can come about.
 */
export interface Shares {
  /** Bytes of large bodies, from before they are read until their call is answered. */
  bodies: FairShare
  /** The turn to parse a large body. */
  parsing: FairShare
  /** Answers that are streamed. */
  streams: FairShare
  /** Lists that are too large to be held, and are told at the reader's pace. */
  lists: FairShare
  /** Calls that may write at the same time. */
  writers: FairShare
  /** Calls that may use the database at the same time. */
  calls: FairShare
}

/** The connections of a process, and how many of them may write at the same time. */
export interface ConnectionShare {
  pool: number
  writers: number
}

/** How many transactions write at the same time where nothing else is set: more only take each other's time. */
export const writersOf = (processors: number) => 2 * processors + 1

/** How much there is of each in a process with so many connections, how much of it one may hold, and for how long one waits. */
export function shareSizes({ pool, writers: most }: ConnectionShare) {
  const streams = Math.ceil(pool / 2)
  const writers = Math.min(most, streams)
  return {
    bodies: { total: 32 * MEGABYTE, each: 8 * MEGABYTE, waitSeconds: 5 },
    parsing: { total: 1, each: 1, waitSeconds: 10 },
    streams: { total: streams, each: Math.ceil(streams / 2), waitSeconds: 5 },
    lists: { total: 16, each: 8, waitSeconds: 30 },
    writers: { total: writers, each: Math.ceil(writers * 0.6), waitSeconds: 10 },
    // A few connections stay free for what is asked before a call has its place.
    calls: { total: Math.max(1, pool - 2), each: Math.max(1, Math.ceil(pool / 2)), waitSeconds: 10 },
  } satisfies Record<keyof Shares, object>
}

export function createShares(connections: ConnectionShare): Shares {
  const { bodies, parsing, streams, lists, calls, writers } = shareSizes(connections)
  return {
    bodies: createFairShare({ ...bodies, message: 'Too many large bodies are being read; try again.' }),
    parsing: createFairShare({ ...parsing, message: 'Too many large bodies are waiting to be read; try again.' }),
    streams: createFairShare({ ...streams, message: 'Too many long answers are being read; try again.' }),
    lists: createFairShare({ ...lists, message: 'Too many large lists are being read; try again.' }),
    writers: createFairShare({ ...writers, message: 'Too many calls of this organisation are in progress; try again.' }),
    calls: createFairShare({ ...calls, message: 'Too many calls of this organisation are in progress; try again.' }),
  }
}

/** Whose share a call counts against: its organisation's, or the partner's. */
export function ownerOf({ organization, partnerId }: Pick<Caller, 'organization' | 'partnerId'>): string {
  return organization?.id ?? partnerId ?? ''
}
