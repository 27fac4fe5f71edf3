// Keeps requests from waiting for a Redis that is reachable and does not answer in time.

/** Three failures in a row, of commands that were not under way together, open the circuit. */
const FAILURES = 3
/** An answer that takes longer is late: a request waits for it. */
export const LATE_MS = 100
/** While the circuit is open, Redis is asked this often whether it answers again, and by nothing else. */
export const PROBE_EVERY_MS = 1_000

export interface RedisCircuitOptions {
  /** Asks Redis for an answer and nothing more. */
  probe(): Promise<unknown>
  onChange(): void
}

export interface RedisCircuit {
  /** While it is, requests go on without Redis. */
  isOpen(): boolean
  /** Notes that a command has ended that was sent at this time of `performance.now()`. */
  note(sentAt: number, hasAnswered: boolean): void
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
    const hasAnswered = await probe().then(
      () => isInTime(sentAt),
      () => false,
    )
    if (isClosed) return
    if (hasAnswered) change(false)
    else probeLater()
  }

  return {
    isOpen: () => isOpen,
    note(sentAt, hasAnswered) {
      if (isOpen) return
      if (hasAnswered && isInTime(sentAt)) {
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
