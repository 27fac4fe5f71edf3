// What the workflow that renders a document is started with, and what it answers: ids and numbers only.
import type { PrintedKind } from './documents.ts'

export interface RenderInput {
  orgId: string
  kind: PrintedKind
  id: string
  /** Of invoices; without it the organisation's own. */
  template?: string
}

/** A file in the blob store. */
export interface RenderedFile {
  key: string
  bytes: number
  /** Of the document that was rendered. */
  version: number
  number: string
}
