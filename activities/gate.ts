// Lets so many through at once and the others wait, first come first served.

export interface Gate {
  through<T>(work: () => Promise<T>): Promise<T>
}

export function gateOf(width: number): Gate {
  let inside = 0
  const waiting: (() => void)[] = []

  async function enter(): Promise<void> {
    if (inside < width) inside += 1
    // Whoever leaves hands the place on, so that nobody can slip in between.
    else await new Promise<void>((resolve) => waiting.push(resolve))
  }

  function leave(): void {
    const next = waiting.shift()
    if (next) next()
    else inside -= 1
  }

  return {
    async through(work) {
      await enter()
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
