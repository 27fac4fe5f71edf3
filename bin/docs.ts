// `npm run docs`: generates the tables in the docs and the types of the client from the code.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TObject } from 'typebox'
import { BODY_LIMIT, BULK_LIMIT } from '../api/http/body.ts'
import type { Route } from '../api/http/route.ts'
import { routesOf } from '../api/routes.ts'
import { MAX_LINES } from '../api/shapes/line-item.ts'
import { MAX_ENDPOINTS } from '../commands/webhooks/endpoints.ts'
import { MAX_BULKS, MAX_ROWS } from '../domain/bulk.ts'
import { DELETION_EVENTS, EVENT_TYPES, eventSchema, TEST_EVENT } from '../domain/events.ts'
import { FAULTS } from '../domain/faults.ts'
import { GST_TAX_LIST } from '../domain/gst.ts'
import { STATES } from '../domain/place-of-supply.ts'
import { WARNINGS } from '../domain/warnings.ts'
import { attemptsOf, waitBefore } from '../domain/retry-ladder.ts'
import { CAPS } from '../domain/webhook-caps.ts'
import { REPEATED_MS } from '../models/idempotency.ts'
import { readSettings } from '../settings.ts'
import { alertRows } from './alerts.ts'
import { boundRows, shareRows } from './bounds.ts'
import { clientSchemas } from './client-schemas.ts'

const ROOT = join(import.meta.dirname, '..')

/** The documents that have generated blocks. */
export const DOCUMENTS = [
  'README.md',
  'docs/api.md',
  'docs/contacts-and-items.md',
  'docs/invoices.md',
  'docs/operating.md',
  'docs/running.md',
  'docs/webhooks.md',
]

