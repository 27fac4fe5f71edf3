// Finds documents by the ids that callers send: a whole document of one kind, or only whether a document of any kind exists.
import { DOCUMENT_KINDS, DOCUMENTS, type DocumentKind } from '../domain/documents.ts'
import { notFound } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import type { Statement } from './connection.ts'
import type { Lock, Scope } from './find.ts'

/** A finder of documents of a kind. It throws not_found.resource where the organisation has no such document. */
export function documentFinder<Found>(
  kind: DocumentKind,
  find: (scope: Scope, id: string, lock: Lock) => Promise<Found | null>,
) {
  return async (scope: Scope, id: string, lock: Lock = ''): Promise<Found> => {
    const found = isId(id) ? await find(scope, id, lock) : null
    if (!found) throw notFound(DOCUMENTS[kind].noun)
    return found
  }
}

const existing = (kind: DocumentKind): Statement => ({
  name: `existing ${DOCUMENTS[kind].noun}`,
  text: `SELECT id FROM ${DOCUMENTS[kind].table} WHERE org_id = $1 AND id = $2`,
})
const EXISTING = Object.fromEntries(DOCUMENT_KINDS.map((kind) => [kind, existing(kind)])) as Record<
  DocumentKind,
  Statement
>

/** The id of a document of any kind, once it is known to exist. Throws as documentFinder does. */
export async function existingDocument(scope: Scope, kind: DocumentKind, id: string): Promise<string> {
  const find = documentFinder(
    kind,
    async ({ connection, orgId }: Scope) =>
      (await connection.run<{ id: string }>(EXISTING[kind], [orgId, id]))[0] ?? null,
  )
  return (await find(scope, id)).id
}
