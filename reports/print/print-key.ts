// What a rendered file depends on: so the same file is rendered once, and a changed one again.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { PrintedKind } from '../../domain/documents.ts'
import { isId } from '../../domain/ids.ts'
import { DEFAULT_ORGANIZATION_PREFERENCES, type InvoiceTemplate } from '../../domain/preferences.ts'
import type { TemplateName } from '../../domain/print/printed-document.ts'
import type { Scope } from '../../models/find.ts'
import { PRINTED_HEAD, type PrintedHead } from './surroundings.ts'

/**
 * `letterhead` is a short hash of everything printed that is not the document's own version: whose it is and for whom, and the
 * template.
 */
export type PrintKey = NonNullable<Awaited<ReturnType<typeof findPrintKey>>>

/** The key, in one round trip; null where the organisation has no such document. Without `template`, that of the organisation. */
export async function findPrintKey(
  { connection, orgId }: Scope,
  kind: PrintedKind,
  id: string,
  template?: InvoiceTemplate,
): Promise<{ version: number; letterhead: string; template: TemplateName; number: string } | null> {
  if (!isId(id)) return null
  const [head] = await connection.run<PrintedHead>(PRINTED_HEAD[kind], [orgId, id])
  if (!head) return null
  const name = templateOf(kind, template ?? head.invoice_template)
  return { version: head.version, number: head.number, template: name, letterhead: letterheadHash(head, name) }
}

/** Invoices have a choice; every other kind has the template of its name. */
export function templateOf(kind: PrintedKind, chosen: InvoiceTemplate | null): TemplateName {
  if (kind === 'INVOICE') return `invoice-${chosen ?? DEFAULT_ORGANIZATION_PREFERENCES.invoice_template}`
  return kind.toLowerCase().replace('_', '-') as TemplateName
}

// Raised when domain/print, or the merge, makes something else of the same books, so that files of before are rendered again.
const WORDING = 7

/** See PrintKey. */
export function letterheadHash({ hash }: Pick<PrintedHead, 'hash'>, template: TemplateName): string {
  return sha256(`${WORDING} ${textHash(template)} ${hash}`).slice(0, 16)
}

const textHashes = new Map<TemplateName, string>()

// Templates are part of the service, and change with it.
function textHash(template: TemplateName): string {
  let hash = textHashes.get(template)
  if (hash === undefined) {
    hash = sha256(readFileSync(new URL(`../../templates/${template}.fodt`, import.meta.url)))
    textHashes.set(template, hash)
  }
  return hash
}

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
