// Counts requests per minute by token, partner or address: in Redis if it is configured, otherwise in this process.
import { Redis, ReplyError } from 'ioredis'
import type { Logger } from 'pino'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible'
import { createRedisCircuit, type CountOutcome } from './redis-circuit.ts'

const WINDOW_SECONDS = 60
/** The most addresses with a counter of their own in one window; a counter takes half a kilobyte. */
const MAX_ADDRESSES = 20_000
const OTHERS = 'others'
/** Before the keys of all counters in Redis. */
const KEYS = 'bahi:limit'
/** Time limits of Redis: for a command, for opening a connection and for closing one. */
export const REDIS_WAITS_MS = { command: 250, connect: 1_000, disconnect: 250 }

export interface Allowance {
  limit: number
  remaining: number
  /** Unix time in seconds at which the window ends. */
  reset: number
  /** Whole seconds until the window ends, for Retry-After. */
  waitSeconds: number
  allowed: boolean
}

/** The counter of a request: a tier and the id of its holder, or the address of a caller without a valid token or key. */
export interface Budget {
  of: 'DEFAULT' | 'PARTNER' | 'ADDRESS'
  key: string
}

/** Shared by all addresses that have used up theirs: for what of them has to be looked up before it can be refused. */
export const SPENT_ADDRESSES: Budget = { of: 'ADDRESS', key: 'spent' }

export interface Limiter {
  count(budget: Budget, now: Date): Promise<Allowance>
  /** Whether this process has refused the address in the current window. */
  isSpent(address: string, now: Date): boolean
  /** The values of the headers for a request that is not counted. */
  uncounted(now: Date): Allowance
  state(): 'up' | 'away' | 'not configured'
  close(): void
}

export interface Limits {
  DEFAULT: number
  PARTNER: number
}

/**
 * Counts in Redis, shared by all API processes, if a URL is given. While Redis is unavailable or slow, or refuses to count, each
 * process counts for itself, and no request fails or waits because of it.
 */
export function createLimiter(limits: Limits, redisUrl: string | null, log: Pick<Logger, 'info' | 'warn'>): Limiter {
  const redis = redisUrl ? shareCounts(redisUrl, log) : null
  const points = { ...limits, ADDRESS: limits.DEFAULT }
  const counters = {
    DEFAULT: counterOf('default', points.DEFAULT, redis),
    PARTNER: counterOf('partner', points.PARTNER, redis),
    // An address that has used up its budget is refused without a command to Redis.
    ADDRESS: counterOf('address', points.ADDRESS, redis, { inMemoryBlockOnConsumed: points.ADDRESS }),
  }
  const boundedAddress = boundKeys(MAX_ADDRESSES)
  const spent = createSpentKeys()
  return {
    async count({ of, key }, now) {
      const limit = points[of]
      const counter = of === 'ADDRESS' ? boundedAddress(key, now) : key
      const counted = await counters[of](counter).then(
        (result) => ({ result, allowed: true }),
        (refused: unknown) => ({
          result: refused instanceof RateLimiterRes ? refused : null,
          allowed: !(refused instanceof RateLimiterRes),
        }),
      )
      const waitMs = counted.result?.msBeforeNext ?? WINDOW_SECONDS * 1000
      if (of === 'ADDRESS' && !counted.allowed) spent.add(counter, now.getTime() + waitMs)
      return {
        limit,
        remaining: Math.max(0, counted.result?.remainingPoints ?? limit),
        reset: Math.ceil((now.getTime() + waitMs) / 1000),
        waitSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
        allowed: counted.allowed,
      }
    },
    isSpent: (address, now) => spent.has(boundedAddress(address, now), now),
    uncounted: (now) => ({
      limit: limits.DEFAULT,
      remaining: limits.DEFAULT,
      reset: Math.ceil(now.getTime() / 1000) + WINDOW_SECONDS,
      waitSeconds: WINDOW_SECONDS,
      allowed: true,
    }),
    state: () => (redis === null ? 'not configured' : redis.isUsed() ? 'up' : 'away'),
    close: () => redis?.close(),
  }
}

/**
 * Limits the number of distinct keys in a window to `most`: further keys share one counter. Needed for addresses, of
 * which a caller can use any number; the number of tokens and partners is limited by itself.
 */
export function boundKeys(most: number): (key: string, now: Date) => string {
  // Sorted by end, because every window is equally long.
  const ends = new Map<string, number>()
  return (key, now) => {
    for (const [oldest, end] of ends) {
      if (end > now.getTime()) break
      ends.delete(oldest)
    }
    if (ends.has(key)) return key
    if (ends.size >= most) return OTHERS
    ends.set(key, now.getTime() + WINDOW_SECONDS * 1000)
    return key
  }
}

