// The secrets in links of mails: made of what they are for and of the installation's key, so that none is stored.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { LinkKind } from '../../domain/mail-link.ts'
import { fault, type Fault } from '../../domain/faults.ts'

export interface MailLinks {
  /** The secret of the link of this kind for these ids, in their order. */
  tokenOf(kind: LinkKind, ids: readonly string[]): string
  /** The ids that a secret of this kind was made of; null for one that was not made here. */
  idsOf(kind: LinkKind, token: string): string[] | null
}

const ID_BYTES = 16
const SIGNATURE_BYTES = 32

/** `encryptionKey` is a ring of keys in base64: the first signs, the signatures of each are accepted. */
export function createMailLinks(encryptionKey: string): MailLinks {
  const keys = encryptionKey
    .split(',')
    .map((each) => Buffer.from(hkdfSync('sha256', Buffer.from(each, 'base64'), '', 'bahi mail links', 32)))
  const signatureOf = (key: Buffer, kind: LinkKind, ids: Buffer) =>
    createHmac('sha256', key).update(`${kind} `).update(ids).digest()
  return {
    tokenOf(kind, ids) {
      const bytes = Buffer.from(ids.join('').replaceAll('-', ''), 'hex')
      return Buffer.concat([signatureOf(keys[0]!, kind, bytes), bytes]).toString('base64url')
    },
    idsOf(kind, token) {
      const bytes = Buffer.from(token, 'base64url')
      const ids = bytes.subarray(SIGNATURE_BYTES)
      // Base64 can encode the same bytes in several ways; only the one that was mailed is accepted.
      if (ids.length === 0 || ids.length % ID_BYTES !== 0 || bytes.toString('base64url') !== token) return null
      const signature = bytes.subarray(0, SIGNATURE_BYTES)
      if (!keys.some((key) => timingSafeEqual(signatureOf(key, kind, ids), signature))) return null
      return (ids.toString('hex').match(/.{32}/g) ?? []).map((id) =>
        id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
      )
    },
  }
}

/** The refusal of every link that does not work: made up, used, ended or withdrawn. */
export const linkEnded = (): Fault =>
  fault('validation.invalid_value', {
    field: 'token',
    message: 'This link does not work any more. Ask for a new one.',
  })
