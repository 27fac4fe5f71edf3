// A render: what its workflow is started with and answers, and the names of the workflow and of the file.
import type { PrintedKind } from './documents.ts'
import type { InvoiceTemplate } from './preferences.ts'

export interface RenderInput {
  orgId: string
  kind: PrintedKind
  id: string
  /** One of the invoices' templates; without it that of the organisation, and every other kind has only one. */
  template?: InvoiceTemplate
}

/** What a rendered file depends on. */
export interface RenderKey {
  /** Of the document. */
  version: number
  template: string
  /** The hash of everything printed that is not of the document's version. */
  letterhead: string
}

/** A file in the blob store. */
export interface RenderedFile {
  key: string
  bytes: number
  /** Of the document that was rendered. */
  version: number
  number: string
}

/** Callers of the same file share a workflow, and so one render. */
export const renderProcessId = (id: string, { version, template, letterhead }: RenderKey): string =>
  `render/${id}/${version}/${template}/${letterhead}`

/** Where rendered files of an organisation are kept. */
export const renderedPrefix = (orgId: string): string => `${orgId}/pdf/`

/** The key of a rendered file in the blob store. */
export const renderedKey = ({ orgId, kind, id }: RenderInput, { version, template, letterhead }: RenderKey): string =>
  `${renderedPrefix(orgId)}${kind}/${id}/${version}-${template}-${letterhead}.pdf`

/** What the file of a key shows, for its ETag: files of one tag show the same, although their bytes may differ. */
export const renderedTag = (key: string): string => `W/"${key.slice(key.lastIndexOf('/') + 1, -'.pdf'.length)}"`

/** Whether a key of the blob store is that of a rendered file, of any organisation. */
export const isRenderedKey = (key: string): boolean => /^[0-9a-f-]{36}\/pdf\//.test(key)

/** The type of the failure of a document that cannot be rendered, however often it is tried. */
export const NOT_RENDERED = 'NotRendered'
