// Counts requests per token and minute: in Redis when it is configured, in this process otherwise.
import { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible'
import type { Caller } from '../../commands/caller.ts'

const WINDOW_SECONDS = 60

export interface Allowance {
  limit: number
  remaining: number
  /** Unix seconds at which the count starts anew. */
  reset: number
  /** Whole seconds until the count starts anew: what a refused caller waits. */
  waitSeconds: number
  allowed: boolean
}

export interface Limiter {
  count(caller: Caller, now: Date): Promise<Allowance>
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
  const counters = {
    DEFAULT: counterOf('default', limits.DEFAULT, redis),
    PARTNER: counterOf('partner', limits.PARTNER, redis),
  }
  return {
    async count(caller, now) {
      const limit = limits[caller.tier]
      const counted = await counters[caller.tier].consume(caller.subject).then(
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

function counterOf(name: string, points: number, redis: Redis | null): RateLimiterAbstract {
  const inProcess = new RateLimiterMemory({ keyPrefix: name, points, duration: WINDOW_SECONDS })
  if (!redis) return inProcess
  return new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `bahi:limit:${name}`,
    points,
    duration: WINDOW_SECONDS,
    insuranceLimiter: inProcess,
    rejectIfRedisNotReady: true,
  })
}

// A request waits for Redis a quarter of a second at the most, and not at all while it is known to be away.
function openRedis(url: string): Redis {
  const redis = new Redis(url, {
    commandTimeout: 250,
    connectTimeout: 1_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 200, 2_000),
  })
  // Its state is shown by GET /health/ready; without a listener an error of the connection would end the process.
  redis.on('error', () => undefined)
  return redis
}
