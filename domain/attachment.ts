// Attachments: what they may be attached to, where their files are kept, and how names and types are made safe.
import { ENTITY_TYPES } from './documents.ts'

/** Specification, "Attachments". Receipts are payments. */
export const ATTACHABLE_TYPES = [...ENTITY_TYPES.filter((type) => type !== 'RECEIPT'), 'CONTACT'] as const

export type AttachableType = (typeof ATTACHABLE_TYPES)[number]

/** How long a download URL can be used (specification, "Limits"). */
export const DOWNLOAD_SECONDS = 900

/** What an organisation may keep. */
export interface AttachmentLimits {
  /** Of one file. */
  maxBytes: number
  files: number
  bytes: number
}

/** The key of an attachment's file in the blob store. */
export const attachmentKey = (orgId: string, id: string) => `${orgId}/attachments/${id}`

/** The organisation and the id in the key of an attachment's file; null for the key of another blob. */
export function attachmentOf(key: string): { orgId: string; id: string } | null {
  const [, orgId, id] = /^([0-9a-f-]{36})\/attachments\/([0-9a-f-]{36})$/.exec(key) ?? []
  return orgId && id ? { orgId, id } : null
}

// The longest name that file systems take, in bytes of UTF-8, and the longest ending that is kept when a name is cut.
const NAME_BYTES = 255
const ENDING_LENGTH = 20
// Control characters, line separators, and what is not seen, above all what turns the direction of the text: `gpj.exe` shows as
// `exe.jpg` behind one of these. The two joiners belong to words of Indian languages.
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Co}\p{Cn}]|(?![\u200c\u200d])\p{Cf}/gu

/** The name of a file as it is kept: without path, unseen characters, or length beyond what file systems take. Never empty. */
export function safeFilename(sent: string): string {
  const name = sent.toWellFormed().replaceAll(UNSEEN, '').normalize('NFC').split(/[/\\]/).at(-1)!
  const trimmed = name.replace(/^\s+|[\s.]+$/g, '')
  return trimmed === '' ? 'file' : shortened(trimmed)
}

function shortened(name: string): string {
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && name.length - dot <= ENDING_LENGTH ? name.slice(dot) : ''
  let stem = [...name.slice(0, name.length - ending.length)]
  const bytes = () => Buffer.byteLength(stem.join('') + ending)
  // A character has at most four bytes, so that few are cut one by one.
  if (bytes() > NAME_BYTES) stem = stem.slice(0, NAME_BYTES)
  while (bytes() > NAME_BYTES) stem.pop()
  return stem.join('') + ending
}

// What a browser shows without running anything in it, or leaves to a program of the user's.
const INERT =
  /^(image\/(?!svg)|audio\/|video\/|application\/(pdf|zip|msword|vnd\.(ms-excel|ms-powerpoint|openxmlformats-|oasis\.))|text\/(plain|csv)$)/

/** The type under which the store hands out a file; one that may carry scripts is handed out as bytes. */
export const servedType = (contentType: string) => (INERT.test(contentType) ? contentType : 'application/octet-stream')
