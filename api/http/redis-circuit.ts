// Keeps requests from waiting for a Redis that is reachable, and does not answer in time or refuses to count.

/** Three failures in a row, of commands that were not under way together, open the circuit. */
const FAILURES = 3
/** An answer that takes longer is late: a request waits for it. */
export const LATE_MS = 100
/** While the circuit is open, Redis is asked this often whether it counts again, and by nothing else. */
export const PROBE_EVERY_MS = 1_000

/**
 * How a command ended. `refused` is an answer that says no: to a read-only replica (READONLY), where memory or the disk is full
 * (OOM, MISCONF), with too few replicas or rights. Redis does not hang then, but every other count would be refused alike, so one
 * refusal opens the circuit at once: the request that met it did not wait, and those after it do not ask.
 */
export type CountOutcome = 'counted' | 'refused' | 'unanswered'

export interface RedisCircuitOptions {
  /** Counts as a request does: a Redis that only answers reads, or PING, would hold up the next request or refuse it. */
  probe(): Promise<CountOutcome>
  onChange(): void
}

export interface RedisCircuit {
  /** While it is, requests go on without Redis. */
  isOpen(): boolean
  /** Notes how a command has ended that was sent at this time of `performance.now()`. */
  note(sentAt: number, outcome: CountOutcome): void
  close(): void
}

export function createRedisCircuit({ probe, onChange }: RedisCircuitOptions): RedisCircuit {
  let failures = 0
  let failedAt = -Infinity
  let isOpen = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  function change(opens: boolean): void {
    isOpen = opens
    failures = 0
    if (opens) probeLater()
    onChange()
  }

  function probeLater(): void {
    timer = setTimeout(() => void probeNow(), PROBE_EVERY_MS).unref()
  }

  async function probeNow(): Promise<void> {
    const sentAt = performance.now()
    const counts = (await probe()) === 'counted' && isInTime(sentAt)
    if (isClosed) return
    if (counts) change(false)
    else probeLater()
  }

  return {
    isOpen: () => isOpen,
    note(sentAt, outcome) {
      if (isOpen || isClosed) return
      if (outcome === 'refused') return change(true)
      if (outcome === 'counted' && isInTime(sentAt)) {
        failures = 0
        return
      }
      // Commands that were under way together fail for one reason, such as a pause of this process.
      if (sentAt < failedAt) return
      failedAt = performance.now()
      failures += 1
      if (failures === FAILURES) change(true)
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

const isInTime = (sentAt: number) => performance.now() - sentAt <= LATE_MS
