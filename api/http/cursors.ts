// Signs the cursors of lists: a cursor is valid only for the list that issued it, with the same filters, order and owner.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { FeedPlace } from '../../models/event-feed.ts'
import type { Place } from '../../models/page.ts'

/** The list, owner, filters and order for which a cursor is valid. */
export interface CursorScope {
  /** The list's path. */
  list: string
  /** The id of the organisation or of the partner whose rows are listed. */
  owner: string
  /** The filters as they were sent, without those that have their default value. */
  filters: Record<string, unknown>
  ascending: boolean
}

export interface Cursors {
  /** The cursor of the page that begins after this place. */
  sign(scope: CursorScope, place: Place): string
  /** The place of a cursor, or null if it was not issued for this scope. */
  read(scope: CursorScope, cursor: string): Place | null
  /** As sign, for the change feed, whose events are in the order of their positions. */
  signPosition(scope: CursorScope, place: FeedPlace): string
  /** As read, for the change feed. */
  readPosition(scope: CursorScope, cursor: string): FeedPlace | null
}

// A cursor is its signature, the time in milliseconds or the position, and the id.
const SIGNATURE_BYTES = 16
const ORDER_BYTES = 8
const ID_BYTES = 16

/**
 * `encryptionKey` is a ring of keys in base64; the signing keys are derived from them, so that neither reveals the other. The
 * first signs, the signatures of each are accepted.
 */
export function createCursors(encryptionKey: string): Cursors {
  const keys = encryptionKey
    .split(',')
    .map((each) => Buffer.from(hkdfSync('sha256', Buffer.from(each, 'base64'), '', 'bahi cursors', 32)))
  const signatureOf = (key: Buffer, { list, owner, filters, ascending }: CursorScope, place: Buffer) =>
    createHmac('sha256', key)
      .update(JSON.stringify([list, owner, Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1)), ascending]))
      .update(place)
      .digest()
      .subarray(0, SIGNATURE_BYTES)

  function signPlace(scope: CursorScope, order: bigint, id: string): string {
    const place = Buffer.alloc(ORDER_BYTES + ID_BYTES)
    place.writeBigInt64BE(order)
    place.write(id.replaceAll('-', ''), ORDER_BYTES, 'hex')
    return Buffer.concat([signatureOf(keys[0]!, scope, place), place]).toString('base64url')
  }

  function readPlace(scope: CursorScope, cursor: string): { order: bigint; id: string } | null {
    const bytes = Buffer.from(cursor, 'base64url')
    // Base64 can encode the same bytes in several ways; only the one that was issued is accepted.
    if (bytes.length !== SIGNATURE_BYTES + ORDER_BYTES + ID_BYTES || bytes.toString('base64url') !== cursor) return null
    const place = bytes.subarray(SIGNATURE_BYTES)
    const signature = bytes.subarray(0, SIGNATURE_BYTES)
    if (!keys.some((key) => timingSafeEqual(signatureOf(key, scope, place), signature))) return null
    const id = place.toString('hex', ORDER_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    return { order: place.readBigInt64BE(), id }
  }

  return {
    sign: (scope, { time, id }) => signPlace(scope, BigInt(Date.parse(time)), id),
    read(scope, cursor) {
      const place = readPlace(scope, cursor)
      return place && { time: new Date(Number(place.order)).toISOString(), id: place.id }
    },
    signPosition: (scope, { position, id }) => signPlace(scope, position, id),
    readPosition(scope, cursor) {
      const place = readPlace(scope, cursor)
      return place && { position: place.order, id: place.id }
    },
  }
}
