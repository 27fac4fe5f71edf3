// Prints the progress of a start: each step with its outcome and its duration.

/**
 * Does one step, prints its line and returns its value. `work` returns the detail to print and the value; it can print
 * progress with `say`.
 */
export async function step<T>(
  name: string,
  work: (say: (line: string) => void) => Promise<[detail: string, value: T]>,
  outcome = 'ready',
): Promise<T> {
  const begun = Date.now()
  try {
    const [detail, value] = await work((line) => printLine(name, line))
    printLine(name, outcome, detail, secondsSince(begun))
    return value
  } catch (error) {
    printLine(name, 'failed', '', secondsSince(begun))
    throw error
  }
}

/** Prints one line: the name of the part, then its columns. */
export function printLine(name: string, first: string, ...columns: string[]): void {
  const [detail, ...rest] = columns
  const line = detail === undefined ? first : [first.padEnd(8), detail.padEnd(26), ...rest].join('  ')
  console.log(`${name.padEnd(18)}  ${line}`.trimEnd())
}

export function secondsSince(begun: number): string {
  return `${((Date.now() - begun) / 1000).toFixed(1)} s`
}
