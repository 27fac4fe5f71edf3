// Counts requests a minute, by token, partner or address: in Redis when it is configured, in this process otherwise.
import { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible'

const WINDOW_SECONDS = 60
/** Addresses counted by themselves in one window; a counter takes half a kilobyte. */
const MOST_ADDRESSES = 20_000
const OTHERS = 'others'
/** How long Redis is waited for, by a request, by a new connection and by one that is closed. */
export const REDIS_WAITS_MS = { command: 250, connect: 1_000, disconnect: 250 }

export interface Allowance {
  limit: number
  remaining: number
  /** Unix seconds at which the count starts anew. */
  reset: number
  /** Whole seconds until the count starts anew: what a refused caller waits. */
  waitSeconds: number
  allowed: boolean
}

/** What a request is counted under: a tier and who has it, or the address of a caller without a valid token or key. */
export interface Budget {
  of: 'DEFAULT' | 'PARTNER' | 'ADDRESS'
  key: string
}

export interface Limiter {
  count(budget: Budget, now: Date): Promise<Allowance>
  /** What headers say where nobody is counted. */
  uncounted(now: Date): Allowance
  state(): 'up' | 'away' | 'not configured'
  close(): void
}

export interface Limits {
  DEFAULT: number
  PARTNER: number
}

/**
 * Counts in Redis, shared by all API processes, when a URL is given. While Redis is away each process counts for
 * itself: a request is never failed for it.
 */
export function createLimiter(limits: Limits, redisUrl: string | null): Limiter {
  const redis = redisUrl ? openRedis(redisUrl) : null
  const points = { ...limits, ADDRESS: limits.DEFAULT }
  const counters = {
    DEFAULT: counterOf('default', points.DEFAULT, redis),
    PARTNER: counterOf('partner', points.PARTNER, redis),
    // An address that has used up its budget is refused without asking Redis either.
    ADDRESS: counterOf('address', points.ADDRESS, redis, { inMemoryBlockOnConsumed: points.ADDRESS }),
  }
  const boundedAddress = boundKeys(MOST_ADDRESSES)
  return {
    async count({ of, key }, now) {
      const limit = points[of]
      const counted = await counters[of].consume(of === 'ADDRESS' ? boundedAddress(key, now) : key).then(
        (result) => ({ result, allowed: true }),
        (refused: unknown) => ({ result: refused instanceof RateLimiterRes ? refused : null, allowed: !(refused instanceof RateLimiterRes) }),
      )
      const waitMs = counted.result?.msBeforeNext ?? WINDOW_SECONDS * 1000
      return {
        limit,
        remaining: Math.max(0, counted.result?.remainingPoints ?? limit),
        reset: Math.ceil((now.getTime() + waitMs) / 1000),
        waitSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
        allowed: counted.allowed,
      }
    },
    uncounted: (now) => ({
      limit: limits.DEFAULT,
      remaining: limits.DEFAULT,
      reset: Math.ceil(now.getTime() / 1000) + WINDOW_SECONDS,
      waitSeconds: WINDOW_SECONDS,
      allowed: true,
    }),
    state: () => (redis === null ? 'not configured' : redis.status === 'ready' ? 'up' : 'away'),
    close: () => redis?.disconnect(),
  }
}

/**
 * Answers the key itself while at most so many differ within a window, else one key for all the others: tokens and
 * partners are as many as were made, but addresses can be as many as a caller likes.
 */
export function boundKeys(most: number): (key: string, now: Date) => string {
  // In the order of their ends, since every window is equally long.
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

function counterOf(
  name: string, points: number, redis: Redis | null, options: { inMemoryBlockOnConsumed?: number } = {},
): RateLimiterAbstract {
  const inProcess = new RateLimiterMemory({ keyPrefix: name, points, duration: WINDOW_SECONDS })
  if (!redis) return inProcess
  return new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `bahi:limit:${name}`,
    points,
    duration: WINDOW_SECONDS,
    insuranceLimiter: inProcess,
    rejectIfRedisNotReady: true,
    ...options,
  })
}

// A request waits for Redis a quarter of a second at the most, and not at all while it is known to be away.
function openRedis(url: string): Redis {
  const redis = new Redis(url, {
    commandTimeout: REDIS_WAITS_MS.command,
    connectTimeout: REDIS_WAITS_MS.connect,
    // It is waited out also where the connection was closed already, and would keep a process from ending.
    disconnectTimeout: REDIS_WAITS_MS.disconnect,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 200, 2_000),
  })
  // Its state is shown by GET /health/ready; without a listener an error of the connection would end the process.
  redis.on('error', () => undefined)
  return redis
}
