// The lines that tell a waiting person what is done, with what outcome, and how long it took.

/** Does one step and prints its line. `work` answers the detail to show, and is given `say` for what comes in between. */
export async function step(
  name: string,
  work: (say: (line: string) => void) => Promise<string>,
  outcome = 'ready',
): Promise<string> {
  const begun = Date.now()
  try {
    const detail = await work((line) => tell(name, line))
    tell(name, outcome, detail, secondsSince(begun))
    return detail
  } catch (error) {
    tell(name, 'failed', '', secondsSince(begun))
    throw error
  }
}

/** Prints one line: the part's name, then its columns. */
export function tell(name: string, first: string, ...columns: string[]): void {
  const [detail, ...rest] = columns
  const line = detail === undefined ? first : [first.padEnd(8), detail.padEnd(26), ...rest].join('  ')
  console.log(`${name.padEnd(18)}  ${line}`.trimEnd())
}

export function secondsSince(begun: number): string {
  return `${((Date.now() - begun) / 1000).toFixed(1)} s`
}
