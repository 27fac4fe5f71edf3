// How long the receivers of webhooks take to answer, of the slowest endpoints.

/** So many endpoints are shown, and so many are remembered: those that were called last. */
export const SHOWN = 20
const REMEMBERED = 1_000
/** What the last attempt counts in the mean of an endpoint: about the last ten are in it. */
const WEIGHT = 0.2
/** An endpoint that was not called for an hour is no longer slow. */
const FORGOTTEN_MS = 3_600_000

export interface ReceiverTimes {
  note(endpointId: string, seconds: number): void
  /** The slowest endpoints by the mean of their last attempts, the slowest first. */
  slowest(): { endpointId: string; seconds: number }[]
}

export function createReceiverTimes(clock: () => Date): ReceiverTimes {
  // In the order of their last attempts.
  const known = new Map<string, { seconds: number; at: number }>()

  function forgetOld(now: number): void {
    for (const [endpointId, { at }] of known) {
      if (known.size <= REMEMBERED && now - at <= FORGOTTEN_MS) break
      known.delete(endpointId)
    }
  }

  return {
    note(endpointId, seconds) {
      const before = known.get(endpointId)?.seconds ?? seconds
      const at = clock().getTime()
      known.delete(endpointId)
      known.set(endpointId, { seconds: before + WEIGHT * (seconds - before), at })
      forgetOld(at)
    },
    slowest() {
      forgetOld(clock().getTime())
      return [...known]
        .map(([endpointId, { seconds }]) => ({ endpointId, seconds }))
        .toSorted((one, other) => other.seconds - one.seconds)
        .slice(0, SHOWN)
    },
  }
}