// Keys that have used up their budget, each until the end of its window.
function createSpentKeys() {
  const ends = new Map<string, number>()
  return {
    add(key: string, end: number) {
      if (ends.size >= MAX_ADDRESSES) ends.clear()
      ends.set(key, end)
    },
    has: (key: string, now: Date) => (ends.get(key) ?? 0) > now.getTime(),
  }
}

type Consume = (key: string) => Promise<RateLimiterRes>

/** Counts one request of a key; rejects with a RateLimiterRes where its budget is used up. */
function counterOf(
  name: string,
  points: number,
  shared: SharedCounts | null,
  options: { inMemoryBlockOnConsumed?: number } = {},
): Consume {
  const inProcess = new RateLimiterMemory({ keyPrefix: name, points, duration: WINDOW_SECONDS })
  if (!shared) return (key) => inProcess.consume(key)
  const inRedis: RateLimiterAbstract = new RateLimiterRedis({
    storeClient: shared.redis,
    keyPrefix: `${KEYS}:${name}`,
    points,
    duration: WINDOW_SECONDS,
    ...options,
  })
  return async (key) => {
    if (!shared.isUsed()) return inProcess.consume(key)
    const sentAt = performance.now()
    try {
      const counted = await inRedis.consume(key)
      shared.noteCount(sentAt, null)
      return counted
    } catch (error) {
      shared.noteCount(sentAt, error)
      if (error instanceof RateLimiterRes) throw error
      return inProcess.consume(key)
    }
  }
}

interface SharedCounts {
  redis: Redis
  /** Notes how a count has ended that was sent at this time: null where it was answered within its budget. */
  noteCount(sentAt: number, error: unknown): void
  /** Whether requests are counted in Redis now. */
  isUsed(): boolean
  close(): void
}

function outcomeOf(error: unknown): CountOutcome {
  if (error === null || error instanceof RateLimiterRes) return 'counted'
  return error instanceof ReplyError ? 'refused' : 'unanswered'
}

// A request waits for Redis for REDIS_WAITS_MS.command at most, and not at all while it is known not to count.
function shareCounts(url: string, log: Pick<Logger, 'info' | 'warn'>): SharedCounts {
  const redis = openRedis(url)
  let refusal: string | null = null
  const circuit = createRedisCircuit({ probe: probeOf(redis), onChange: () => say() })
  const isUsed = () => redis.status === 'ready' && !circuit.isOpen()
  let wasUsed = true
  let isClosing = false
  function say(): void {
    if (isClosing || isUsed() === wasUsed) return
    wasUsed = isUsed()
    if (wasUsed) log.info('Redis answers; the processes count rate limits together again')
    else if (refusal !== null)
      log.warn({ refusal }, 'Redis refuses to count; each process counts rate limits for itself')
    else log.warn('Redis is away or does not answer in time; each process counts rate limits for itself')
    refusal = null
  }
  // The state of the client changes after some of its events.
  for (const event of ['ready', 'close'] as const) redis.on(event, () => setImmediate(say))
  return {
    redis,
    noteCount(sentAt, error) {
      const outcome = outcomeOf(error)
      refusal = outcome === 'refused' ? (error as Error).message.slice(0, 200) : null
      circuit.note(sentAt, outcome)
    },
    isUsed,
    close() {
      isClosing = true
      circuit.close()
      redis.disconnect()
    },
  }
}

// One count of its own, by the command and below the prefix of the others: nothing that would refuse them lets it pass.
function probeOf(redis: Redis): () => Promise<CountOutcome> {
  const counter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `${KEYS}:probe`,
    points: 1,
    duration: WINDOW_SECONDS,
  })
  return async () => {
    const error: unknown = await counter.consume('').then(
      () => null,
      (failure: unknown) => failure,
    )
    const outcome = outcomeOf(error)
    // A connection that does not answer may be lost without either end knowing it; behind one to a replica, the name may by
    // now be the address of another primary.
    const isUseless = outcome === 'unanswered' || (outcome === 'refused' && /READONLY/.test((error as Error).message))
    if (isUseless && redis.status === 'ready') redis.disconnect(true)
    return outcome
  }
}

function openRedis(url: string): Redis {
  const redis = new Redis(url, {
    commandTimeout: REDIS_WAITS_MS.command,
    connectTimeout: REDIS_WAITS_MS.connect,
    // The client waits for this timeout even if the connection is already closed, which would delay the exit of the process.
    disconnectTimeout: REDIS_WAITS_MS.disconnect,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 200, 2_000),
  })
  // GET /health/ready reports its state. Without a listener an error of the connection would end the process.
  redis.on('error', () => undefined)
  return redis
}
