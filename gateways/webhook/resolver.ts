// Resolves host names: outside of Node's thread pool, within a time limit, a limited number at once, and with a cache.
import { Resolver } from 'node:dns/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { bareName, isLocalhost, readHosts } from './host-names.ts'
import { fairSemaphore } from '../semaphore.ts'

/** No address could be found. `code` is ENOTFOUND where there is none, else ETIMEOUT or the name server's error. */
class LookupFailed extends Error {
  readonly code: string

  constructor(name: string, code: string) {
    super(`The name ${name} could not be looked up.`)
    this.name = 'LookupFailed'
    this.code = code
  }
}

export interface ResolverOptions {
  /** Name servers, as `address` or `address:port`; those of the machine when empty. */
  servers?: readonly string[]
  /** The time limit of one look-up, with the wait for its turn. */
  limitMs?: number
  hosts?: Map<string, string[]>
  clock?: () => number
}

export interface NameResolver {
  /** The addresses of a name, for the organisation `orgId`, whose look-ups at once are limited. Throws LookupFailed. */
  addressesOf(name: string, orgId: string): Promise<string[]>
}

/** The limits of look-ups; docs/ lists them too. */
export const LOOKUPS = {
  limitMs: 5_000,
  atOnce: 64,
  atOnceOfOne: 4,
  remembered: 2_000,
  longestSeconds: 300,
  shortestSeconds: 5,
  failureSeconds: 5,
} as const

const TRY_MS = 1_500
const TRIES = 2
// How much longer the look-up of one family of addresses may take than that of the other.
const OTHER_FAMILY_MS = 500
const MAX_ADDRESSES = 16

interface Remembered {
  until: number
  found: Promise<string[]>
}

export function createResolver(options: ResolverOptions = {}): NameResolver {
  const { servers = [], limitMs = LOOKUPS.limitMs, clock = () => Date.now() } = options
  const hosts = options.hosts ?? readHosts()
  const places = fairSemaphore({ places: LOOKUPS.atOnce, placesPerKey: LOOKUPS.atOnceOfOne })
  const memory = new Map<string, Remembered>()

  /** Queries the name servers. Look-ups of the same name meanwhile get the same answer. */
  function lookUp(name: string, orgId: string): Promise<string[]> {
    const entry: Remembered = { until: Infinity, found: Promise.resolve([]) }
    entry.found = within(limitMs, name, (over) => places.through(orgId, () => queryServers(name, servers, over))).then(
      ({ addresses, seconds }) => {
        entry.until = clock() + seconds * 1_000
        return addresses
      },
      (error: unknown) => {
        entry.until = clock() + LOOKUPS.failureSeconds * 1_000
        throw error
      },
    )
    memory.delete(name)
    memory.set(name, entry)
    if (memory.size > LOOKUPS.remembered) memory.delete(memory.keys().next().value!)
    return entry.found
  }

  return {
    async addressesOf(hostname, orgId) {
      const name = bareName(hostname)
      const known = hosts.get(name)
      if (known) return known
      if (isLocalhost(name)) return ['127.0.0.1', '::1']
      const remembered = memory.get(name)
      return remembered && remembered.until > clock() ? remembered.found : lookUp(name, orgId)
    },
  }
}

interface Answer {
  addresses: string[]
  seconds: number
}

/** Ends the work, or the wait for its turn, when the time is over. Throws LookupFailed. */
async function within(limitMs: number, name: string, work: (over: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const over = AbortSignal.timeout(limitMs)
  const late = new Promise<never>((_, reject) => {
    over.addEventListener('abort', () => reject(new LookupFailed(name, 'ETIMEOUT')), { once: true })
  })
  return Promise.race([work(over), late])
}

async function queryServers(name: string, servers: readonly string[], over: AbortSignal): Promise<Answer> {
  if (over.aborted) throw new LookupFailed(name, 'ETIMEOUT')
  // One resolver for each look-up, because `cancel` ends every query of a resolver.
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES })
  const cancel = () => resolver.cancel()
  over.addEventListener('abort', cancel, { once: true })
  try {
    if (servers.length > 0) resolver.setServers(servers)
    const four = settled(resolver.resolve4(name, { ttl: true }))
    const six = settled(resolver.resolve6(name, { ttl: true }))
    const both = Promise.all([four, six])
    const first = await Promise.race([four, six])
    if (first.records.length === 0) return answerOf(name, await both)
    await Promise.race([both, delay(OTHER_FAMILY_MS, undefined, { ref: false })])
    cancel()
    return answerOf(name, await both)
  } finally {
    over.removeEventListener('abort', cancel)
  }
}

interface Settled {
  records: { address: string; ttl: number }[]
  code: string | null
}

const settled = (query: Promise<Settled['records']>): Promise<Settled> =>
  query.then(
    (records) => ({ records, code: null }),
    (error: NodeJS.ErrnoException) => ({ records: [], code: error.code ?? 'EUNKNOWN' }),
  )

const NO_SUCH_NAME = ['ENOTFOUND', 'ENODATA']

function answerOf(name: string, families: Settled[]): Answer {
  const records = families.flatMap((family) => family.records).slice(0, MAX_ADDRESSES)
  if (records.length > 0) {
    const ttl = Math.min(...records.map((record) => record.ttl))
    const seconds = Math.min(Math.max(ttl, LOOKUPS.shortestSeconds), LOOKUPS.longestSeconds)
    return { addresses: records.map(({ address }) => address), seconds }
  }
  const codes = families.map(({ code }) => code ?? 'ENODATA')
  const unsure = codes.find((code) => !NO_SUCH_NAME.includes(code))
  throw new LookupFailed(name, unsure === undefined ? 'ENOTFOUND' : unsure === 'ECANCELLED' ? 'ETIMEOUT' : unsure)
}
