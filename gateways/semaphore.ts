// A semaphore that limits how much work runs at once and shares its places fairly between keys.
// p-limit and the like serve in the order of arrival, so the burst of one organisation would go before the work of all others;
// here the keys that wait take turns.

export interface FairSemaphore {
  /** Runs the work when a place is free. `key` is whose work it is, such as an organisation: keys that wait take turns. */
  through<T>(key: string, work: () => Promise<T>): Promise<T>
}

export interface SemaphoreOptions {
  /** How much work runs at once in all. */
  places: number
  /** How much runs at once for one key; as much as in all by default. */
  placesPerKey?: number
}

export function fairSemaphore({ places, placesPerKey = places }: SemaphoreOptions): FairSemaphore {
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

  async function enter(key: string): Promise<void> {
    if (hasPlace(key) && !queues.has(key)) return take(key)
    await new Promise<void>((resolve) => {
      const queue = queues.get(key)
      if (queue) queue.push(resolve)
      else queues.set(key, [resolve])
    })
  }

  return {
    async through(key, work) {
      await enter(key)
      try {
        return await work()
      } finally {
        leave(key)
      }
    },
  }
}
