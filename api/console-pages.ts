// Serves the console below /console: its built files, which never change, and the one page, with a nonce of its own each time.
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fault } from '../domain/faults.ts'
import type { Unmatched } from './http/unmatched.ts'
import { mount, send, sendBytes, type MountedRequest, type RestServer } from './mount.ts'

const BUILT = fileURLToPath(new URL('../console/dist/', import.meta.url))

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** By the ending of the compressed file, in the order in which they are preferred. */
const ENCODINGS = [
  ['br', 'br'],
  ['gzip', 'gz'],
] as const

interface Asset {
  type: string
  tag: string
  content: Buffer
  /** By the name of the encoding. */
  compressed: Map<string, Buffer>
}

interface Built {
  page: string
  pageTime: number
  /** By its name below /console/assets/. */
  assets: Map<string, Asset>
}

interface Answer {
  status: number
  headers: Record<string, string>
  body: string | Buffer
}

/** The console's paths are the page's own, so every one of them is answered with the page. */
export function mountConsole(server: RestServer, unmatched: Unmatched): void {
  const built = builtConsole(BUILT)
  const answering =
    (answerOf: (request: MountedRequest) => Answer | null) =>
    async (request: MountedRequest, response: Parameters<typeof send>[0]) => {
      const answer = answerOf(request)
      if (!answer) return send(response, unmatched.replyTo(request, fault('not_found.route', { message: ABSENT })))
      sendBytes(response, answer.status, answer.body, { ...unmatched.headers(), ...COMMON_HEADERS, ...answer.headers })
    }
  const page = answering(() => pageAnswer(built()))
  mount(server, 'GET', '/console', page)
  mount(server, 'GET', '/console/*', page)
  mount(
    server,
    'GET',
    '/console/assets/:name',
    answering(({ params, headers }) => {
      const asset = built()?.assets.get(params?.name ?? '')
      return asset ? assetAnswer(asset, headers) : null
    }),
  )
}

const ABSENT = 'There is no such file, or the console is not built; npm run build -w console builds it.'

const COMMON_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** What the page may load and do: files and calls of this origin, and the style elements that have the nonce. */
const policyWith = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ')

function pageAnswer(built: Built | null): Answer | null {
  if (!built) return null
  const nonce = randomBytes(16).toString('base64url')
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policyWith(nonce),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'X-Frame-Options': 'DENY',
  }
  return { status: 200, headers, body: built.page.replace('%NONCE%', nonce) }
}

function assetAnswer({ type, tag, content, compressed }: Asset, sent: MountedRequest['headers']): Answer {
  const coding = ENCODINGS.find(([name]) => compressed.has(name) && accepts(sent['accept-encoding'], name))?.[0]
  const own = coding === undefined ? tag : `${tag.slice(0, -1)}-${coding}"`
  const headers = {
    'Content-Type': type,
    'Cache-Control': 'public, max-age=31536000, immutable',
    ETag: own,
    Vary: 'Accept-Encoding',
  }
  const seen = sent['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, '')) ?? []
  if (seen.includes(own) || seen.includes('*')) return { status: 304, headers, body: '' }
  if (coding === undefined) return { status: 200, headers, body: content }
  return { status: 200, headers: { ...headers, 'Content-Encoding': coding }, body: compressed.get(coding)! }
}

// A coding is taken when it is named without a weight of zero.
function accepts(header: string | string[] | undefined, coding: string): boolean {
  const named = String(header ?? '')
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .find((each) => each.split(';')[0]!.trim() === coding)
  return named !== undefined && !/;\s*q=0(\.0*)?$/.test(named)
}

// Read when it is first asked for, and again after another build: the page's time says so.
function builtConsole(folder: string): () => Built | null {
  let last: Built | null = null
  return () => {
    const pageTime = statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.mtimeMs
    if (pageTime === undefined) return null
    if (last?.pageTime === pageTime) return last
    last = {
      page: readFileSync(join(folder, 'index.html'), 'utf8'),
      pageTime,
      assets: assetsIn(join(folder, 'assets')),
    }
    return last
  }
}

function assetsIn(folder: string): Map<string, Asset> {
  const names = readdirSync(folder)
  const assets = names.filter((name) => Object.hasOwn(TYPES, extname(name)))
  return new Map(
    assets.map((name) => {
      const content = readFileSync(join(folder, name))
      const tag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
      const there = ENCODINGS.filter(([, ending]) => names.includes(`${name}.${ending}`))
      const compressed = new Map(there.map(([coding, end]) => [coding, readFileSync(join(folder, `${name}.${end}`))]))
      return [name, { type: TYPES[extname(name)]!, tag, content, compressed }]
    }),
  )
}
