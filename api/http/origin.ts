// The pages at the origin, outside of the API: health, metrics and documentation.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Registry } from 'prom-client'

export interface Plain {
  status: number
  type: string
  body: string | Buffer
}

/** Whether a worker serves a queue, or when one was last seen to; null where none ever was. */
export type QueueState = { state: 'up' | 'unknown' } | { state: 'away'; since: string | null }

/** How far the database's clock is ahead of this process's, where that matters; negative where it is behind. */
export type ClockState = { state: 'up' | 'unknown' } | { state: 'skewed'; database_ahead_seconds: number }

/** The state of every part that the service consists of, of its task queues, and of its clocks. */
export interface Readiness {
  parts: Record<string, 'up' | 'starting' | 'away' | 'not configured'>
  queues: Record<string, QueueState>
  clock: ClockState
}

// Without Redis the limits are counted in the process; without the blob store there are no attachments and no new PDFs, but the
// books go on.
const MAY_BE_AWAY = ['redis', 'storage']

/**
 * 200 while all configured parts that the books need respond and every queue has a worker, otherwise 503. Clocks that differ are
 * only named.
 */
export function readiness({ parts, queues, clock }: Readiness): Plain {
  const isReady =
    Object.entries(parts).every(
      ([name, state]) => !['away', 'starting'].includes(state) || MAY_BE_AWAY.includes(name),
    ) && Object.values(queues).every(({ state }) => state === 'up')
  return json(isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready', parts, queues, clock })
}

export const live = (): Plain => json(200, { status: 'live' })

export async function metrics(registry: Registry): Promise<Plain> {
  return { status: 200, type: registry.contentType, body: await registry.metrics() }
}

const DOCS = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

/** The page that renders the OpenAPI document (the empty name), or one of its files; null for an unknown name. */
export async function docs(name: string): Promise<Plain | null> {
  if (name === '') return { status: 200, type: 'text/html; charset=utf-8', body: DOCS_PAGE }
  if (name === 'start.js') return { status: 200, type: 'text/javascript; charset=utf-8', body: DOCS_START }
  const type = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined
  return type === undefined ? null : { status: 200, type, body: await readFile(join(DOCS, name)) }
}

const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Bahi accounting API</title>
  <link rel="icon" href="/docs/favicon-32x32.png">
  <link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
  <div id="docs"></div>
  <script src="/docs/swagger-ui-bundle.js"></script>
  <script src="/docs/start.js"></script>
</body>
</html>
`

const DOCS_START = `SwaggerUIBundle({
  url: '/api/public/v1/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
})
`

function json(status: number, body: unknown): Plain {
  return { status, type: 'application/json', body: JSON.stringify(body) }
}
