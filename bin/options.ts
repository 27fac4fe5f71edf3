// Reads the options of an operator's command, and the times in them; prints how it is used where they are not its own, and ends the process.
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

export function optionsOf<const Options extends ParseArgsOptionsConfig>(options: Options, usage: string) {
  return orUsage(usage, () => parseArgs({ options }).values)
}

/** The same of a command that is given more than options. */
export function argumentsOf<const Options extends ParseArgsOptionsConfig>(options: Options, usage: string) {
  return orUsage(usage, () => parseArgs({ options, allowPositionals: true }))
}

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

/** A time with its zone, or a date, which begins in UTC; null where there is none, and an invalid Date for anything else. */
export const timeOf = (text: string | undefined): Date | null =>
  text === undefined ? null : new Date(TIME.test(text) ? text : Number.NaN)

function orUsage<T>(usage: string, parse: () => T): T {
  try {
    return parse()
  } catch {
    console.error(usage)
    process.exit(2)
  }
}