const ROUTES = routesOf({ publicUrl: '' })
const DEFAULTS = readSettings({ DATABASE_URL: 'postgres://none', ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') })

const BLOCKS: Record<string, () => string> = {
  calls: () =>
    table(
      ['Resource', 'Calls'],
      [...Map.groupBy(ROUTES, ({ tag }) => tag)].map(([tag, routes]) => [
        tag,
        [...Map.groupBy(routes, ({ path }) => path)]
          .map(([path, some]) => `\`${methodsOf(some)} ${path}\``)
          .join('<br>'),
      ]),
    ),
  endpoints: () =>
    table(
      ['Call', 'Scope', 'What it does', 'Filters'],
      ROUTES.map((route) => [
        `\`${route.method} ${route.path}\`${route.keyRequired ? ' (key)' : ''}`,
        needOf(route),
        route.does,
        filtersOf(route),
      ]),
    ),
  errors: () =>
    table(
      ['Code', 'Status', 'Meaning'],
      Object.entries(FAULTS).map(([code, [status, meaning]]) => [`\`${code}\``, String(status), meaning]),
    ),
  warnings: () =>
    table(
      ['Code', 'Meaning'],
      Object.entries(WARNINGS).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
  limits: () => table(['Limit', 'Value'], limits()),
  bounds: () => table(['Resource or wait', 'Limit', 'Beyond it', 'Set in'], boundRows(DEFAULTS)),
  shares: () =>
    table(['Resource', 'Total', 'One organisation, or partner', 'A wait times out after'], shareRows(DEFAULTS)),
  ladder: () => table(['Attempt', 'Wait after the previous attempt'], ladder()),
  caps: () => table(['Cap', 'Value'], caps()),
  alerts: () => table(['Alert', 'It means', 'Runbook'], alertRows(ROOT)),
  events: () =>
    table(
      ['Event', '`data`'],
      [...EVENT_TYPES, ...DELETION_EVENTS, TEST_EVENT as typeof TEST_EVENT].map((type) => [
        `\`${type}\``,
        Object.keys((eventSchema(type) as TObject).properties)
          .map((name) => `\`${name}\``)
          .join(' '),
      ]),
    ),
  taxes: () =>
    table(
      ['Tax', 'Shape', 'CGST', 'SGST', 'IGST'],
      GST_TAX_LIST.map(({ name, shape, cgst, sgst, igst }) => [name, `\`${shape}\``, cgst, sgst, igst]),
    ),
  states: () =>
    table(
      ['Code', 'GST', 'Name', 'Also accepted'],
      STATES.map(({ code, gst, name, formerCodes, otherNames }) => [
        `\`${code}\``,
        gst,
        name,
        [...formerCodes, ...otherNames].join(', '),
      ]),
    ),
  receiver: () => `\`\`\`js\n${readFileSync(join(ROOT, 'docs', 'examples', 'receiver.mjs'), 'utf8')}\`\`\``,
}

const BLOCK = /(<!-- from the code: (\w+) -->\n)[\s\S]*?(<!-- until here -->)/g

/** The document with the text between all markers regenerated. Throws for an unknown block. */
export function filled(document: string): string {
  return document.replaceAll(BLOCK, (_all, head: string, name: string, foot: string) => {
    const block = BLOCKS[name]
    if (!block) throw new Error(`there is no block ${name}`)
    return `${head}${block().trimEnd()}\n${foot}`
  })
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function needOf({ by = 'token', scope }: Route): string {
  if (by === 'anyone') return 'none, no token'
  if (by === 'partner') return 'partner key'
  return scope === null ? 'any token' : `\`${scope}\``
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const

function methodsOf(routes: Route[]): string {
  return METHODS.filter((method) => routes.some((route) => route.method === method)).join(' ')
}

// The parameters of all lists are described once, above the table.
const EVERYWHERE = new Set(['organization_id', 'cursor', 'per_page', 'sort', 'modified_since'])

function filtersOf({ query }: Route): string {
  const names = Object.keys(query?.properties ?? {}).filter((name) => !EVERYWHERE.has(name))
  return names.map((name) => `\`${name}\``).join(' ')
}

function limits(): string[][] {
  const bounds = (path: string, name: string) => {
    const { minimum, maximum, default: usual } = parameterOf(path, name)
    return `${minimum} to ${maximum}, default ${usual}`
  }
  const echo = ROUTES.find(({ path }) => path === '/echo')!.bodyLimit!
  return [
    ['Requests per minute, default tier', String(DEFAULTS.rateLimitDefault)],
    ['Requests per minute, partner tier', String(DEFAULTS.rateLimitPartner)],
    ['Body', `${BODY_LIMIT / 1024 / 1024} MB; bulk ${BULK_LIMIT / 1024 / 1024} MB; \`POST /echo\` ${echo / 1024} KB`],
    [
      '`per_page`',
      `${bounds('/contacts', 'per_page')}; accounts up to ${parameterOf('/accounts', 'per_page').maximum}`,
    ],
    ['Activity `limit`', bounds('/activity', 'limit')],
    ['Exchange rates `limit`', bounds('/exchange_rates', 'limit')],
    ['Lines of a document', String(MAX_LINES)],
    ['Rows of a bulk', `${MAX_ROWS.waiting}; ${MAX_ROWS.async} with \`async=true\``],
    ['Bulks of an organisation under way', String(MAX_BULKS)],
    ['Webhook endpoints of an organisation', String(MAX_ENDPOINTS)],
    ['`Idempotency-Key`', '1 to 200 letters, digits, `-`, `_`, `:`'],
    ['Answers are stored for', `${REPEATED_MS / 3_600_000} hours`],
  ]
}

function caps(): string[][] {
  return [
    ['Concurrent attempts at one endpoint', String(CAPS.attemptsOfEndpoint)],
    [`The same, if its last responses took more than ${spoken(CAPS.slowMs)}`, String(CAPS.attemptsOfSlowEndpoint)],
    ['Concurrent attempts of one organisation', String(CAPS.attemptsOfOrganization)],
    ['Connections of one worker to receivers', String(CAPS.connections)],
    ['Workflows of one endpoint', String(CAPS.processesOfEndpoint)],
    ['Workflows of one organisation', String(CAPS.processesOfOrganization)],
    ['Workflows that one worker starts per second', String(CAPS.processesInSecond)],
    ['Deliveries claimed at once', String(CAPS.batch)],
    ['Deliveries released per second after a circuit closes', String(CAPS.releasedInSecond)],
  ]
}

function parameterOf(path: string, name: string): { minimum?: number; maximum?: number; default?: number } {
  const route = ROUTES.find((each) => each.method === 'GET' && each.path === path)
  return (route?.query?.properties[name] ?? {}) as ReturnType<typeof parameterOf>
}

function ladder(): string[][] {
  const { webhookLadderSeconds: waits } = DEFAULTS
  const attempts = Array.from({ length: attemptsOf(waits) }, (_, index) => index + 1)
  return attempts.map((attempt) => {
    const waitMs = waitBefore(attempt, waits, 0)!
    return [String(attempt), waitMs === 0 ? 'sent at once' : spoken(waitMs)]
  })
}

function spoken(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds} seconds`
  return seconds < 3600 ? `${seconds / 60} minutes` : `${seconds / 3600} hours`
}

if (import.meta.main) {
  const documents = DOCUMENTS.map((name): [string, string] => [name, filled(readFileSync(join(ROOT, name), 'utf8'))])
  for (const [name, text] of [...documents, ...(await clientSchemas())]) {
    const file = join(ROOT, name)
    const isNew = !existsSync(file) || readFileSync(file, 'utf8') !== text
    if (isNew) writeFileSync(file, text)
    console.log(`${name.padEnd(30)} ${isNew ? 'updated' : 'up to date'}`)
  }
}
