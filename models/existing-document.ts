// Whether a document of any kind is there: asked for what documents of every kind have, such as their part of the log.
import { DOCUMENT_KINDS, DOCUMENTS, type DocumentKind } from '../domain/documents.ts'
import { fault } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import type { Statement } from './database.ts'
import type { Scope } from './find.ts'

/** The id of the document. Throws not_found.resource for one that the organisation does not have. */
export async function existingDocument({ connection, orgId }: Scope, kind: DocumentKind, id: string): Promise<string> {
  const [found] = isId(id) ? await connection.run<{ id: string }>(EXISTING[kind], [orgId, id]) : []
  if (!found) throw fault('not_found.resource', { message: `There is no such ${DOCUMENTS[kind].noun}.` })
  return found.id
}

const existing = (kind: DocumentKind): Statement => (
  { name: `existing ${DOCUMENTS[kind].noun}`, text: `SELECT id FROM ${DOCUMENTS[kind].table} WHERE org_id = $1 AND id = $2` }
)
const EXISTING = Object.fromEntries(DOCUMENT_KINDS.map((kind) => [kind, existing(kind)])) as Record<DocumentKind, Statement>
