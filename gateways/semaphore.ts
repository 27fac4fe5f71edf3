// A semaphore that limits how much work runs at once and shares its places fairly between keys.
// p-limit and the like serve in the order of arrival, so the burst of one organisation would go before the work of all others;
// here the keys that wait take turns.

export interface FairSemaphore {
  /**
   * Runs the work when a place is free. `key` is whose work it is, such as an organisation: keys that wait take turns. Throws
   * NoPlace, and does nothing of the work, where too much of the key waits already, or `over` is aborted before its turn.
   */
  through<T>(key: string, work: () => Promise<T>, over?: AbortSignal): Promise<T>
}

/** The work was not begun. */
export class NoPlace extends Error {}

export interface SemaphoreOptions {
  /** How much work runs at once in all. */
  places: number
  /** How much runs at once for one key; as much as in all by default. */
  placesPerKey?: number
  /** How much waits at once for one key; without a bound by default. */
  mostWaitingPerKey?: number
}

export function fairSemaphore({
  places,
  placesPerKey = places,
  mostWaitingPerKey = Number.POSITIVE_INFINITY,
}: SemaphoreOptions): FairSemaphore {
  let taken = 0
  const takenBy = new Map<string, number>()
  // The work that waits, by key, in the order of the turns: a key that was served goes to the end.
  const queues = new Map<string, (() => void)[]>()

  const hasPlace = (key: string) => taken < places && (takenBy.get(key) ?? 0) < placesPerKey

  function take(key: string): void {
    taken += 1
    takenBy.set(key, (takenBy.get(key) ?? 0) + 1)
  }

  function leave(key: string): void {
    taken -= 1
    const left = takenBy.get(key)! - 1
    if (left > 0) takenBy.set(key, left)
    else takenBy.delete(key)
    admit()
  }

  // A key that is served is put back at the end of the map, where this loop reaches it again after all the others.
  function admit(): void {
    for (const [key, queue] of queues) {
      if (taken >= places) return
      if (!hasPlace(key)) continue
      const enter = queue.shift()!
      queues.delete(key)
      if (queue.length > 0) queues.set(key, queue)
      take(key)
      enter()
    }
  }

  async function enter(key: string, over: AbortSignal | undefined): Promise<void> {
    if (over?.aborted) throw new NoPlace('it was given up before')
    if (hasPlace(key) && !queues.has(key)) return take(key)
    const queue = queues.get(key) ?? []
    if (queue.length >= mostWaitingPerKey) throw new NoPlace(`${queue.length} wait already`)
    queues.set(key, queue)
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        over?.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        const waiting = queues.get(key)!
        waiting.splice(waiting.indexOf(begin), 1)
        if (waiting.length === 0) queues.delete(key)
        reject(new NoPlace('its turn has not come'))
      }
      queue.push(begin)
      over?.addEventListener('abort', giveUp, { once: true })
    })
  }

  return {
    async through(key, work, over) {
      await enter(key, over)
      try {
        return await work()
      } finally {
        leave(key)
      }
    },
  }
}
