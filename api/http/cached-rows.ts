// Rows rendered as JSON, from memory where PostgreSQL says in the same call that they are the version that is remembered.
import { DOCUMENTS, type DocumentKind } from '../../domain/documents.ts'
import { notFound } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import type { ModelOf } from '../../models/model.ts'
import type { PageOf, PageRequest } from '../../models/page.ts'
import {
  versionOf,
  versionPageOf,
  wholePageOf,
  wholeRowsOf,
  type Parts,
  type RowVersion,
} from '../../models/whole-rows.ts'
import { PORTION } from './render-in-portions.ts'
import { Rendered } from './rendered.ts'
import type { Listed, RequestContext } from './route.ts'

export type RenderedRow = { org_id: string; id: string; version: number; last_modified_time: Date }

/** How documents of a kind are shown, and what of that is remembered. */
export interface Rendering<Row extends RenderedRow, Whole> {
  kind: DocumentKind
  table: ModelOf<Row>
  parts: Parts<Row, Whole>
  show: (rows: Whole[], context: RequestContext) => unknown[]
  /**
   * What a row is shown with that is not of its version, such as today's date for what is overdue. Everything else that is
   * shown must change together with the row: its `version` and time of change with every change of its parts.
   */
  shownWith: (context: RequestContext) => string
}

/** A page, and what api/http/list-answer.ts shows of it. */
export type ReadPage = Pick<PageOf<object>, 'end' | 'hasMore'> & Pick<Listed, 'rows' | 'ready' | 'show'>

/** The JSON of a row; null where it was deleted meanwhile; undefined where it is not read yet. */
type Texts = (string | null | undefined)[]

/** The document with this id as JSON. Throws not_found.resource where there is none. */
export async function renderedRow<Row extends RenderedRow, Whole>(
  context: RequestContext,
  rendering: Rendering<Row, Whole>,
  id: string,
): Promise<Rendered> {
  const rows = isId(id) ? await rowsFor(context, rendering, id.toLowerCase()) : []
  const [text] = await textsOf(context, rendering, rows)
  if (!text) throw notFound(DOCUMENTS[rendering.kind].noun)
  return new Rendered(text)
}

// The version is asked for alone only where the row may be remembered.
async function rowsFor<Row extends RenderedRow, Whole>(
  context: RequestContext,
  { table }: Rendering<Row, Whole>,
  id: string,
): Promise<RowVersion[]> {
  const { orgId, rowCache } = context
  return rowCache.has({ orgId, table: table.name, id }) ? versionOf(context, table, id) : [{ id, row_version: '' }]
}

/** A page whose first rows are rendered already, as many as fit into one portion. */
export async function renderedPage<Row extends RenderedRow, Whole>(
  context: RequestContext,
  rendering: Rendering<Row, Whole>,
  request: PageRequest,
): Promise<ReadPage> {
  const { orgId, rowCache } = context
  const key = { orgId, table: rendering.table.name }
  const { rows, texts, found, ...page } = await (rowCache.isWorthwhile(key) ? pageByVersions : pageWithParts)(
    context,
    rendering,
    request,
  )
  rowCache.notePage(key, { rows: rows.length, found })
  const ready = texts.slice(0, readyOf(texts))
  return {
    ...page,
    rows,
    ready: ready.length,
    // What is ready is shown first, and kept no longer.
    async show(some) {
      const shown = ready.length > 0 ? ready.splice(0) : await textsOf(context, rendering, some as RowVersion[])
      return shown.flatMap((text) => (text ? [new Rendered(text)] : []))
    },
  }
}

interface FoundPage extends PageOf<RowVersion> {
  texts: Texts
  /** How many of the rows were remembered. */
  found: number
}

// Reads the versions alone, and then those rows that are not remembered, as many of the first ones as may be read at once.
async function pageByVersions<Row extends RenderedRow, Whole>(
  context: RequestContext,
  rendering: Rendering<Row, Whole>,
  request: PageRequest,
): Promise<FoundPage> {
  const page = await versionPageOf(context, rendering.table, request)
  const texts = remembered(context, rendering, page.rows)
  const found = texts.filter((text) => text !== undefined).length
  await readMissing(context, rendering, page.rows, texts)
  return { ...page, texts, found }
}

async function pageWithParts<Row extends RenderedRow, Whole>(
  context: RequestContext,
  rendering: Rendering<Row, Whole>,
  request: PageRequest,
): Promise<FoundPage> {
  const { rows, whole, ...page } = await wholePageOf(context, rendering.table, rendering.parts, request)
  const versions = rows.map(({ id, row_version }) => ({ id, row_version }))
  const first = versions.slice(0, whole.length)
  const known = remembered(context, rendering, first)
  const texts: Texts = known.every((text) => text !== undefined) ? known : render(context, rendering, first, whole)
  return { ...page, rows: versions, texts, found: known.filter((text) => text !== undefined).length }
}

/** All these rows, in as many round trips as they need. */
async function textsOf<Row extends RenderedRow, Whole>(
  context: RequestContext,
  rendering: Rendering<Row, Whole>,
  rows: RowVersion[],
): Promise<Texts> {
  const texts = remembered(context, rendering, rows)
  while (texts.includes(undefined)) await readMissing(context, rendering, rows, texts)
  return texts
}

function remembered<Row extends RenderedRow, Whole>(
  context: RequestContext,
  { table, shownWith }: Rendering<Row, Whole>,
  rows: RowVersion[],
): Texts {
  const { orgId, rowCache } = context
  const also = shownWith(context)
  return rows.map(({ id, row_version }) => rowCache.find({ orgId, table: table.name, id }, `${row_version} ${also}`))
}

// Fills in texts that are undefined, of the first such row and of as many after it as are read at once.
async function readMissing<Row extends RenderedRow, Whole>(
  context: RequestContext,
  rendering: Rendering<Row, Whole>,
  rows: RowVersion[],
  texts: Texts,
): Promise<void> {
  const missing = rows.flatMap(({ id }, place) => (texts[place] === undefined ? [{ id, place }] : []))
  if (missing.length === 0) return
  const ids = missing.map(({ id }) => id)
  const { rows: found, whole, read } = await wholeRowsOf(context, rendering.table, rendering.parts, ids)
  const shown = render(context, rendering, found, whole)
  const textOf = new Map(found.map(({ id }, place) => [id, shown[place]!]))
  for (const { id, place } of missing.slice(0, read)) texts[place] = textOf.get(id) ?? null
}

function render<Row extends RenderedRow, Whole>(
  context: RequestContext,
  { table, show, shownWith }: Rendering<Row, Whole>,
  rows: RowVersion[],
  whole: Whole[],
): string[] {
  const { orgId, rowCache } = context
  const also = shownWith(context)
  return show(whole, context).map((shown, place) => {
    const { id, row_version } = rows[place]!
    const json = JSON.stringify(shown)
    rowCache.keep({ orgId, table: table.name, id }, `${row_version} ${also}`, json)
    return json
  })
}

// How many of the first texts are read and make one portion.
function readyOf(texts: Texts): number {
  let length = 0
  const end = texts.findIndex((text) => {
    if (text === undefined || length > PORTION) return true
    length += text?.length ?? 0
    return false
  })
  return end < 0 ? texts.length : end
}
