// Serialises long lists without keeping other calls waiting.
import { setImmediate as breathe } from 'node:timers/promises'

// Serialised in a few milliseconds.
const PORTION = 256 * 1024

/** Lists as the JSON of an object, each value by `jsonOf`, with a pause for other work after each portion. */
export async function jsonInPortions(
  lists: Record<string, readonly unknown[]>,
  jsonOf: (value: unknown) => string,
): Promise<string> {
  const fields: string[] = []
  let size = 0
  for (const [name, list] of Object.entries(lists)) {
    const texts: string[] = []
    for (const value of list) {
      const text = jsonOf(value)
      texts.push(text)
      if ((size += text.length) < PORTION) continue
      await breathe()
      size = 0
    }
    fields.push(`${JSON.stringify(name)}:[${texts.join(',')}]`)
  }
  return `{${fields.join(',')}}`
}
