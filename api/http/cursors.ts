// Signs the cursors of lists: one is accepted by the list that gave it out alone, with the same filters, order and owner.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Place } from '../../models/page.ts'

/** What a cursor is bound to. */
export interface CursorScope {
  /** The list's path. */
  list: string
  /** Whose rows are walked through: the organisation, or the partner. */
  owner: string
  /** The filters as they were sent, without those that say what is so by default. */
  filters: Record<string, unknown>
  ascending: boolean
}

export interface Cursors {
  /** The cursor of the page that begins behind this place. */
  sign(scope: CursorScope, place: Place): string
  /** The place of a cursor, or null for a cursor that was not given out on this walk. */
  read(scope: CursorScope, cursor: string): Place | null
}

// A cursor is its signature, the time in milliseconds, and the id.
const SIGNATURE_BYTES = 16
const TIME_BYTES = 8
const ID_BYTES = 16

/** `encryptionKey` is base64; the signing key is derived from it, so that neither tells the other. */
export function createCursors(encryptionKey: string): Cursors {
  const key = Buffer.from(hkdfSync('sha256', Buffer.from(encryptionKey, 'base64'), '', 'bahi cursors', 32))
  const signatureOf = ({ list, owner, filters, ascending }: CursorScope, place: Buffer) => createHmac('sha256', key)
    .update(JSON.stringify([list, owner, Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1)), ascending]))
    .update(place).digest().subarray(0, SIGNATURE_BYTES)
  return {
    sign(scope, { time, id }) {
      const place = Buffer.alloc(TIME_BYTES + ID_BYTES)
      place.writeBigInt64BE(BigInt(Date.parse(time)))
      place.write(id.replaceAll('-', ''), TIME_BYTES, 'hex')
      return Buffer.concat([signatureOf(scope, place), place]).toString('base64url')
    },
    read(scope, cursor) {
      const bytes = Buffer.from(cursor, 'base64url')
      // The same bytes written in another way are another cursor.
      if (bytes.length !== SIGNATURE_BYTES + TIME_BYTES + ID_BYTES || bytes.toString('base64url') !== cursor) return null
      const place = bytes.subarray(SIGNATURE_BYTES)
      if (!timingSafeEqual(signatureOf(scope, place), bytes.subarray(0, SIGNATURE_BYTES))) return null
      const id = place.toString('hex', TIME_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
      return { time: new Date(Number(place.readBigInt64BE())).toISOString(), id }
    },
  }
}
