// The routes of PDFs: one for each kind of document that is printed.
import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { contentDisposition } from '../../domain/content-disposition.ts'
import { DOCUMENTS, factsOf, kindsThatHave, type PrintedKind } from '../../domain/documents.ts'
import { fault, notFound } from '../../domain/faults.ts'
import { INVOICE_TEMPLATES, type InvoiceTemplate } from '../../domain/preferences.ts'
import { renderedKey, renderedTag, type RenderInput } from '../../domain/render-run.ts'
import { findPrintKey } from '../../reports/print/print-key.ts'
import { route, type FileAnswer, type FoundFile, type RequestContext } from '../http/route.ts'

const PDF = 'application/pdf'
const MAX_AGE_SECONDS = 900

const QUERY = {
  download: Type.Optional(Type.Boolean({ description: 'Whether a browser saves the file instead of showing it.' })),
  redirect: Type.Optional(
    Type.Boolean({ description: 'Whether to answer 302 to a URL of the file, which is valid for 15 minutes.' }),
  ),
}
const WITH_TEMPLATE = {
  ...QUERY,
  template: Type.Optional(
    Type.Enum(INVOICE_TEMPLATES, { description: "The template; without it the organisation's own." }),
  ),
}

const HEADERS = {
  'Content-Disposition': Type.String({ description: 'Whether it is shown or saved, and under which name.' }),
  'Cache-Control': Type.String({ description: 'For how long it may be kept: 15 minutes; a redirection not at all.' }),
  'X-Svc-Render': Type.Enum(['fresh', 'cached'], { description: 'Whether this call has waited for the render.' }),
  'X-Svc-Version': Type.String({ pattern: '^[1-9][0-9]*$', description: 'The version of the document that it shows.' }),
}

interface Asked {
  download?: boolean
  redirect?: boolean
  template?: InvoiceTemplate
}

export const pdfRoutes = kindsThatHave('isPrinted').map((kind: PrintedKind) => {
  const { path, id, noun } = factsOf(kind)
  return route({
    method: 'GET',
    path: `${path}/{${id}}/pdf`,
    tag: 'PDFs',
    does: `Read the PDF of ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`,
    scope: `${DOCUMENTS[kind].scope}.READ`,
    query: Type.Object(kind === 'INVOICE' ? WITH_TEMPLATE : QUERY),
    answer: Type.Object({}),
    fileType: PDF,
    fileHeaders: HEADERS,
    file: (context, { params, query }) => pdfOf(context, kind, params[id]!, query as Asked),
  })
})

/** What the document's PDF is now; it is read, and rendered before where there is none, when the caller needs it. */
async function pdfOf(context: RequestContext, kind: PrintedKind, id: string, asked: Asked): Promise<FoundFile> {
  const { template } = asked
  const current = await findPrintKey(context, kind, id, template)
  if (!current) throw notFound(factsOf(kind).noun)
  const input: RenderInput = { orgId: context.orgId, kind, id, ...(template && { template }) }
  const key = renderedKey(input, current)
  return {
    tag: asked.redirect ? null : renderedTag(key),
    headers: headersOf(asked, current, 'cached'),
    async get(over) {
      const cached = await answerOf(context, key, asked, current, 'cached')
      if (cached) return cached
      // What is rendered may be newer than what was found: the answer is labelled as what it holds.
      const rendered = await context.gateways.engine.render(input, current, over)
      const fresh = await answerOf(context, rendered.key, asked, rendered, 'fresh')
      if (fresh) return fresh
      throw fault('service.unavailable', { message: 'The rendered PDF is gone; send the call again.', retryAfter: 1 })
    },
  }
}

interface Rendition {
  version: number
  number: string
}

const dispositionOf = ({ download }: Asked) => (download ? 'attachment' : 'inline')

const headersOf = (asked: Asked, { version, number }: Rendition, render: 'cached' | 'fresh') => ({
  'Content-Disposition': contentDisposition(dispositionOf(asked), filenameOf(number)),
  'Cache-Control': `private, max-age=${MAX_AGE_SECONDS}`,
  'X-Svc-Render': render,
  'X-Svc-Version': String(version),
})

/** The answer with the file of this key, or with its URL; null where there is none. */
async function answerOf(
  context: RequestContext,
  key: string,
  asked: Asked,
  rendition: Rendition,
  render: 'cached' | 'fresh',
): Promise<FileAnswer | null> {
  const headers = headersOf(asked, rendition, render)
  const file = await contentOf(context, key)
  if (!file) return null
  if (!asked.redirect) {
    const about = { ETag: renderedTag(key), 'Content-Type': PDF, 'Content-Length': String(file.bytes) }
    return { headers: { ...headers, ...about }, content: file.content }
  }
  if (!Buffer.isBuffer(file.content)) file.content.destroy()
  const disposition = dispositionOf(asked)
  const about = {
    seconds: MAX_AGE_SECONDS,
    filename: filenameOf(rendition.number),
    contentType: PDF,
    disposition,
  } as const
  // The URL is of no use after its time, so the redirection is not kept.
  const location = await context.gateways.blobs.presign(key, about)
  return { headers: { ...headers, 'Cache-Control': 'private, no-store', Location: location }, content: null }
}

/** A file from this process's memory, else from the store; small ones are remembered, since a key never changes its content. */
async function contentOf(
  { gateways: { blobs, files } }: RequestContext,
  key: string,
): Promise<{ content: Buffer | Readable; bytes: number } | null> {
  const remembered = files.find(key)
  if (remembered) return { content: remembered, bytes: remembered.length }
  const blob = await blobs.read(key)
  if (!blob) return null
  if (blob.bytes > files.largest) return { content: blob.body, bytes: blob.bytes }
  const parts: Buffer[] = []
  for await (const part of blob.body) parts.push(part as Buffer)
  const content = Buffer.concat(parts)
  files.keep(key, content)
  return { content, bytes: content.length }
}

// A number may have any characters, and slashes would make folders of it.
const filenameOf = (number: string) => `${number.replaceAll(/[/\\\p{Cc}\p{Cf}]/gu, '-')}.pdf`
