// Reads the options of an operator's command; prints how it is used where they are not its own, and ends the process.
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

export function optionsOf<const Options extends ParseArgsOptionsConfig>(options: Options, usage: string) {
  try {
    return parseArgs({ options }).values
  } catch {
    console.error(usage)
    process.exit(2)
  }
}
