// Reads the options of an operator's command; prints how it is used where they are not its own, and ends the process.
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

export function optionsOf<const Options extends ParseArgsOptionsConfig>(options: Options, usage: string) {
  return orUsage(usage, () => parseArgs({ options }).values)
}

/** The same of a command that is given more than options. */
export function argumentsOf<const Options extends ParseArgsOptionsConfig>(options: Options, usage: string) {
  return orUsage(usage, () => parseArgs({ options, allowPositionals: true }))
}

function orUsage<T>(usage: string, parse: () => T): T {
  try {
    return parse()
  } catch {
    console.error(usage)
    process.exit(2)
  }
}
